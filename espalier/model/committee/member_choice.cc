#include "espalier/model/committee/member_choice.h"

#include <algorithm>
#include <charconv>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"
#include "espalier/data/word_clustering.h"
#include "espalier/model/defaults.h"
#include "espalier/model/registry.h"

namespace espalier::model {

namespace {

constexpr size_t kMostClasses = 10000;

Result<size_t> parse_classes(std::string_view text) {
  size_t classes = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), classes);
  if (trouble != std::errc() || end != text.data() + text.size() || classes < 2 || classes > kMostClasses)
    return fail("parameter members: classes={}: the number of word classes, from 2 to {}", text,
                kMostClasses);
  return classes;
}

/// Whether a line of a file of classes can name the word.
bool can_be_listed(std::string_view word) {
  return !word.empty() && word.find_first_of(" \t\r\n") == std::string_view::npos && valid_utf8(word);
}

}  // namespace

Result<std::vector<MemberChoice>> parse_members(std::string_view text) {
  constexpr size_t kMostAsked = 16;
  std::vector<MemberChoice> out;
  while (!text.empty()) {
    std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    MemberChoice member;
    member.learner = item.substr(0, item.find(':'));
    item.remove_prefix(std::min(item.size(), member.learner.size() + 1));
    while (!item.empty()) {
      const std::string_view setting = item.substr(0, item.find(':'));
      item.remove_prefix(std::min(item.size(), setting.size() + 1));
      if (setting.starts_with("task=")) {
        member.task = setting.substr(5);
      } else if (setting.starts_with("classes=")) {
        ESPALIER_ASSIGN(member.classes, parse_classes(setting.substr(8)));
      } else {
        member.settings.emplace_back(setting);
      }
    }
    const auto wrong = [&](const Error& error) { return fail("parameter members: {}", error.message); };
    if (member.learner == "committee")
      return fail("parameter members: a committee cannot have committees as members");
    if (member.task != "label" && member.task != "segment")
      return fail("parameter members: task={}: members learn the task label or segment", member.task);
    const auto learner = find_learner(member.learner);
    if (!learner.ok()) return wrong(learner.error());
    if (const Status fits = check_learner_of_task(*find_task(member.task).value(), member.learner);
        !fits.ok())
      return wrong(fits.error());
    if (const Status good = (*learner)->check_settings(member.settings); !good.ok())
      return wrong(good.error());
    out.push_back(std::move(member));
  }
  if (out.size() < 2 || out.size() > kMostAsked)
    return fail("parameter members: {}; a committee has 2 to {}", counted(out.size(), "member"), kMostAsked);
  return out;
}

CommitteeData committee_data(const std::vector<data::Sequence>& sequences, bool words, bool segments) {
  CommitteeData out = {.words = words, .segments = segments, .mostly_outside = false};
  size_t outside = 0, tokens = 0;
  for (const data::Sequence& sequence : sequences)
    for (size_t t = 0; t < sequence.length(); ++t) {
      ++tokens;
      outside += sequence.label(t) == "O";
      if (sequence.label(t) == data::kUnknownLabelText) out.segments = false;
    }
  out.mostly_outside = static_cast<double>(outside) > kMostOutside * static_cast<double>(tokens);
  return out;
}

Status check_members(const std::vector<MemberChoice>& members, bool names, bool dev) {
  for (const MemberChoice& member : members) {
    std::vector<std::string> settings = member.settings;
    if (!names) {
      if (std::find(settings.begin(), settings.end(), "names=yes") != settings.end())
        return fail("parameter members: {}: names=yes contradicts names=no of the committee", member.learner);
      settings.emplace_back("names=no");
    }
    const auto learner = find_learner(member.learner)
                             .value()
                             ->configure(settings, {.task = *find_task(member.task).value(), .dev = dev});
    if (!learner.ok()) return fail("parameter members: {}: {}", member.learner, learner.error().message);
  }
  return {};
}

std::vector<MemberChoice> default_members(CommitteeSize size, const CommitteeData& data) {
  std::vector<MemberChoice> out;
  if (data.segments) {
    const std::string dropout = data.mostly_outside ? "dropout=0.5" : "dropout=0.4";
    out = {{.learner = "cascade", .classes = 256, .settings = {dropout, "scheme=iobes"}},
           {.learner = "svm", .settings = {}},
           {.learner = "crf", .classes = 256, .settings = {dropout, "scheme=iobes"}},
           {.learner = "cascade", .classes = 64, .settings = {dropout, "scheme=data"}}};
    // A search looks at whole segments, which helps with names, and is sure of its answer, which does not
    // help with chunks.
    if (data.mostly_outside) {
      out.push_back({.learner = "laso-br", .task = "segment", .settings = {}});
    } else {
      out.push_back({.learner = "cascade", .classes = 64, .settings = {dropout, "scheme=iobes"}});
    }
  } else {
    out = {{.learner = "cascade", .settings = {}},
           {.learner = "svm", .settings = {}},
           {.learner = "cascade", .classes = 256, .settings = {}},
           {.learner = "crf", .classes = 256, .settings = {"dropout=0.25"}},
           {.learner = "cascade", .classes = 64, .settings = {}}};
  }
  if (size == CommitteeSize::kSmall) out.resize(2);
  if (!data.words)
    for (MemberChoice& member : out) member.classes = 0;
  return out;
}

std::vector<std::string> names_of(const std::vector<MemberChoice>& members) {
  std::vector<std::string> names;
  for (const MemberChoice& member : members) {
    std::string name = member.learner;
    for (int n = 2; std::find(names.begin(), names.end(), name) != names.end(); ++n)
      name = fmt::format("{}-{}", member.learner, n);
    names.push_back(std::move(name));
  }
  return names;
}

std::optional<data::WordList> classes_from_text(const std::vector<data::Sequence>& sequences, size_t column,
                                                size_t classes, const Workers& workers,
                                                const Monitor& monitor) {
  data::WordBigrams text;
  std::vector<std::string_view> words;
  for (const data::Sequence& sequence : sequences) {
    words.clear();
    for (size_t t = 0; t < sequence.length(); ++t)
      if (can_be_listed(sequence.cell(t, column))) words.push_back(sequence.cell(t, column));
    text.add(words);
  }
  data::ClusteringOptions options;
  options.classes = classes;
  const auto made = data::cluster_words(text, options, workers, monitor);
  if (!made.ok()) return std::nullopt;
  data::WordList list{
      .kind = data::WordList::Kind::kClasses, .name = "classes of the training text", .text = {}};
  for (const data::ClassedWord& word : *made) append_format(list.text, "{}\t{}\n", word.word, word.its_class);
  return list;
}

}  // namespace espalier::model
