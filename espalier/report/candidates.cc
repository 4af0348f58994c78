#include "espalier/report/candidates.h"

#include <algorithm>
#include <iterator>

#include "espalier/api/corpus.h"
#include "espalier/base/text/text.h"
#include "espalier/data/formats/reader.h"

namespace espalier::report {
namespace {

/// Tried if no learners are named: different in kind, and good on most data. Cheapest first.
constexpr const char* kUsual[] = {"perceptron", "crf", "svm", "laso-br", "searn", "cascade"};

/// Settings that are tried next to a learner's defaults.
struct Variant {
  const char *learner, *name, *value;
};
constexpr Variant kVariants[] = {
    {"crf", "dropout", "0.3"}, {"crf", "l2", "0.3"},          {"svm", "c", "0.2"},
    {"laso-br", "beam", "5"},  {"cascade", "dropout", "0.3"},
};

const LearnerInfo* find_info(const std::vector<LearnerInfo>& all, std::string_view name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const LearnerInfo& l) { return l.name == name; });
  return it == all.end() ? nullptr : &*it;
}

bool has_parameter(const LearnerInfo& learner, std::string_view name) {
  return std::any_of(learner.parameters.begin(), learner.parameters.end(),
                     [&](const ParameterInfo& p) { return p.name == name; });
}

bool learns(const LearnerInfo& learner, std::string_view task) {
  return std::find(learner.tasks.begin(), learner.tasks.end(), task) != learner.tasks.end();
}

/// "crf:l2=0.1,1": values of a parameter, for one learner or all that have it.
struct GridLine {
  std::string learner, name;
  std::vector<std::string> values;
};

Result<GridLine> parse_grid(const std::string& text) {
  const auto wrong = [&] {
    return fail("grid '{}': expected name=value,value or learner:name=value,value", text);
  };
  GridLine line;
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return wrong();
  line.name = text.substr(0, equals);
  if (const size_t colon = line.name.find(':'); colon != std::string::npos) {
    line.learner = line.name.substr(0, colon);
    line.name.erase(0, colon + 1);
    if (line.learner.empty() || line.name.empty()) return wrong();
  }
  std::string_view rest = std::string_view(text).substr(equals + 1);
  while (true) {
    const std::string_view item = rest.substr(0, rest.find(','));
    if (item.empty()) return wrong();
    line.values.emplace_back(item);
    if (item.size() == rest.size()) return line;
    rest.remove_prefix(item.size() + 1);
  }
}

/// Every combination of the values that the grid has for a learner; the first is none at all.
std::vector<Settings> combinations(const std::vector<GridLine>& grid, const LearnerInfo& learner) {
  std::vector<Settings> out = {{}};
  for (const GridLine& line : grid) {
    if ((!line.learner.empty() && line.learner != learner.name) || !has_parameter(learner, line.name))
      continue;
    std::vector<Settings> more;
    for (const Settings& before : out)
      for (const std::string& value : line.values) {
        more.push_back(before);
        more.back().emplace_back(line.name, value);
      }
    out = std::move(more);
  }
  if (!out.front().empty()) out.insert(out.begin(), Settings());
  return out;
}

Result<std::vector<const LearnerInfo*>> chosen_learners(const CompareOptions& options,
                                                        const std::vector<LearnerInfo>& all) {
  std::vector<std::string> names = options.learners;
  if (names.empty()) names.assign(std::begin(kUsual), std::end(kUsual));
  if (names == std::vector<std::string>{"all"}) {
    names.clear();
    for (const LearnerInfo& learner : all)
      if (learns(learner, "label")) names.push_back(learner.name);
  }
  std::vector<std::string> known;
  for (const LearnerInfo& learner : all) known.push_back(learner.name);
  std::vector<const LearnerInfo*> out;
  for (const std::string& name : names) {
    const LearnerInfo* const info = find_info(all, name);
    if (info == nullptr) {
      const std::string near = nearest(name, known);
      return fail("unknown learner '{}'{}", name,
                  near.empty() ? "" : fmt::format("; did you mean {}?", near));
    }
    if (!learns(*info, "label") && !learns(*info, "segment"))
      return fail("the learner {} labels no tokens; compare is about the tasks label and segment", name);
    out.push_back(info);
  }
  return out;
}

