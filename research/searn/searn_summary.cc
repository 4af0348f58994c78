// Daumé, Langford and Marcu 2009, section 6.2 and Table 2: summaries by extraction and by vine growth.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "espalier/base/files/input.h"
#include "espalier/data/formats/lines.h"
#include "espalier/model/sentence_models.h"
#include "espalier/tasks/summary/summary_oracle.h"
#include "research/experiments.h"
#include "research/public_run.h"
#include "research/searn/summary_baselines.h"

namespace espalier::research {
namespace {

constexpr std::string_view kTable2 =
    "the paper's Table 2 as cited elsewhere; the text at hand has lost its numbers";
constexpr size_t kOracleBeam = 20;
constexpr int kFolds = 10;

struct SummaryCorpus {
  std::string name;
  std::vector<std::string> files;
  std::string stemmer, rouge_stemmer;
  bool trees = true;  ///< there is a treebank of its language
};

/// A line of Table 2: figures for 100 and 250 words, and whether the paper's text holds them.
struct SummaryLine {
  std::string row;
  double words_100, words_250;
  bool in_text_100 = false;
};
const SummaryLine kSummaryLines[] = {{"oracle unit=word", .0729, .1351},
                                     {"oracle unit=sentence", .0362, .0809, true},
                                     {"searn unit=word", .0415, .0824},
                                     {"searn unit=sentence", .0345, .0767, true},
                                     {"lead", .0181, .0403}};

/// A cluster, its line with trees if they were asked for, and its fold.
struct SummaryCase {
  tasks::Cluster cluster;
  std::string line;
  int fold = 0;
};

/// The line with tokens, tags and trees in the place of text.
std::string line_with_trees(const std::string& line, const tasks::Cluster& cluster) {
  nlohmann::json out = nlohmann::json::parse(line);
  for (const tasks::ClusterSentence& sentence : cluster.sentences) {
    nlohmann::json object;
    for (const char* key : {"tokens", "tags", "heads", "relations"}) object[key] = nlohmann::json::array();
    for (uint32_t t = sentence.first; t < sentence.last; ++t) {
      object["tokens"].push_back(cluster.tokens[t].text);
      object["tags"].push_back(cluster.tokens[t].tag);
      object["heads"].push_back(cluster.tokens[t].head);
      object["relations"].push_back(cluster.tokens[t].relation);
    }
    out["docs"][sentence.document]["sents"][sentence.number] = std::move(object);
  }
  return out.dump();
}

Result<std::vector<SummaryCase>> read_cases(const Request& request, const SummaryCorpus& corpus, size_t most,
                                            const model::SentenceModels* sentences) {
  std::vector<SummaryCase> out;
  for (const std::string& file : corpus.files) {
    ESPALIER_ASSIGN(const std::string text, read_text_file(request.corpus("summarization/" + file)));
    for (size_t begin = 0; begin < text.size() && (most == 0 || out.size() < most);) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      SummaryCase one;
      one.line = text.substr(begin, end - begin);
      begin = end + 1;
      if (one.line.empty()) continue;
      ESPALIER_ASSIGN(one.cluster, tasks::parse_cluster(one.line, file));
      out.push_back(std::move(one));
    }
  }
  const Workers workers(request.threads);
  std::vector<Status> status(out.size());
  if (sentences != nullptr)
    workers.for_each(out.size(), [&](size_t i) {
      status[i] = sentences->annotate(out[i].cluster);
      if (!status[i].ok()) return;
      out[i].line = line_with_trees(out[i].line, out[i].cluster);
      auto again = tasks::parse_cluster(out[i].line, "with trees");
      if (again.ok()) {
        out[i].cluster = std::move(again).value();
      } else {
        status[i] = again.error();
      }
    });
  for (const Status& one : status) ESPALIER_TRY(one);
  std::vector<uint32_t> order(out.size());
  std::iota(order.begin(), order.end(), 0);
  Random(request.seed).split(0x501D).shuffle(std::span<uint32_t>(order));
  for (size_t i = 0; i < order.size(); ++i) out[order[i]].fold = static_cast<int>(i % kFolds);
  return out;
}

/// ROUGE-2 recall of a choice of tokens.
double rouge_2(const SummaryCase& one, const std::vector<bool>& chosen, const std::string& stemmer) {
  eval::RougeWords words = eval::RougeWords::make(stemmer).value();
  std::vector<eval::RougeText> references;
  for (const auto& reference : one.cluster.references) references.push_back(words.text(reference));
  return eval::rouge(words.text(tasks::summary_sentences(one.cluster, chosen)), references)[1].recall;
}

double oracle_score(const SummaryCase& one, const SummaryCorpus& corpus, tasks::SummaryUnit unit,
                    size_t limit) {
  const tasks::SummaryInput input =
      tasks::make_summary_input(one.cluster, {unit, limit, corpus.rouge_stemmer}, {}, nullptr).value();
  eval::RougeWords words = eval::RougeWords::make(corpus.rouge_stemmer).value();
  std::vector<eval::RougeText> references;
  for (const auto& reference : one.cluster.references) references.push_back(words.text(reference));
  const tasks::SummaryOracle oracle(input, references, kOracleBeam);
  tasks::PieceSet best = oracle.complete(oracle.empty_set());
  oracle.fill(best);
  std::vector<uint32_t> pieces;
  for (uint32_t p = 0; p < input.pieces.size(); ++p)
    if (best.has(p)) pieces.push_back(p);
  return rouge_2(one, tasks::tokens_of_pieces(input, one.cluster, pieces), corpus.rouge_stemmer);
}

/// Wall-clock seconds of the slowest fold.
struct Seconds {
  double training = 0, per_summary = 0;
};

/// Trains on all folds but one and summarises that one.
Status cross_validate_fold(const Request& request, const SummaryCorpus& corpus,
                           const std::vector<SummaryCase>& cases, const std::string& unit, size_t limit,
                           int fold, std::vector<double>& scores, Seconds& seconds) {
  std::string training, test;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < cases.size(); ++i) {
    (cases[i].fold == fold ? test : training) += cases[i].line + "\n";
    if (cases[i].fold == fold) numbers.push_back(i);
  }
  if (test.empty()) return {};
  ReadOptions reading;
  reading.format = "summary";
  ESPALIER_ASSIGN(const Corpus training_corpus, Corpus::parse(training, reading, corpus.name));
  ESPALIER_ASSIGN(const Corpus test_corpus, Corpus::parse(test, reading, corpus.name));
  ESPALIER_ASSIGN(
      TrainOptions options,
      train_options(request, learner_with("searn", {"unit=" + unit, fmt::format("limit={}", limit),
                                                    "stemmer=" + corpus.stemmer})));
  options.task = "summary";
  options.threads = 1;  // folds run side by side
  const auto since = [](auto start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto start = std::chrono::steady_clock::now();
  ESPALIER_ASSIGN(const Training trained, train_on(training_corpus, options));
  seconds.training = since(start);
  const auto trained_at = std::chrono::steady_clock::now();
  TagOptions tagging;
  tagging.threads = 1;
  ESPALIER_ASSIGN(const LabelNumbers found, trained.tagger.label_batch(test_corpus, tagging));
  seconds.per_summary = since(trained_at) / static_cast<double>(numbers.size());
  const auto names = trained.tagger.labels();
  size_t at = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    std::vector<bool> chosen;
    for (; at < found.ends[i]; ++at) chosen.push_back(names[found.labels[at]] == tasks::kInSummary);
    scores[numbers[i]] = rouge_2(cases[numbers[i]], chosen, corpus.rouge_stemmer);
  }
  return {};
}

