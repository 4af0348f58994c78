// What searches cost: a SEARN iteration compared with a pass of the chain perceptron, greedy and beam
// decoding compared with Viterbi, and time by the length of a sequence.
#include <algorithm>
#include <limits>
#include <span>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/base/random.h"
#include "espalier/chain/model/model.h"
#include "espalier/model/model.h"
#include "espalier/tasks/search_model.h"
#include "research/experiments.h"
#include "research/processor_time.h"
#include "research/public_run.h"

namespace espalier::research {

namespace {

/// Trains on one thread and returns the seconds of the last round, when caches are warm.
Result<double> last_round_seconds(const Request& request, const std::string& train,
                                  const std::string& learner, const std::vector<std::string>& settings,
                                  const std::string& model) {
  ESPALIER_ASSIGN(TrainOptions options, train_options(request, learner_with(learner, settings)));
  options.threads = 1;
  options.save_to = model;
  std::vector<double> ends;
  options.on_progress = [&](const Progress& progress) {
    if (progress.round_ended) ends.push_back(processor_seconds());
    return true;
  };
  ESPALIER_TRY(train_on(Files{{train}}, options));
  if (ends.size() < 2) return fail("{}: stopped before its second round", learner);
  return ends.back() - ends[ends.size() - 2];
}

/// A way to decode, and its best time over all sequences so far.
struct TimedDecoder {
  const model::Model& model;
  data::PredictOptions options;
  double seconds = std::numeric_limits<double>::infinity();
};

/// Seconds per token of each, the best of several runs. They take turns, so that a temporarily slow machine
/// affects all of them.
Status time_in_turn(std::span<TimedDecoder> decoders, const std::vector<data::Sequence>& sequences,
                    int times) {
  data::Prediction out;
  size_t tokens = 0;
  for (const data::Sequence& sequence : sequences) tokens += sequence.length();
  for (int i = 0; i < times; ++i)
    for (TimedDecoder& decoder : decoders) {
      const auto scratch = decoder.model.predictor().make_scratch();
      const double start = processor_seconds();
      for (const data::Sequence& sequence : sequences)
        ESPALIER_TRY(decoder.model.predictor().predict(sequence, {}, decoder.options, *scratch, out));
      decoder.seconds =
          std::min(decoder.seconds, (processor_seconds() - start) / static_cast<double>(tokens));
    }
  return {};
}

/// The time of decoding alone, after features were found and summed: microseconds per token of Viterbi and of
/// greedy search, each the best of several runs in turn. A sequence is decoded many times, since one time is
/// too short to measure.
struct DecodingAlone {
  double viterbi = std::numeric_limits<double>::infinity(), greedy = viterbi;
};
Result<DecodingAlone> decoding_alone(const model::Model& chain, const model::Model& search,
                                     const data::PredictOptions& greedy,
                                     const std::vector<data::Sequence>& sequences, int times) {
  const auto* by_viterbi = dynamic_cast<const chain::ChainPredictor*>(&chain.predictor());
  const auto* by_search = dynamic_cast<const tasks::SearchPredictor*>(&search.predictor());
  if (by_viterbi == nullptr || by_search == nullptr) return fail("the models are not of the expected kind");
  constexpr int kOver = 20;
  const auto chain_scratch = by_viterbi->make_scratch(), search_scratch = by_search->make_scratch();
  data::Prediction out;
  size_t tokens = 0;
  for (const data::Sequence& sequence : sequences) tokens += sequence.length();
  DecodingAlone best;
  for (int i = 0; i < times; ++i) {
    double viterbi_seconds = 0, greedy_seconds = 0;
    for (const data::Sequence& sequence : sequences) {
      by_viterbi->scores(sequence, {}, *chain_scratch);
      ESPALIER_TRY(by_search->prepare(sequence, *search_scratch));
      const double start = processor_seconds();
      for (int k = 0; k < kOver; ++k) ESPALIER_TRY(by_viterbi->decode({}, *chain_scratch, out));
      const double between = processor_seconds();
      for (int k = 0; k < kOver; ++k)
        ESPALIER_TRY(by_search->predict_prepared(sequence, greedy, *search_scratch, out));
      viterbi_seconds += between - start;
      greedy_seconds += processor_seconds() - between;
    }
    const double microseconds = 1e6 / (kOver * static_cast<double>(tokens));
    best.viterbi = std::min(best.viterbi, viterbi_seconds * microseconds);
    best.greedy = std::min(best.greedy, greedy_seconds * microseconds);
  }
  return best;
}

/// The rows of all sequences, divided into sequences of this length.
std::vector<data::Sequence> joined(const std::vector<data::Sequence>& from, size_t length, size_t how_many) {
  std::vector<data::Sequence> made(how_many);
  size_t s = 0, row = 0;
  for (data::Sequence& sequence : made) {
    sequence.clear(from[0].columns());
    for (size_t t = 0; t < length; ++t) {
      sequence.begin_row(from[s].raw(row), t + 1);
      for (size_t c = 0; c < from[s].columns(); ++c) sequence.add_cell(from[s].cell(row, c));
      if (++row == from[s].length()) {
        row = 0;
        s = (s + 1) % from.size();
      }
    }
  }
  return made;
}

}  // namespace

Result<Report> searn_speed(const Request& request) {
  Report report;
  const std::string train =
                        request.corpus(request.quick ? "conll2000/test.txt.gz" : "conll2000/train.txt.gz"),
                    test = request.corpus("conll2000/test.txt.gz");
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  const std::string chain_file = folder.path("chain.model"), search_file = folder.path("search.model");
  report.set("data", "CoNLL-2000, 22 labels, default features; one thread, processor time");

  const int trainings = request.quick ? 1 : 5;
  double pass = std::numeric_limits<double>::infinity(), iteration = pass;
  for (int i = 0; i < trainings; ++i) {
    ESPALIER_ASSIGN(const double chain_seconds, last_round_seconds(request, train, "perceptron",
                                                                   {"passes=2", "calibrate=no"}, chain_file));
    ESPALIER_ASSIGN(
        const double search_seconds,
        last_round_seconds(request, train, "searn", {"iterations=2", "passes=1", "history=1"}, search_file));
    pass = std::min(pass, chain_seconds);
    iteration = std::min(iteration, search_seconds);
  }
  report.add("searn iteration", "seconds", std::nullopt, iteration);
  report.add("perceptron pass", "seconds", std::nullopt, pass);
  report.add("searn iteration", "perceptron passes", std::nullopt, iteration / pass);

  ESPALIER_ASSIGN(const model::Model chain, model::Model::open(chain_file));
  ESPALIER_ASSIGN(const model::Model search, model::Model::open(search_file));
  ESPALIER_ASSIGN(const std::vector<data::Sequence> sequences, data::read_all({test}, {}));
  const int times = request.quick ? 1 : 7;
  using Method = data::SearchChoice::Method;
  data::PredictOptions greedy, beam, best_first;
  greedy.search = {Method::kGreedy, 0};
  beam.search = {Method::kBeam, 10};
  best_first.search = {Method::kBestFirst, 10};
  TimedDecoder decoders[] = {{chain, {}}, {search, greedy}, {search, beam}, {search, best_first}};
  ESPALIER_TRY(time_in_turn(decoders, sequences, times));
  const double by_viterbi = decoders[0].seconds, by_greedy = decoders[1].seconds,
               by_beam = decoders[2].seconds, by_best = decoders[3].seconds;
  ESPALIER_ASSIGN(const DecodingAlone alone, decoding_alone(chain, search, greedy, sequences, times));
  report.add("viterbi", "microseconds per token, decoding alone", std::nullopt, alone.viterbi);
  report.add("greedy", "microseconds per token, decoding alone", std::nullopt, alone.greedy);
  report.add("viterbi", "microseconds per token", std::nullopt, 1e6 * by_viterbi);
  report.add("greedy", "microseconds per token", std::nullopt, 1e6 * by_greedy);
  report.add("beam=10", "microseconds per token", std::nullopt, 1e6 * by_beam);
  report.add("best-first beam=10", "microseconds per token", std::nullopt, 1e6 * by_best);

  std::vector<double> at_length;
  const size_t longest = request.quick ? 1000 : 10000;
  for (size_t length = 100; length <= longest; length *= 10) {
    const auto made = joined(sequences, length, longest / length * 2);
    TimedDecoder widths[] = {{search, greedy}, {search, beam}};
    ESPALIER_TRY(time_in_turn(widths, made, request.quick ? 1 : 4));
    for (const TimedDecoder& width : widths) {
      report.add(&width == widths ? "greedy" : "beam=10",
                 fmt::format("{} tokens, microseconds per token", length), std::nullopt, 1e6 * width.seconds);
      at_length.push_back(width.seconds);
    }
  }
  size_t same = 0;
  data::PredictOptions narrow;
  narrow.search = {Method::kBeam, 1};
  data::Prediction by_beam_of_one, by_greedy_search;
  const auto scratch = search.predictor().make_scratch();
  for (const data::Sequence& sequence : sequences) {
    ESPALIER_TRY(search.predictor().predict(sequence, {}, narrow, *scratch, by_beam_of_one));
    ESPALIER_TRY(search.predictor().predict(sequence, {}, greedy, *scratch, by_greedy_search));
    same += by_beam_of_one.labels() == by_greedy_search.labels();
  }
  report.check("a beam of one state finds what greedy search finds", same == sequences.size(),
               fmt::format("{} of {} sentences", same, sequences.size()));
  if (request.quick) return report;
  report.check("an iteration costs at most 3 passes of the perceptron", iteration <= 3 * pass,
               fmt::format("{:.2f}", iteration / pass));
  // Overall they differ by less than the memory layout of their models makes them differ from run to run.
  report.check("greedy decoding is at least as fast as Viterbi", alone.greedy <= alone.viterbi,
               fmt::format("{:.4f} and {:.4f} us per token; with features and scores {:.3f} and {:.3f}",
                           alone.greedy, alone.viterbi, 1e6 * by_greedy, 1e6 * by_viterbi));
  report.check("a beam of 10 costs at most 10 times greedy", by_beam <= 10 * by_greedy,
               fmt::format("{:.2f}", by_beam / by_greedy));
  // Longer sequences exceed the caches; linear time stays within a small factor over two decades.
  const size_t n = at_length.size();
  report.check("time is linear in the length up to 10,000",
               at_length[n - 2] <= 1.5 * at_length[0] && at_length[n - 1] <= 1.5 * at_length[1],
               fmt::format("greedy {:.2f}, beam {:.2f} times the time per token at 100",
                           at_length[n - 2] / at_length[0], at_length[n - 1] / at_length[1]));
  return report;
}

}  // namespace espalier::research