Status check_grid(const std::vector<GridLine>& grid, const std::vector<const LearnerInfo*>& chosen) {
  for (const GridLine& line : grid) {
    bool used = false;
    for (const LearnerInfo* learner : chosen)
      used = used ||
             ((line.learner.empty() || line.learner == learner->name) && has_parameter(*learner, line.name));
    if (!used)
      return fail("grid '{}{}': {}", line.learner.empty() ? "" : line.learner + ":", line.name,
                  line.learner.empty() ? "no learner that is compared has this parameter"
                                       : "this learner is not compared, or has no such parameter");
  }
  return {};
}

}  // namespace

Result<Survey> survey_of(const Files& files) {
  if (files.paths.empty()) return fail("no file to read");
  ESPALIER_ASSIGN(const api::Reading reading, api::reading_of(files.reading, files.paths));
  if (reading.task)
    return fail("compare is about the tasks label and segment, which have no JSON of their own");
  Survey survey;
  data::SchemeDetector detector;
  data::Sequence sequence;
  std::vector<std::string_view> labels;
  for (const std::string& path : files.paths) {
    if (path == "-") return fail("compare reads the data many times: give files, not standard input");
    ESPALIER_ASSIGN(const auto reader, data::open_reader(path, reading.options));
    while (true) {
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      ++survey.sequences;
      survey.tokens += sequence.length();
      labels.clear();
      for (size_t row = 0; row < sequence.length(); ++row) labels.push_back(sequence.label(row));
      detector.add(labels);
    }
  }
  survey.scheme = detector.scheme();
  return survey;
}

TrainOptions train_options_of(const Candidate& candidate, const CompareOptions& options) {
  TrainOptions out;
  out.learner = Learner(candidate.learner, candidate.settings);
  out.task = candidate.task;
  out.feature_template = options.feature_template;
  out.template_name = options.template_name;
  out.feature_columns = options.feature_columns;
  out.seed = options.seed;
  out.threads = options.threads;
  return out;
}

Result<std::vector<Candidate>> candidates_for(const Files& train, const CompareOptions& options,
                                              const Survey& survey) {
  const std::vector<LearnerInfo> all = learners();
  ESPALIER_ASSIGN(const auto chosen, chosen_learners(options, all));
  std::vector<GridLine> grid;
  for (const std::string& text : options.grid) {
    ESPALIER_ASSIGN(grid.emplace_back(), parse_grid(text));
  }
  ESPALIER_TRY(check_grid(grid, chosen));
  const bool spans = survey.scheme != data::Scheme::kNone;
  std::vector<Candidate> out;
  const auto add = [&](Candidate candidate) {
    const std::string name = candidate.name();
    for (const Candidate& other : out)
      if (other.name() == name) return;
    out.push_back(std::move(candidate));
  };
  for (const LearnerInfo* learner : chosen) {
    for (const char* task : {"label", "segment"}) {
      if (!learns(*learner, task) || (std::string_view(task) == "segment" && !spans)) continue;
      for (const Settings& settings : combinations(grid, *learner)) {
        const Candidate candidate{task, learner->name, settings};
        if (const Status status = check_options(train, train_options_of(candidate, options)); !status.ok())
          return fail("{}: {}", candidate.name(), status.error().message);
        add(candidate);
      }
      if (std::string_view(task) == "segment" && learns(*learner, "label")) continue;
      // Variants that this program's learners do not know are left out.
      std::vector<std::pair<std::string, std::string>> variants;
      for (const Variant& variant : kVariants)
        if (learner->name == variant.learner) variants.emplace_back(variant.name, variant.value);
      if (spans && survey.scheme != data::Scheme::kIobes && survey.scheme != data::Scheme::kBilou)
        variants.emplace_back("scheme", "iobes");
      for (const auto& [name, value] : variants) {
        const Candidate candidate{task, learner->name, {{name, value}}};
        if (has_parameter(*learner, name) && check_options(train, train_options_of(candidate, options)).ok())
          add(candidate);
      }
    }
  }
  return out;
}

}  // namespace espalier::report

namespace espalier {

std::string Candidate::name() const {
  std::string out = learner;
  for (const auto& [name, value] : settings) out += " " + name + "=" + value;
  return task == "label" ? out : out + ", task " + task;
}

Result<std::vector<Candidate>> candidates(const Files& train, const CompareOptions& options) {
  ESPALIER_ASSIGN(const report::Survey survey, report::survey_of(train));
  return report::candidates_for(train, options, survey);
}

}  // namespace espalier
