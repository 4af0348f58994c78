// Daumé, Langford and Marcu 2009, section 6.1.8: the order in which a search decides.
#include <algorithm>
#include <string>
#include <vector>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/label_scheme.h"
#include "espalier/eval/significance.h"
#include "research/experiments.h"
#include "research/searn/searn_runs.h"
#include "research/searn/searn_table.h"

namespace espalier::research {

namespace {

/// IOB2 labels of a sentence, as they are when it is read back to front.
std::vector<std::string> flipped(std::span<const std::string_view> labels) {
  std::vector<data::Span> spans = data::spans(labels, data::Scheme::kIob2);
  std::reverse(spans.begin(), spans.end());
  for (data::Span& span : spans) span = {labels.size() - span.last, labels.size() - span.first, span.type};
  return data::encode(spans, labels.size(), data::Scheme::kIob2);
}

/// Writes a file of words, tags and labels with every sentence back to front. What decides chunks from left
/// to right then decides them from right to left.
Result<std::string> back_to_front(const std::string& file, const std::string& name,
                                  const TemporaryDirectory& folder) {
  ESPALIER_ASSIGN(const std::vector<data::Sequence> all, data::read_all({file}, {}));
  std::string text;
  std::vector<std::string_view> labels;
  for (const data::Sequence& sentence : all) {
    labels.clear();
    for (size_t t = 0; t < sentence.length(); ++t) labels.push_back(sentence.label(t));
    const std::vector<std::string> turned = flipped(labels);
    for (size_t t = 0; t < sentence.length(); ++t) {
      const size_t from = sentence.length() - 1 - t;
      text += fmt::format("{} {} {}\n", sentence.cell(from, 0), sentence.cell(from, 1), turned[t]);
    }
    text += "\n";
  }
  return folder.write(name, text);
}

/// How many tokens only the first of two outputs gets right, and how many only the second; the second may be
/// of sentences back to front.
Result<eval::Discordance> discordance(const SearnRun& run, const SearnOutcome& first,
                                      const SearnOutcome& second, bool second_is_turned) {
  ESPALIER_ASSIGN(const Corpus test, Corpus::read(run.test, run.test_reading));
  eval::Discordance found;
  std::vector<std::string_view> by_first, by_second;
  size_t at = 0;
  for (size_t s = 0; s < test.size(); ++s) {
    by_first.clear();
    by_second.clear();
    const std::vector<std::string> gold = test[s].labels;
    for (size_t t = 0; t < gold.size(); ++t, ++at) {
      by_first.push_back(first.predicted[0][at]);
      by_second.push_back(second.predicted[0][at]);
    }
    std::vector<std::string> turned;
    if (second_is_turned) {
      turned = flipped(by_second);
      by_second.assign(turned.begin(), turned.end());
    }
    found.add(std::vector<std::string_view>(gold.begin(), gold.end()), by_first, by_second);
  }
  return found;
}

/// Made-up sequences in which only the last token tells the label of all: what a search from the right sees
/// at once and one from the left never does.
Status check_directions(const Request& request, Report& report) {
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  std::string text;
  for (int i = 0; i < 60; ++i)
    for (const char* label : {"a", "b"}) text += fmt::format("x {0}\nx {0}\nx {0}\nlast-{0} {0}\n\n", label);
  SearnRun run;
  run.learner = "searn";
  run.train = run.test = folder.write("made.txt", text);
  run.template_file = folder.write("template", "U00:%x[0,0]\n");
  std::vector<double> accuracy;
  for (const char* order : {"left-to-right", "right-to-left"}) {
    run.settings = {"history=1", "passes=5", fmt::format("direction={}", order)};
    ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run));
    accuracy.push_back(outcome.scores.accuracy());
  }
  report.check("where only the last token tells, right to left is right and left to right is not",
               accuracy[0] < 75 && accuracy[1] == 100,
               fmt::format("{:.1f} from the right, {:.1f} from the left", accuracy[1], accuracy[0]));
  return {};
}