using SystemScores = std::vector<std::pair<std::string, std::vector<double>>>;

double mean_score(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<size_t>(1, values.size()));
}

/// The scores of all systems on every cluster.
Result<SystemScores> score_systems(const Request& request, const SummaryCorpus& corpus,
                                   const std::vector<SummaryCase>& cases, size_t limit, Seconds& slowest) {
  SystemScores out;
  const Workers workers(request.threads);
  const auto each = [&](const std::string& name, const auto& score) {
    out.emplace_back(name, std::vector<double>(cases.size()));
    workers.for_each(cases.size(), [&](size_t i) { out.back().second[i] = score(i); });
  };
  const auto units =
      corpus.trees ? std::vector<std::string>{"word", "sentence"} : std::vector<std::string>{"sentence"};
  for (const std::string& unit : units)
    each("oracle unit=" + unit, [&](size_t i) {
      return oracle_score(cases[i], corpus,
                          unit == "word" ? tasks::SummaryUnit::kWord : tasks::SummaryUnit::kSentence, limit);
    });
  for (const std::string& unit : units) {
    out.emplace_back("searn unit=" + unit, std::vector<double>(cases.size()));
    std::vector<Status> status(kFolds);
    std::vector<Seconds> seconds(kFolds);
    workers.for_each(kFolds, [&](size_t fold) {
      if (!request.monitor.stop_requested())
        status[fold] = cross_validate_fold(request, corpus, cases, unit, limit, static_cast<int>(fold),
                                           out.back().second, seconds[fold]);
    });
    for (const Seconds& one : seconds) {
      slowest.training = std::max(slowest.training, one.training);
      slowest.per_summary = std::max(slowest.per_summary, one.per_summary);
    }
    for (const Status& one : status) ESPALIER_TRY(one);
    if (request.monitor.stop_requested()) return fail("stopped");
  }
  const auto baseline = [&](const std::string& name, const auto& choose) {
    each(name, [&](size_t i) {
      const tasks::SummaryInput input =
          tasks::make_summary_input(cases[i].cluster, {tasks::SummaryUnit::kSentence, limit, corpus.stemmer},
                                    {}, nullptr)
              .value();
      return rouge_2(cases[i], tasks::tokens_of_pieces(input, cases[i].cluster, choose(input, i)),
                     corpus.rouge_stemmer);
    });
  };
  baseline("coverage", [&](const tasks::SummaryInput& input, size_t) { return coverage_summary(input); });
  baseline("lead",
           [&](const tasks::SummaryInput& input, size_t i) { return lead_summary(input, cases[i].cluster); });
  baseline("random", [&](const tasks::SummaryInput& input, size_t i) {
    return random_summary(input, Random(request.seed).split(i));
  });
  return out;
}

