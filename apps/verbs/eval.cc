// espalier eval: scores a model on labelled data. Tested in verbs_test.sh and input_test.sh.
#include <algorithm>
#include <iterator>
#include <memory>
#include <sstream>

#include "apps/command.h"
#include "apps/long_work.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"

namespace espalier::apps {
namespace {

constexpr const char* kEvalHelp =
    R"(Score a model on labelled data

Prints what conlleval prints (accuracy of tokens; precision, recall and F1 of chunks, for labels such as B-NP I-NP O),
then whole sequences and the most frequent confusions. Tokens with the gold label _ are not counted; a label that the model
has never seen counts as an error.)";

constexpr const char* kEvalExamples = R"(Examples:
  espalier eval test.txt -m chunks.model
  espalier eval test.txt -m chunks.model --calibration --json
  espalier eval letter.data.gz -m letters.model --folds 0
  espalier tag test.txt -m chunks.model | espalier eval --columns -
For task roles: accuracy over candidates, argument-type accuracy over the gold arguments among them, precision, recall
and F1 of arguments, and in how many predicates no constraint is broken. For task parse: heads and relations (UAS, LAS, CLAS). For task
summary: ROUGE-1, -2, -L and -SU4, the mean over sets that leave out one reference each.
--json prints sequences, tokens, accuracy, sequence_accuracy, precision, recall, f1 (in percent), by_label, seconds,
tokens_per_second, confusions and calibration; for a model of several label columns also joint: the scores of each
column, and the labels, tokens and sequences that are right in all columns. The other figures are for the last column.)";

struct EvalFlags {
  std::vector<std::string> test;
  std::string model;
  std::vector<std::string> columns;
  std::string folds;
  std::string input_format;
  std::string encoding;
  ColumnFlags split;
  bool keep_going = false;
  std::string check_constraints;
  bool calibration = false;
  std::string stemmer, stopwords;
  int threads = 0;
  DecodeFlags decode;
  OutputFlags output;
};