/// Left to right against another order, with the paper's claim that it makes no significant difference.
struct OrderPair {
  std::string row;
  SearnRun forward;
  const SearnOutcome& by_forward;
  const SearnOutcome& by_other;
  const char* order;
  bool turned = false;     ///< the sentences of the other order are back to front
  std::string cause = {};  ///< empty: the paper has no such order
};
Status compare_orders(const OrderPair& pair, const Request& request, Report& report) {
  ESPALIER_ASSIGN(const eval::Discordance tokens,
                  discordance(pair.forward, pair.by_forward, pair.by_other, pair.turned));
  const double p = eval::mcnemar_exact(tokens);
  report.add(pair.row, fmt::format("{} against left-to-right, p", pair.order), std::nullopt, p);
  if (request.quick || pair.cause.empty()) return {};
  const double difference = pair.by_other.scores.accuracy() - pair.by_forward.scores.accuracy();
  report.claim(pair.row + ": left to right and right to left do not differ significantly", p >= 0.05,
               fmt::format("{:+.2f} points from the right, p = {:.2g}", difference, p), pair.cause);
  return {};
}

void add_order(const std::string& row, const char* order, std::optional<double> paper, bool printed,
               const SearnOutcome& outcome, Report& report) {
  report.add(row, order, paper, outcome.scores.accuracy()).printed(printed);
  report.add(row, fmt::format("{} F1", order), std::nullopt, outcome.scores.f1()).printed(printed);
  report.add(row, fmt::format("{} sentences", order), std::nullopt, outcome.scores.sequence_accuracy())
      .printed(printed);
}

}  // namespace

Result<Report> searn_order(const Request& request) {
  Report report;
  report.set("data", request.quick ? "Spanish entities, 100 sentences" : "Spanish entities, all sentences");
  report.set("measure", "token accuracy on testb, compared with the paper's");
  report.set(
      "unit=chunk",
      "chunk by chunk with F1 as the loss, as the paper does; from the right: sentences back to front");
  report.set("unit=word", "word by word, Hamming loss, labels in IOB2 from either side");
  report.depart("our default features, which are more than those of section 6.1.2");
  report.depart(kInsteadOfLists);
  ESPALIER_TRY(check_directions(request, report));
  const std::string passes = request.quick ? "passes=2" : "passes=5";
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  SearnRun by_chunk = entities_run(request, "searn", {passes, "iterations=2", "beam=10", "names=no"});
  by_chunk.task = "segment";
  by_chunk.keep_labels = true;
  SearnRun turned = by_chunk;
  ESPALIER_ASSIGN(turned.train, back_to_front(by_chunk.train, "train.txt", folder));
  ESPALIER_ASSIGN(turned.test, back_to_front(by_chunk.test, "test.txt", folder));
  for (const std::string classifier : {"perceptron", "logistic"}) {
    const bool first = classifier == "perceptron";
    const std::string row = "searn unit=chunk classifier=" + classifier;
    SearnRun left = by_chunk, right = turned;
    for (SearnRun* run : {&left, &right}) run->settings.push_back("classifier=" + classifier);
    ESPALIER_ASSIGN(const SearnOutcome forward, train_and_score(request, left));
    ESPALIER_ASSIGN(const SearnOutcome backward, train_and_score(request, right));
    add_order(row, "left-to-right", first ? 97.67 : 98.17, true, forward, report);
    add_order(row, "right-to-left", first ? 97.40 : 97.98, true, backward, report);
    ESPALIER_TRY(compare_orders({row, left, forward, backward, "right-to-left", true,
                                 "McNemar's test over tokens is stricter than a test over sentences"},
                                request, report));
  }
  for (const std::string classifier : {"perceptron", "logistic"}) {
    std::optional<SearnOutcome> forward;
    const std::string row = "searn unit=word classifier=" + classifier;
    for (const char* order : {"left-to-right", "right-to-left", "easiest-first"}) {
      SearnRun run = entities_run(
          request, "searn",
          {passes, "iterations=3", "classifier=" + classifier, fmt::format("direction={}", order)});
      run.keep_labels = true;
      ESPALIER_ASSIGN(SearnOutcome outcome, train_and_score(request, run));
      add_order(row, order, std::nullopt, false, outcome, report);
      if (!forward) {
        forward = std::move(outcome);
        continue;
      }
      const bool from_right = std::string_view(order) == "right-to-left";
      ESPALIER_TRY(
          compare_orders({row, run, *forward, outcome, order, false,
                          from_right ? "in IOB2 the first word of an entity says that one begins; from the "
                                       "right, its last word must be recognised without that"
                                     : ""},
                         request, report));
    }
  }
  report.notes.push_back(
      "p is from McNemar's exact test over tokens, which assumes that they are independent.");
  return report;
}

}  // namespace espalier::research
