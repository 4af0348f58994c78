#include "apps/verbs/report_options.h"

#include <CLI/CLI.hpp>

#include "apps/terminal.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kModelReportHelp =
    R"(Write a page that shows what a model gets right and wrong, or how two models differ

One HTML file that needs no network: scores per label with intervals, confusions, calibration, coverage, scores by length
and by how rare words are, errors as text with spans marked (boundary, type, missed, invented; the most confident first), and
with a second -m what differs, with significance. Of a parser: scores per relation, and trees as arcs, wrong ones marked. Of a
summariser: ROUGE, and the documents with the chosen words marked.)";

constexpr const char* kModelReportExamples = R"(Examples:
  espalier report test.txt -m chunks.model -o report.html
  espalier report test.txt -m a.model -m b.model --train train.txt -o report.html
  espalier train train.txt -m a.model --dev dev.txt --json >a.json
  espalier report test.txt -m a.model --log a.json -o report.html)";

constexpr const char* kCompareHelp =
    R"(Find out which learner and settings suit your data

Trains each candidate (learners, tasks, a few settings) on the same folds of TRAIN, or on all of it where there is --dev, and
prints a table: score with interval, difference to the best with its p-value, seconds of training, tokens per second when
tagging, peak memory of a training process, size of the model, share of sequences whose labels obey their scheme. Then it says
which one to take, and the command that trains it. With --time-budget, all candidates are trained on an eighth of the data, the
better ones on a quarter, and so on (successive halving). Nothing is chosen on --test: it is scored once, at the end.
The same seed without a time budget gives the same scores. The first Ctrl-C prints what is known by then.)";

constexpr const char* kCompareExamples = R"(Examples:
  espalier compare train.txt --time-budget 10m
  espalier compare train.txt --dev dev.txt --learners crf,cascade,svm -o compare.html
  espalier compare train.txt --learners all --work compared --time-budget 2h
  espalier compare train.txt --learners crf --grid l2=0.1,1,10 --grid dropout=0,0.3 --learning-curve)";

}  // namespace

Result<double> CompareFlags::seconds() const {
  if (budget.empty()) return 0.0;
  std::string_view number = budget;
  double unit = 1;
  switch (budget.back()) {
    case 's':
      number.remove_suffix(1);
      break;
    case 'm':
      unit = 60;
      number.remove_suffix(1);
      break;
    case 'h':
      unit = 3600;
      number.remove_suffix(1);
      break;
    default:
      break;
  }
  const auto value = parse_number(number);
  if (!value.ok() || !(*value > 0) || *value > 1e7)
    return fail("--time-budget '{}': expected seconds, or a number with s, m or h such as 90s, 10m, 2h",
                budget);
  return *value * unit;
}

std::shared_ptr<ModelReportFlags> add_report_options(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("report", kModelReportHelp);
  const auto flags = std::make_shared<ModelReportFlags>();
  verb.add_option("TEST", flags->test, "labelled files")->type_name("")->required();
  verb.add_option("-m,--model", flags->models, "the model; twice to compare two")
      ->type_name("MODEL")
      ->required()
      ->allow_extra_args(false);
  verb.add_option("-o,--output", flags->out, "the page")->type_name("FILE")->required();
  add_repeated_option(verb, "--train", flags->train,
                      "the training data, which tells how rare words are; may be repeated", "FILE");
  add_repeated_option(
      verb, "--log", flags->logs,
      "what train --json printed, for the curve of the training; once per\nmodel, in their order", "FILE");
  verb.add_option("--title", flags->title, "of the page [the names of models and data]")->type_name("TEXT");
  add_number_option(verb, "--errors", flags->errors, "errors shown of each kind [60]", 0, 100000);
  add_input_format_option(verb, flags->input_format);
  verb.add_option("--folds", flags->folds, "only these folds of TEST, if the data has folds")
      ->type_name("LIST");
  verb.add_option("--encoding", flags->encoding, "utf-8, latin1 or bytes [that of the model]")
      ->type_name("E");
  add_seed_option(verb, flags->seed, "of the intervals [1]");
  add_threads_option(verb, flags->threads);
  verb.add_flag("-q,--quiet", flags->quiet, "print errors only: no progress, no messages");
  verb.footer(kModelReportExamples);
  return flags;
}

std::shared_ptr<CompareFlags> add_compare_options(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("compare", kCompareHelp);
  const auto flags = std::make_shared<CompareFlags>();
  verb.add_option("TRAIN", flags->train, "files to train on")->type_name("")->required();
  add_repeated_option(verb, "--dev", flags->dev,
                      "score candidates on this file, not on folds; may be repeated", "FILE");
  add_repeated_option(verb, "--test", flags->test,
                      "score what is recommended on this file, once, at the end; may be\nrepeated", "FILE");
  verb.add_option("--learners", flags->learners,
                  "names with commas between, or all [those worth trying first]")
      ->type_name("LIST");
  add_repeated_option(
      verb, "--grid", flags->grid,
      "also try these settings: l2=0.1,1,10 of every learner that has the\nparameter, crf:l2=0.1,1 of "
      "one; may be repeated for combinations",
      "[LEARNER:]NAME=VALUES");
  verb.add_option("--time-budget", flags->budget,
                  "such as 90s, 10m or 2h [none: everything is measured in full]")
      ->type_name("TIME");
  verb.add_flag(
      "--learning-curve", flags->learning_curve,
      "also measure what is recommended on parts of the data, to see\nwhether more data would help");
  add_number_option(verb, "-k,--k", flags->folds, "folds, drawn with the seed [5]", 2, 200);
  verb.add_option("-o,--output", flags->out, "also write the comparison as a page")->type_name("FILE");
  verb.add_option("--work", flags->work,
                  "keep measurements in this folder: the same command goes on from there")
      ->type_name("DIR");
  verb.add_flag("--list", flags->list, "print the candidates, train nothing");
  verb.add_option("-t,--template", flags->template_file, "features, as for train")->type_name("FILE");
  verb.add_option("--feature-columns", flags->feature_columns, "columns that features may use, as for train")
      ->type_name("LIST");
  add_seed_option(verb, flags->seed, "of folds, training and intervals [1]");
  add_threads_option(verb, flags->threads);
  flags->reading.add_to(verb);
  flags->output.add_to(verb);
  verb.footer(kCompareExamples);
  return flags;
}

}  // namespace espalier::apps