const std::vector<double>& scores_of(const SystemScores& systems, const std::string& name) {
  return std::find_if(systems.begin(), systems.end(), [&](const auto& s) { return s.first == name; })->second;
}

void claim_difference(Report& report, const SystemScores& systems, const std::string& column,
                      const std::string& high, const std::string& low, uint64_t seed) {
  const std::vector<double>&a = scores_of(systems, high), &b = scores_of(systems, low);
  report.claim(fmt::format("{} above {} ({})", high, low, column), mean_score(a) > mean_score(b),
               fmt::format("{:.4f} and {:.4f}, p = {:.4f}", mean_score(a), mean_score(b),
                           paired_p_value(a, b, Random(seed))),
               "few clusters to learn from; other documents and references than DUC 2005");
}

/// Taggers and a parser of the treebank.
Result<std::shared_ptr<const model::SentenceModels>> train_sentence_models(const Request& request) {
  const std::string treebank = request.corpus("ud/en_ewt-ud-train.conllu.gz");
  const std::vector<std::string> files = {request.out + "/summary-tags.model",
                                          request.out + "/summary-parser.model"};
  for (size_t i = 0; i < 2; ++i) {
    const bool parser = i == 1;
    ESPALIER_ASSIGN(
        TrainOptions options,
        train_options(request, parser
                                   ? learner_with("searn", {request.quick ? "iterations=1" : "iterations=5"})
                                   : learner_with("perceptron", {request.quick ? "passes=1" : "passes=5"})));
    options.task = parser ? "parse" : "label";
    if (parser) options.feature_columns = {2, 4};  // words and tags are all that there will be
    options.save_to = files[i];
    ReadOptions reading;
    reading.label_column = parser ? "head,deprel" : "upos";
    ESPALIER_ASSIGN(const Data data, first_of(treebank, reading, request.quick ? 60 : 0));
    ESPALIER_TRY(train_on(data, options));
  }
  return model::SentenceModels::open(files);
}

}  // namespace

