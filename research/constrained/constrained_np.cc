// Punyakanok, Roth, Yih and Zimak (2005), Figure 4: base noun phrases from an opening and a closing
// classifier, with features cut off by frequency.
#include <algorithm>

#include "espalier/data/formats/reader.h"
#include "espalier/eval/plot.h"
#include "espalier/eval/scores.h"
#include "espalier/linear/encoding/number_map.h"
#include "espalier/tasks/structures/brackets.h"
#include "research/constrained/role_model.h"
#include "research/experiment.h"
#include "research/experiments.h"
#include "research/public_run.h"

namespace espalier::research {

namespace {

struct PhraseCorpus {
  std::vector<data::Sequence> sequences;
  std::vector<std::vector<constrain::Phrase>> phrases;
};

Result<PhraseCorpus> read_phrases(const std::string& path, size_t most) {
  PhraseCorpus out;
  ESPALIER_ASSIGN(out.sequences, data::read_all({path}, {}));
  if (out.sequences.size() > most) out.sequences.resize(most);
  for (const data::Sequence& sequence : out.sequences)
    out.phrases.push_back(tasks::phrases_of(sequence, "NP"));
  return out;
}

/// F1, and in how many sentences the phrases found overlap or score below the gold ones: none, if decoding is
/// exact.
struct PhraseFigures {
  double f1 = 0;
  size_t wrong = 0;
};
double phrases_score(const std::vector<constrain::Phrase>& phrases, const std::vector<float>& open,
                     const std::vector<float>& close) {
  double sum = 0;
  for (const constrain::Phrase& p : phrases)
    sum += static_cast<double>(open[p.first]) + static_cast<double>(close[p.last - 1]);
  return sum;
}

PhraseFigures score_phrases(const tasks::BracketWeights& weights, const linear::Dataset& data,
                            const PhraseCorpus& corpus) {
  PhraseFigures out;
  const size_t longest = tasks::BracketOptions{}.longest;
  tasks::PhraseScores scores;
  std::vector<float> open, close;
  for (size_t s = 0; s < data.sequences(); ++s) {
    weights.score(data, s, open, close);
    const std::vector<constrain::Phrase> found = constrain::best_phrases(open, close, longest);
    bool fine = true;
    for (size_t i = 1; i < found.size(); ++i) fine = fine && found[i - 1].last <= found[i].first;
    const bool within = std::all_of(corpus.phrases[s].begin(), corpus.phrases[s].end(),
                                    [&](const constrain::Phrase& p) { return p.last - p.first <= longest; });
    if (within)
      fine =
          fine && phrases_score(found, open, close) >= phrases_score(corpus.phrases[s], open, close) - 1e-3;
    out.wrong += !fine;
    scores.add(corpus.phrases[s], found);
  }
  out.f1 = scores.f1();
  return out;
}

/// Ours: the crf learner with its default settings and features. F1 of noun phrases.
Result<double> crf_score(const Request& request, size_t most) {
  ESPALIER_ASSIGN(const Data train,
                  first_of(request.corpus("conll2000/np_train.txt.gz"), {}, request.quick ? most : 0));
  ESPALIER_ASSIGN(const Corpus test, Corpus::read(request.corpus("conll2000/np_test.txt.gz")));
  ESPALIER_ASSIGN(
      const TrainOptions options,
      train_options(request, learner_with("crf", request.quick ? std::vector<std::string>{"passes=2"}
                                                               : std::vector<std::string>{})));
  ESPALIER_ASSIGN(const Training training, train_on(train, options));
  TagOptions tagging;
  tagging.threads = request.threads;
  ESPALIER_ASSIGN(const std::vector<Tagged> tagged, training.tagger.tag_batch(test, tagging));
  eval::TaggingScores scores;
  for (size_t s = 0; s < tagged.size() && s < most; ++s) {
    const std::vector<std::string> gold = test[s].labels, labels = tagged[s].labels();
    scores.add(std::vector<std::string_view>(gold.begin(), gold.end()),
               std::vector<std::string_view>(labels.begin(), labels.end()));
  }
  return scores.f1();
}

}  // namespace

Result<Report> constrained_np(const Request& request) {
  const size_t most = request.quick ? 400 : size_t{1} << 40;
  ESPALIER_ASSIGN(const PhraseCorpus train, read_phrases(request.corpus("conll2000/np_train.txt.gz"), most));
  ESPALIER_ASSIGN(const PhraseCorpus test, read_phrases(request.corpus("conll2000/np_test.txt.gz"), most));
  data::FeatureOptions options;
  options.feature_columns = {0, 1};
  ESPALIER_ASSIGN(const data::FeatureExtractor extractor, data::FeatureExtractor::make(options));
  const Workers workers(request.threads);
  linear::EncodedTraining training;
  {
    linear::DatasetBuilder builder(extractor, workers, {.cutoff = 1, .names = false});
    for (const data::Sequence& sequence : train.sequences) builder.add(sequence);
    training = builder.finish();
  }
  const int passes = request.quick ? 3 : 10;
  Report report;
  report.set("features", "words and parts of speech, the default set");
  report.set("learner", fmt::format("averaged perceptron, {} passes", passes));
  eval::Plot plot;
  plot.title = "Base noun phrases";
  plot.x_label = "features";
  plot.y_label = "F1";
  plot.log_x = true;
  plot.series = {{"L+I", {}, {}, {}, {}, false}, {"IBT", {}, {}, {}, {}, false}};
  const std::vector<uint32_t> cutoffs = request.quick
                                            ? std::vector<uint32_t>{1, 100}
                                            : std::vector<uint32_t>{1, 2, 5, 20, 100, 1000, 5000, 20000};
  double full[2] = {0, 0};
  size_t harder_led = 0, harder = 0, wrong = 0;
  for (size_t i = 0; i < cutoffs.size(); ++i) {
    if (request.monitor.stop_requested()) return fail("interrupted");
    // Features are numbered by decreasing count.
    const size_t features = static_cast<size_t>(
        std::lower_bound(training.state.counts.begin(), training.state.counts.end(), cutoffs[i],
                         [](uint32_t count, uint32_t cutoff) { return count >= cutoff; }) -
        training.state.counts.begin());
    if (features == 0) continue;
    const linear::EncodedTraining part = most_frequent_features(training, features);
    linear::Dataset held_out;
    {
      const linear::FeatureMap map = linear::number_map(part.state.hashes);
      const linear::FeatureMap none;
      const linear::Encoder encoder(extractor, map, none);
      linear::Encoder::Scratch scratch;
      for (const data::Sequence& sequence : test.sequences)
        encoder.append(sequence, training.labels, scratch, held_out);
    }
    double f1[2];
    size_t wrong_of[2];
    workers.for_each(2, [&](size_t regime) {
      tasks::BracketOptions how;
      how.regime = regime == 0 ? tasks::BracketRegime::kLocal : tasks::BracketRegime::kGlobal;
      how.passes = passes;
      how.seed = request.seed;
      Monitor quiet;
      quiet.stop = request.monitor.stop;
      const auto weights = tasks::train_brackets(part.data, features, train.phrases, how, quiet);
      const PhraseFigures figures = score_phrases(weights, held_out, test);
      f1[regime] = figures.f1;
      wrong_of[regime] = figures.wrong;
    });
    Progress progress;
    progress.phase = "cut-offs";
    progress.done = static_cast<double>(i + 1);
    progress.total = static_cast<double>(cutoffs.size());
    request.monitor.report(progress);
    wrong += wrong_of[0] + wrong_of[1];
    for (size_t r = 0; r < 2; ++r) {
      report
          .add(r == 0 ? "L+I" : "IBT", fmt::format("cut-off {}, {} features", cutoffs[i], features),
               std::nullopt, f1[r])
          .printed();
      plot.series[r].x.push_back(static_cast<double>(features));
      plot.series[r].y.push_back(f1[r]);
    }
    if (cutoffs[i] == 1) std::copy(f1, f1 + 2, full);
    if (cutoffs[i] >= 1000) {
      ++harder;
      harder_led += f1[1] > f1[0];
    }
  }
  ESPALIER_ASSIGN(const double ours, crf_score(request, most));
  report.set("crf", "ours: with default settings and all default features, phrases from its labels");
  report.add("crf", "all features", std::nullopt, ours);
  const std::string path = request.out + "/constrained-np.svg";
  ESPALIER_TRY(eval::save_plot(plot, path));
  report.plots.push_back(path);
  report.depart("averaged perceptrons over the default features, in the paper's place");
  report.check(
      "the phrases found never overlap and never score below the gold ones", wrong == 0,
      fmt::format("{} sentences of {} in {} runs", wrong, test.sequences.size(), 2 * cutoffs.size()));
  if (!request.quick) {
    report.claim("IBT outperforms L+I where features are few (cut-off 1000 and more)", harder_led == harder,
                 fmt::format("at {} of {} cut-offs", harder_led, harder),
                 "they differ by less than a change of the seed makes");
    report.claim("with all features L+I outperforms IBT", full[0] > full[1],
                 fmt::format("{:.2f} and {:.2f}", full[0], full[1]),
                 "both are near the best that these features allow");
  }
  return report;
}

}  // namespace espalier::research
