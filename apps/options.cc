#include "apps/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "apps/terminal.h"
#include "apps/whole_number.h"

namespace espalier::apps {

void ColumnFlags::add_to(CLI::App& verb) {
  verb.add_option("--separator", separator, "the character between columns, or tab [blanks and tabs]")
      ->type_name("C");
  verb.add_option("--comment", comment, "in columns, lines that start with this are comments [none]")
      ->type_name("TEXT");
}

void ReadingFlags::add_to(CLI::App& verb) {
  verb.add_option("--format", format,
                  "columns, crfsuite, conllu, letters, jsonl, scores [by the name, or columns]")
      ->type_name("F");
  verb.add_option("--label-column", label_column,
                  "column of the label: from 1, or -1 for the last [last];\nin CoNLL-U also a name such as "
                  "deprel [upos]; several for --task joint: 2,3")
      ->type_name("C");
  verb.add_option("--folds", folds, "only these folds, such as 1-9, if the data has folds (letters, jsonl)")
      ->type_name("LIST");
  verb.add_option("--encoding", encoding, "utf-8, latin1 or bytes [utf-8]")->type_name("E");
  columns.add_to(verb);
}

ReadOptions ReadingFlags::resolve() const {
  ReadOptions options;
  options.format = format;
  options.label_column = label_column;
  if (!head_column.empty())
    options.label_column = label_column.empty() ? head_column : head_column + "," + label_column;
  options.folds = folds;
  options.encoding = encoding;
  options.separator = columns.separator;
  options.comment = columns.comment;
  return options;
}

void TrainingFlags::add_to(CLI::App& verb) {
  verb.add_option("-t,--template", template_file,
                  "features: a template of CRF++ or Wapiti, or of a parser [words, affixes, shape]")
      ->type_name("FILE");
  add_repeated_option(verb, "--lexicon", lexicons,
                      "a list of names or words whose entries become features; may be repeated", "FILE");
  add_repeated_option(verb, "--word-classes", word_classes,
                      "classes of words as features (espalier classes, or Brown paths); may be repeated",
                      "FILE");
  verb.add_option("--task", task, "what is predicted, see below [label]")->type_name("T");
  verb.add_option("--learner", learner, "how it is learned, see below [the first learner of the task]")
      ->type_name("L");
  add_repeated_option(verb, "-p,--parameter", settings,
                      "a parameter of the learner; espalier help LEARNER lists them", "NAME=VALUE");
  verb.add_option("--head-column", reading.head_column,
                  "task parse: column of the heads; --label-column is that of relations")
      ->type_name("C");
  verb.add_option("--feature-columns", feature_columns,
                  "columns that features may use, the first is the word [all but the label]")
      ->type_name("LIST");
  verb.add_option("--constraints", constraints,
                  "train under these constraints, which the model stores; not all learners can")
      ->type_name("FILE");
  add_repeated_option(verb, "--parser", parsers,
                      "task summary, unit=word: a parser, after taggers it needs; may be repeated", "MODEL");
  verb.add_flag("--allow-contradictions", allow_contradictions,
                "train even if most sequences break the constraints");
  add_seed_option(verb, seed, "the same seed gives the same model [1]");
  add_threads_option(verb, threads);
  reading.add_to(verb);
}

Result<TrainOptions> TrainingFlags::resolve() const {
  TrainOptions options;
  if (!reading.head_column.empty() && task != "parse") return fail("--head-column needs --task parse");
  options.task = task;
  options.learner.name = learner;
  ESPALIER_ASSIGN(options.learner.settings, parse_settings(settings));
  if (!feature_columns.empty()) {
    ESPALIER_ASSIGN(options.feature_columns, parse_columns(feature_columns));
  }
  if (allow_contradictions && constraints.empty())
    return fail("--allow-contradictions has no effect without --constraints");
  options.allow_contradictions = allow_contradictions;
  options.parsers = parsers;
  options.seed = seed;
  options.threads = threads;
  options.ranks = ranks_of_this_process();
  return options;
}

std::vector<std::string> TrainingFlags::files() const {
  std::vector<std::string> all = {template_file, constraints};
  all.insert(all.end(), lexicons.begin(), lexicons.end());
  all.insert(all.end(), word_classes.begin(), word_classes.end());
  return all;
}

Status TrainingFlags::read_files(TrainOptions& options) const {
  if (!template_file.empty()) {
    ESPALIER_ASSIGN(options.feature_template, read_text(template_file));
    options.template_name = template_file;
  }
  for (const std::string& file : lexicons) {
    ESPALIER_ASSIGN(std::string text, read_text(file));
    options.lexicons.push_back({file, std::move(text)});
  }
  for (const std::string& file : word_classes) {
    ESPALIER_ASSIGN(std::string text, read_text(file));
    options.word_classes.push_back({file, std::move(text)});
  }
  if (!constraints.empty()) {
    ESPALIER_ASSIGN(options.constraints, Constraints::read(constraints));
  }
  return {};
}

void DecodeFlags::add_to(CLI::App& verb, bool with_why) {
  verb.add_option(
          "--constraints", constraints,
          "obey the constraints in this file (docs/constraints.md); none: no\nconstraints [those that the "
          "model was trained with]")
      ->type_name("FILE");
  verb.add_option(
          "--decoder", decoder,
          "viterbi: the best whole labelling; posterior: the most probable\nlabel of each token; under "
          "constraints also ilp (integer program) and\nbeam; searches: greedy, beam or best-first; auto: "
          "as the model was\nmade, or what the constraints or the search need [auto]")
      ->type_name("D");
  add_number_option(verb, "--beam", beam,
                    "labellings that --decoder beam or best-first keeps [16; for a search\nas in training]",
                    1, 1000000);
  verb.add_option("--time-limit", seconds, "seconds per sequence under constraints [10]")
      ->type_name("S")
      ->check(above_zero());
  verb.add_flag("--strict", strict, "a sequence that cannot satisfy the constraints is an error");
  verb.add_flag("--verbose", verbose, "say how each constraint is decoded");
  if (with_why)
    verb.add_flag("--why", why, "report which constraint changed which token, and its cost in score");
}

Status DecodeFlags::check(bool trained_with_constraints) const {
  const bool remembered = trained_with_constraints && constraints.empty() && decoder != "posterior";
  const bool constrained = remembered || (!constraints.empty() && constraints != "none");
  if (seconds && !constrained)
    return fail("--time-limit needs constraints: --constraints FILE, or a model trained with some");
  return {};
}

bool DecodeFlags::any() const {
  return !constraints.empty() || decoder != "auto" || beam > 0 || seconds || why || strict || verbose;
}

Result<DecodeOptions> DecodeFlags::resolve() const {
  DecodeOptions options;
  if (constraints == "none") {
    options.unconstrained = true;
  } else if (!constraints.empty()) {
    ESPALIER_ASSIGN(options.constraints, Constraints::read(constraints));
  }
  options.strict = strict;
  options.why = why;
  if (seconds) options.time_limit = *seconds;
  options.decoder = decoder;
  options.beam = beam;
  return options;
}

void OutputFlags::add_to(CLI::App& verb) {
  verb.add_flag("--json", json, "print one JSON object instead");
  verb.add_flag("-q,--quiet", quiet, "print errors only: no progress, no messages");
}

void add_repeated_option(CLI::App& verb, const std::string& names, std::vector<std::string>& values,
                         const std::string& help, const std::string& type) {
  verb.add_option(names, values, help)->type_name(type)->allow_extra_args(false);
}

void add_model_option(CLI::App& verb, std::string& model) {
  verb.add_option("-m,--model", model, "the model file")->type_name("MODEL")->required();
}

void add_input_format_option(CLI::App& verb, std::string& format) {
  verb.add_option(
          "--input-format", format,
          "columns, crfsuite, conllu, letters, jsonl or scores [by the name of the\nfile, otherwise that of "
          "the model]")
      ->type_name("F");
}

void add_keep_going_flag(CLI::App& verb, bool& keep_going) {
  verb.add_flag(
      "--keep-going", keep_going,
      "report each sequence that cannot be read or labelled, leave it\nout and go on; the exit status is 1 "
      "then");
}

void add_threads_option(CLI::App& verb, int& threads) {
  add_number_option(verb, "--threads", threads, "threads to work with; 0 takes every core [0]", 0, 1024);
}

Result<Settings> parse_settings(const std::vector<std::string>& texts) {
  Settings settings;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return fail("parameter '{}': expected name=value", text);
    settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

Result<std::vector<size_t>> parse_columns(std::string_view text) {
  std::vector<size_t> columns;
  const auto wrong = [&] {
    return fail("columns '{}': expected numbers from 1 and ranges such as 1,2 or 1-3,5", text);
  };
  constexpr double kMost = 100000;
  std::string_view rest = text;
  while (true) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const size_t dash = item.find('-');
    const auto first = parse_number(item.substr(0, dash));
    const auto last = dash == item.npos ? first : parse_number(item.substr(dash + 1));
    if (!first.ok() || !last.ok() || *first < 1 || *last < *first || *last > kMost ||
        *first != std::floor(*first) || *last != std::floor(*last))
      return wrong();
    for (auto c = static_cast<size_t>(*first); c <= static_cast<size_t>(*last); ++c) columns.push_back(c);
    if (item.size() == rest.size()) break;
    rest.remove_prefix(item.size() + 1);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

namespace {
std::string searches_text(size_t count) { return count == 1 ? "1 search" : count_text(count) + " searches"; }
}  // namespace

void tell_outcomes(const Outcomes& rules, const Searches& searches, bool all) {
  if (rules.infeasible > 0)
    say(
        fmt::format("espalier: warning: {} of {} cannot satisfy the constraints{}; their labelling "
                    "breaks as few as possible",
                    rules.infeasible, counted(rules.total(), "sequence"),
                    rules.example.empty() ? "" : fmt::format(" (in conflict: {})", rules.example)));
  if (rules.out_of_time > 0)
    say(
        fmt::format("espalier: warning: {} of {} would take longer than the time limit; a shorter search "
                    "found a labelling that satisfies the constraints but may not be the best",
                    rules.out_of_time, counted(rules.total(), "sequence")));
  if (rules.none_in_time > 0)
    say(
        fmt::format("espalier: warning: for {} of {} no labelling that satisfies the constraints was found "
                    "within the time limit (--time-limit) and the beam (--beam), though there may be one; "
                    "their labelling breaks as few as were found",
                    rules.none_in_time, counted(rules.total(), "sequence")));
  if (rules.approximate > 0)
    say(fmt::format(
        "espalier: not decoded exactly: {} of {} (by a beam or another search, or after the filters of a "
        "cascade were loosened); these labellings satisfy the constraints but may not be the best",
        rules.approximate, counted(rules.total(), "sequence")));
  if (all && searches.total() > 0)
    say(fmt::format("espalier: {}: {} exact, {} approximate, {} out of steps",
                    searches_text(searches.total()), searches.exact, searches.approximate,
                    searches.out_of_steps));
  if (searches.out_of_steps > 0)
    say(
        fmt::format("espalier: warning: best-first search ran out of steps for {} of {}; a "
                    "breadth-first search with the same beam was used instead",
                    searches.out_of_steps, counted(searches.total(), "sequence")));
}

}  // namespace espalier::apps