ReadOptions reading_of(const EvalFlags& flags) {
  ReadOptions reading;
  if (!flags.encoding.empty()) reading.encoding = flags.encoding;
  reading.format = flags.input_format;
  reading.folds = flags.folds;
  reading.separator = flags.split.separator;
  reading.comment = flags.split.comment;
  return reading;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

/// Says which gold labels the model cannot give, the most frequent first.
void tell_unknown_labels(std::vector<std::pair<std::string, size_t>> labels, size_t tokens) {
  if (labels.empty()) return;
  std::stable_sort(labels.begin(), labels.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr size_t kNamed = 10, kLongest = 40;
  size_t all = 0;
  std::vector<std::string> names;
  for (const auto& [label, count] : labels) {
    all += count;
    if (names.size() < kNamed) names.push_back(fmt::format("{} ({})", cut(label, kLongest), count));
  }
  if (labels.size() > kNamed) names.push_back(fmt::format("and {} more", labels.size() - kNamed));
  say(fmt::format("espalier: warning: {} of {} {} a label that the model has never seen, and {}: {}", all,
                  counted(tokens, "token"), all == 1 ? "has" : "have",
                  all == 1 ? "counts as an error" : "count as errors", joined(names, ", ")));
}

/// Says so if the last two columns can hardly be labels, as in files with confidences.
void tell_odd_columns(const Scores& scores) {
  const auto is_fraction = [](const LabelScores& label) {
    return label.label.find('.') != std::string::npos && parse_number(label.label).ok();
  };
  const auto fractions =
      static_cast<size_t>(std::count_if(scores.by_label.begin(), scores.by_label.end(), is_fraction));
  if (scores.tokens == 0 || (scores.accuracy > 0 && 2 * fractions <= scores.by_label.size())) return;
  say(fmt::format("espalier: warning: {} in the last two columns; are they the gold and the predicted label?",
                  scores.accuracy > 0 ? "there are numbers" : "no token has the same label"));
}

Status check(const EvalFlags& flags) {
  const bool with_model = !flags.test.empty() || !flags.model.empty();
  if (with_model == !flags.columns.empty())
    return fail("give either TEST and -m MODEL, or --columns FILE with gold and predicted labels");
  if (with_model && flags.test.empty()) return fail("the file to score on, TEST, is missing");
  if (with_model && flags.model.empty()) return fail("-m MODEL is missing");
  if (!with_model && (flags.calibration || !flags.folds.empty()))
    return fail("--calibration and --folds need a model, but --columns uses none");
  if (!with_model && (flags.keep_going || !flags.input_format.empty()))
    return fail("--keep-going and --input-format need a model, but --columns uses none");
  if (!with_model && (!flags.stemmer.empty() || !flags.stopwords.empty()))
    return fail("--stemmer and --stopwords need a model, but --columns uses none");
  if (!with_model && (flags.decode.any() || !flags.check_constraints.empty()))
    return fail(
        "--constraints, --check-constraints, --decoder, --beam, --time-limit, --strict and --verbose need a "
        "model, but --columns uses none");
  return check_options(reading_of(flags));
}

Outcome run(const EvalFlags& flags) {
  if (const Status status = check(flags); !status.ok()) return usage_error(status.error());
  std::optional<Scores> scores;
  size_t bad = 0;
  if (!flags.columns.empty()) {
    ESPALIER_ASSIGN(scores, evaluate_columns(flags.columns, reading_of(flags)));
    if (!flags.output.quiet) tell_odd_columns(*scores);
  } else {
    ESPALIER_ASSIGN(const Tagger tagger, Tagger::open(flags.model));
    EvaluateOptions options;
    if (const Status status = flags.decode.check(tagger.info().constrained); !status.ok())
      return usage_error(status.error());
    ESPALIER_ASSIGN(options.decode, flags.decode.resolve());
    if (!flags.check_constraints.empty()) {
      ESPALIER_ASSIGN(options.check_rules, Constraints::read(flags.check_constraints));
    }
    options.calibration = flags.calibration;
    options.rouge_stemmer = flags.stemmer;
    if (!flags.stopwords.empty()) {
      ESPALIER_ASSIGN(const std::string text, read_text(flags.stopwords));
      options.rouge_stopwords = words_of(text);
    }
    options.threads = flags.threads;
    if (const Status status = check_options(tagger, options); !status.ok())
      return usage_error(status.error());
    const Files test{flags.test, reading_of(flags)};
    if (!flags.output.quiet) warn_of_repeats(flags.test);
    LongWork work(flags.output.quiet);
    work.watch(options);
    if (flags.keep_going)
      options.on_bad_sequence = [&](const Error& error) {
        work.display().clear();
        say("espalier: " + shortened_message(error.message));
        ++bad;
      };
    auto found = evaluate(tagger, test, options);
    if (auto outcome = work.interrupted("interrupted before everything was scored")) return *outcome;
    if (!found) return found.error();
    scores = std::move(*found);
    if (!flags.output.quiet) {
      if (flags.decode.verbose && !scores->how_rules_are_decoded.empty()) say(scores->how_rules_are_decoded);
      tell_outcomes(scores->rules, scores->searches, flags.decode.verbose);
      tell_unknown_labels(scores->unknown_labels, scores->tokens);
    }
  }
  if (flags.output.json) {
    ESPALIER_TRY(print(scores->json() + "\n"));
  } else {
    ESPALIER_TRY(print(fmt::format("{}\ntime: {}, {} tokens per second\n", scores->report(),
                                   duration_text(scores->seconds),
                                   count_text(static_cast<size_t>(scores->tokens_per_second)))));
  }
  if (bad > 0) return fail("{} left out because of the errors above", counted(bad, "sequence"));
  return {};
}

}  // namespace

void add_eval(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<EvalFlags>(app, action, "eval", kEvalHelp, run);
  verb.add_option("TEST", flags.test, "labelled files")->type_name("");
  verb.add_option("-m,--model", flags.model, "the model file")->type_name("MODEL");
  add_repeated_option(
      verb, "--columns", flags.columns,
      "score this file, whose last two columns are the gold and the\npredicted label; no model is needed",
      "FILE");
  verb.add_flag("--calibration", flags.calibration,
                "also measure how well confidences match accuracy (takes longer)");
  verb.add_option("--stemmer", flags.stemmer,
                  "task summary: words with the same stem are the same: porter, english,\nfrench and others "
                  "[no stems]")
      ->type_name("LANGUAGE");
  verb.add_option("--stopwords", flags.stopwords, "task summary: words in this file do not count")
      ->type_name("FILE");
  flags.decode.add_to(verb, /*with_why=*/false);
  verb.add_option("--check-constraints", flags.check_constraints,
                  "count the sequences that break none of these constraints, without\ndecoding under them "
                  "[those of --constraints, or of the model]")
      ->type_name("FILE");
  verb.add_option("--folds", flags.folds, "only these folds, if the data has folds")->type_name("LIST");
  add_input_format_option(verb, flags.input_format);
  verb.add_option("--encoding", flags.encoding, "utf-8, latin1 or bytes [that of the model]")->type_name("E");
  flags.split.add_to(verb);
  add_keep_going_flag(verb, flags.keep_going);
  add_threads_option(verb, flags.threads);
  flags.output.add_to(verb);
  verb.footer(kEvalExamples);
}

}  // namespace espalier::apps
