#include "apps/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "apps/terminal.h"
#include "espalier/base/text.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/data/formats/lines.h"
#include "espalier/model/registry.h"

namespace espalier::apps {
namespace {

constexpr size_t kHelpWidth = 110;

/// Appends the text word by word, in lines that go on at `indent` where they would grow too long.
void append_wrapped(std::string_view text, size_t indent, std::string& out) {
  size_t column = indent;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > indent && column + 1 + display_width(word) > kHelpWidth) {
      out.append("\n").append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out.push_back(' ');
      ++column;
    }
    out += word;
    column += display_width(word);
  }
  out.push_back('\n');
}

void append_parameters(std::span<const model::Parameter> parameters, std::string& out) {
  constexpr size_t kIndent = 4;
  constexpr size_t kNameWidth = 21;
  for (const auto& p : parameters) {
    out.append(kIndent, ' ');
    out += pad_right(fmt::format("{}={}", p.name, p.fallback), kNameWidth) + " ";
    append_wrapped(fmt::format("{} ({})", p.help, p.range), kIndent + kNameWidth + 1, out);
  }
}

/// True where all learners have a parameter of that name with the same meaning: help texts list it once.
bool in_every_learner(std::string_view name) {
  const auto find = [&](const model::LearnerSpec& learner) -> const model::Parameter* {
    for (const model::Parameter& p : learner.parameters())
      if (p.name == name) return &p;
    return nullptr;
  };
  const model::Parameter* const first = find(*model::learners().front());
  if (first == nullptr) return false;
  for (const model::LearnerSpec* const learner : model::learners()) {
    const model::Parameter* const own = find(*learner);
    if (own == nullptr || own->help != first->help) return false;
  }
  return true;
}

}  // namespace

void ReadingFlags::add_to(CLI::App& verb) {
  verb.add_option("--format", format, "columns, crfsuite, conllu, letters or jsonl [columns]")
      ->type_name("F");
  verb.add_option("--label-column", label_column,
                  "column of the label: from 1, or -1 for the last [last];\nin CoNLL-U also a name such as "
                  "upos or deprel [upos];\nwith --task joint several, such as 2,3")
      ->type_name("C");
  verb.add_option(
          "--folds", folds,
          "only the sequences of these folds, such as 1-9,\nwhere the data has folds (letters, jsonl)")
      ->type_name("LIST");
  verb.add_option("--encoding", encoding, "utf-8, latin1 or bytes [utf-8]")->type_name("E");
}

Result<data::ReadOptions> ReadingFlags::resolve(bool several_labels) const {
  data::ReadOptions options;
  ESPALIER_ASSIGN(options.format, data::parse_format(format));
  ESPALIER_TRY(data::parse_encoding(encoding));
  options.encoding = encoding;
  options.label_column = label_column;
  if (!several_labels && data::several_label_columns(options))
    return fail("--label-column {}: one column is wanted here", label_column);
  if (!folds.empty()) {
    ESPALIER_ASSIGN(options.folds, data::parse_folds(folds));
  }
  return options;
}

void TrainingFlags::add_to(CLI::App& verb) {
  verb.add_option(
          "-t,--template", template_file,
          "features: a CRF++ template or Wapiti pattern file\n[words, affixes, case and shape in a window]")
      ->type_name("FILE");
  verb.add_option("--task", task, "what is predicted, see below [label]")->type_name("T");
  verb.add_option("--learner", learner, "how it is learned, see below [crf; the first that a task names]")
      ->type_name("L");
  verb.add_option("-p,--parameter", settings, "a parameter of the learner, see below; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_option(
          "--feature-columns", feature_columns,
          "columns that features may look at, such as 1,2;\nthe first is the word [all but the label]")
      ->type_name("LIST");
  verb.add_option("--constraints", constraints,
                  "train under these constraints (not local, memm, brackets); the model\nremembers them")
      ->type_name("FILE");
  verb.add_option("--seed", seed, "the same seed gives the same model [1]")->type_name("N");
  add_threads_option(verb, threads);
  reading.add_to(verb);
}