Result<Report> searn_summary(const Request& request) {
  Report report;
  std::vector<SummaryCorpus> corpora = {
      {"multiling2011.en", {"multiling2011.en.jsonl.gz"}, "english", "porter"},
      {"multiling2011.fr", {"multiling2011.fr.jsonl.gz"}, "french", "french", false},
      {"opinosis", {"opinosis.jsonl.gz"}, "english", "porter"},
      {"fewsum", {"fewsum-yelp.test.jsonl.gz", "fewsum-amazon.test.jsonl.gz"}, "english", "porter"},
      {"bbc100", {"bbc100.jsonl.gz"}, "english", "porter"}};
  if (request.quick) corpora = {{"fewsum", {"fewsum-yelp.dev.jsonl.gz"}, "english", "porter"}};
  const std::vector<size_t> limits = request.quick ? std::vector<size_t>{30} : std::vector<size_t>{100, 250};
  report.set("figures",
             "mean ROUGE-2 recall with stems, each set of references but one in turn; fractions of 1");
  report.set(
      "folds",
      fmt::format("{}, drawn with the seed; every cluster is summarised by a model that has not seen it",
                  kFolds));
  report.set("p", "paired randomisation test over clusters, two-sided");
  report.depart(
      "other documents than DUC 2005, which is not free: other topics, lengths and references, no queries");
  report.depart(
      "trees of our own parser, trained on words and gold tags of the English Web Treebank; tags of our "
      "tagger");
  report.depart(
      "the cost of a sentence or word is by how many pairs per word less is gained by it and all below it "
      "than "
      "by the best one; the paper's cost assumes that the best is made of what is left, by which nearly all "
      "actions cost the same: little is learned from it");
  report.depart(
      "vine growth learns from some fifty states of each summary, not from all; the initial policy repairs "
      "its "
      "completion where the learner leaves it, and searches again after every few repairs");
  report.depart(
      "costs, the scales of features, the classifiers, their penalties and the number of iterations were "
      "chosen "
      "on the train and dev files of fewsum, whose test files alone are used here");
  report.depart(
      "coverage, lead and random are ours: greedy coverage of pairs by documents; first sentences; any");
  ESPALIER_ASSIGN(const auto sentences, train_sentence_models(request));
  double oracle_low = 0, oracle_high = 0;
  for (const SummaryCorpus& corpus : corpora) {
    ESPALIER_ASSIGN(
        const std::vector<SummaryCase> cases,
        read_cases(request, corpus, request.quick ? 12 : 0, corpus.trees ? sentences.get() : nullptr));
    report.set(corpus.name, fmt::format("{} clusters", cases.size()));
    for (const size_t limit : limits) {
      const std::string column = fmt::format("{}, {} words", corpus.name, limit);
      Seconds slowest;
      ESPALIER_ASSIGN(const SystemScores systems, score_systems(request, corpus, cases, limit, slowest));
      report.notes.push_back(
          fmt::format("{}: the slowest training of a fold took {:.1f} s on one thread, a summary {:.2f} s",
                      column, slowest.training, slowest.per_summary));
      for (const auto& [name, scores] : systems) {
        const auto* line = std::find_if(std::begin(kSummaryLines), std::end(kSummaryLines),
                                        [&](const SummaryLine& l) { return l.row == name; });
        const bool known = line != std::end(kSummaryLines) && !request.quick;
        const bool text = known && limit == 100 && line->in_text_100;
        double variance = 0;
        for (const double s : scores) variance += (s - mean_score(scores)) * (s - mean_score(scores));
        Row& row = report.add(
            name, column, text ? std::optional<double>(line->words_100) : std::nullopt, mean_score(scores),
            std::sqrt(variance / static_cast<double>(std::max<size_t>(1, scores.size() - 1))));
        if (known && !text) row.beside(limit == 100 ? line->words_100 : line->words_250, kTable2);
      }
      const double extract = mean_score(scores_of(systems, "searn unit=sentence")),
                   best = mean_score(scores_of(systems, "oracle unit=sentence"));
      oracle_high += best;
      oracle_low += mean_score(scores_of(systems, "random"));
      if (request.quick) continue;
      report.claim(fmt::format("searn unit=sentence within 90 % of its oracle ({})", column),
                   extract >= 0.9 * best,
                   fmt::format("{:.4f} of {:.4f}: {:.0f} %", extract, best, 100 * extract / best),
                   "references of these corpora share more with the documents than those of DUC 2005, so the "
                   "oracle is "
                   "far higher");
      for (const char* baseline : {"coverage", "lead", "random"})
        claim_difference(report, systems, column, "searn unit=sentence", baseline, request.seed);
      if (!corpus.trees) continue;
      claim_difference(report, systems, column, "searn unit=word", "searn unit=sentence", request.seed);
      for (const char* baseline : {"coverage", "lead", "random"})
        claim_difference(report, systems, column, "searn unit=word", baseline, request.seed);
      claim_difference(report, systems, column, "oracle unit=word", "oracle unit=sentence", request.seed);
    }
  }
  report.check("oracles are above random summaries", oracle_high > oracle_low,
               fmt::format("sums of means {:.4f} and {:.4f}", oracle_high, oracle_low));
  return report;
}

}  // namespace espalier::research