Result<model::TrainRequest> TrainingFlags::resolve() const {
  model::TrainRequest request;
  ESPALIER_ASSIGN(request.reading, reading.resolve(/*several_labels=*/true));
  ESPALIER_ASSIGN(const model::Task* const what, model::find_task(task));
  request.learner = learner.empty() ? std::string(what->learners.front()) : learner;
  ESPALIER_TRY(model::check_learner_of_task(*what, request.learner));
  ESPALIER_ASSIGN(const model::LearnerSpec* const spec, model::find_learner(request.learner));
  ESPALIER_TRY(spec->check_settings(settings));
  if (task == "joint" && !data::several_label_columns(request.reading))
    return fail("--task joint decides several columns of labels: say which, such as --label-column 2,3");
  if (task != "joint" && data::several_label_columns(request.reading))
    return fail("--label-column {}: several columns are decided by --task joint", reading.label_column);
  if (what->json) {
    if (request.reading.format != data::Format::kColumns &&
        request.reading.format != data::Format::kJsonLines)
      return fail("--format {}: task {} has JSON lines of its own", reading.format, task);
    if (!reading.label_column.empty() || !feature_columns.empty() || !template_file.empty() ||
        !reading.folds.empty())
      return fail(
          "task {} has its own features and no columns: no --label-column, --feature-columns, "
          "--template or --folds",
          task);
    request.reading.format = data::Format::kJsonLines;
  }
  request.constraints = constraints;
  if (!feature_columns.empty()) {
    ESPALIER_ASSIGN(request.feature_columns, parse_columns(feature_columns));
  }
  request.task = task;
  request.settings = settings;
  request.template_file = template_file;
  request.seed = seed;
  request.threads = threads;
  return request;
}

void OutputFlags::add_to(CLI::App& verb) {
  verb.add_flag("--json", json, "print one JSON object instead");
  verb.add_flag("-q,--quiet", quiet, "no progress and no messages but errors");
}

void add_model_option(CLI::App& verb, std::string& model) {
  verb.add_option("-m,--model", model, "the model file")->type_name("MODEL")->required();
}

void add_threads_option(CLI::App& verb, int& threads) {
  verb.add_option("--threads", threads, "threads to work with; 0 takes every core [0]")
      ->type_name("N")
      ->check(CLI::Range(0, 1024).description(""));
}

Result<std::vector<size_t>> parse_columns(std::string_view text) {
  const auto numbers = data::parse_folds(text);
  if (!numbers || numbers->front() < 1)
    return fail("columns '{}': expected numbers from 1 and ranges such as 1,2 or 1-3,5", text);
  return std::vector<size_t>(numbers->begin(), numbers->end());
}

std::string learners_help() {
  std::string out = "Tasks, and the learners that learn them:\n";
  for (const model::Task& task : model::all_tasks()) {
    out += "  ";
    append_wrapped(fmt::format("{}: {}; {}", task.name, task.summary, fmt::join(task.learners, ", ")), 4,
                   out);
  }
  out += "\nLearners and their parameters (-p name=value), with defaults:\n";
  for (const model::LearnerSpec* const learner : model::learners()) {
    out += "  ";
    append_wrapped(fmt::format("{}: {}", learner->name(), learner->traits().summary), 2, out);
    std::vector<model::Parameter> own;
    for (const model::Parameter& p : learner->parameters())
      if (!in_every_learner(p.name)) own.push_back(p);
    append_parameters(own, out);
  }
  out += "  every learner:\n";
  std::vector<model::Parameter> common;
  for (const model::Parameter& p : model::learners().front()->parameters())
    if (in_every_learner(p.name)) common.push_back(p);
  append_parameters(common, out);
  return out;
}

}  // namespace espalier::apps
