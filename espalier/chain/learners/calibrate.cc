#include "espalier/chain/learners/calibrate.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include "espalier/chain/stop_kernels.h"
#include "espalier/eval/calibration.h"
#include "espalier/linear/encoding/merge_ranks.h"

namespace espalier::chain {

namespace {
constexpr size_t kCalibrationPieces = 16;

/// Which of `size` sequences, with `tokens` tokens together, to look at: spread evenly, `most` at most. Where
/// a look at these takes more than `steps`, there are only as many as can be looked at `times` times within
/// it; `left` is then what they may take, and without_long() leaves out those that take more.
struct Sample {
  std::vector<uint32_t> chosen;
  double step, left;
};
/// `step`: what a token takes.
Sample affordable(double step, size_t size, double tokens, size_t most, double steps, double times) {
  Sample sample{{}, step, std::numeric_limits<double>::infinity()};
  size_t n = std::min(most, size);
  if (n == 0) return sample;
  const double mean = tokens * sample.step / static_cast<double>(size);
  if (mean * static_cast<double>(n) > steps) {
    sample.left = steps / times;
    n = static_cast<size_t>(std::clamp(sample.left / mean, 1.0, static_cast<double>(n)));
  }
  for (size_t i = 0; i < n; ++i) sample.chosen.push_back(static_cast<uint32_t>(i * size / n));
  return sample;
}

std::vector<uint32_t> without_long(const Sample& sample, const std::vector<uint32_t>& chosen,
                                   const linear::Dataset& data) {
  std::vector<uint32_t> out;
  double left = sample.left;
  for (const uint32_t s : chosen) {
    const double cost = sample.step * static_cast<double>(data.length(s));
    if (cost > left) continue;
    left -= cost;
    out.push_back(s);
  }
  return out;
}

double square(size_t labels) { return static_cast<double>(labels) * static_cast<double>(labels); }

/// The best labelling. Where neighbours do not interact, the best label of each token: K steps instead of K².
void best_labels(const ChainWeights& weights, const SequenceScores& scores, ChainScratch& scratch,
                 std::vector<data::Label>& out) {
  const ChainScores& view = scores.view;
  out.resize(view.length);
  if (weights.transitions || view.edge != nullptr) {
    viterbi(view, scratch, out.data());
    return;
  }
  for (size_t t = 0; t < view.length; ++t) {
    const float* const row = view.node + t * view.stride;
    out[t] = static_cast<data::Label>(std::max_element(row, row + view.labels) - row);
  }
}

/// Reports on work on a sample, from any thread.
class SampleProgress {
 public:
  SampleProgress(const Monitor& monitor, std::string phase, size_t total)
      : monitor_(monitor), phase_(std::move(phase)), total_(total) {}
  void advance() {
    const size_t done = done_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (done * kReports / total_ == (done - 1) * kReports / total_) return;
    const std::scoped_lock lock(mutex_);
    Progress progress;
    progress.phase = phase_;
    progress.done = static_cast<double>(done);
    progress.total = static_cast<double>(total_);
    monitor_.report(progress);
  }

 private:
  static constexpr size_t kReports = 50;
  const Monitor& monitor_;
  std::string phase_;
  size_t total_;
  std::atomic<size_t> done_ = 0;
  std::mutex mutex_;
};

float largest_of(std::span<const float> w) {
  float largest = 0;
  for (const float x : w) largest = std::max(largest, std::abs(x));
  return largest;
}

}  // namespace

void round_to_16_bits(std::span<float> w, const Workers& workers) {
  const float scale = largest_of(w) / 32767.0f;
  if (scale == 0) return;
  for_each_stretch(workers, w.size(), [&](Range part) {
    for (size_t i = part.first; i < part.last; ++i)
      w[i] = scale * static_cast<float>(std::lround(w[i] / scale));
  });
}

double fit_temperature(const ChainWeights& weights, const linear::Dataset& held_out, const Workers& workers,
                       size_t most, const Monitor& monitor, double steps) {
  std::vector<uint32_t> usable;
  for (uint32_t s = 0; s < held_out.sequences() && usable.size() < most; ++s)
    if (held_out.length(s) > 0 && held_out.fully_labelled(s)) usable.push_back(s);
  constexpr double kTemperatures = 30;  // that are tried
  double tokens = 0;
  for (const uint32_t s : usable) tokens += static_cast<double>(held_out.length(s));
  const Sample sample = affordable(square(weights.labels), usable.size(), tokens, most, steps, kTemperatures);
  std::vector<uint32_t> chosen;
  for (const uint32_t i : sample.chosen) chosen.push_back(usable[i]);
  usable = without_long(sample, chosen, held_out);
  if (usable.empty()) return 1;
  Progress progress;
  progress.phase = "fitting the temperature";
  const size_t pieces = std::min(kCalibrationPieces, usable.size());
  const auto negative_log_likelihood = [&](double temperature) {
    if (monitor.stop_requested()) return 0.0;
    ++progress.done;
    monitor.report(progress);
    const float factor = static_cast<float>(1 / temperature);
    TransitionPotentials potentials;
    AlignedVector<float> trans = weights.trans;
    for (float& w : trans) w *= factor;
    potentials.assign(trans.data(), weights.labels, weights.stride);
    std::vector<double> loss(pieces, 0.0);
    workers.for_each(pieces, [&](size_t piece) {
      SequenceScores scores;
      ChainScratch scratch;
      const StopKernels stop(monitor);
      const Range range = piece_of(usable.size(), pieces, piece);
      for (size_t i = range.first; i < range.last && !monitor.stop_requested(); ++i) {
        score_sequence(weights, held_out, usable[i], scores);
        for (float& x : scores.node) x *= factor;
        for (float& x : scores.edge) x *= factor;
        scores.view.trans = trans.data();
        loss[piece] += forward_backward(scores.view, potentials, scratch, nullptr, nullptr) -
                       score_of(scores.view, held_out.gold_of(usable[i]));
      }
    });
    return std::accumulate(loss.begin(), loss.end(), 0.0);
  };
  const double fitted = eval::fit_temperature(negative_log_likelihood, 1e-3, 1e4);
  return monitor.stop_requested() ? 1 : fitted;
}

double fit_temperature(const linear::KernelModel& kernel, const linear::Dataset& held_out,
                       size_t most_tokens) {
  const size_t K = kernel.labels();
  std::vector<float> scores;  // of the tokens whose label is known, K each
  std::vector<data::Label> gold;
  linear::KernelModel::Scratch scratch;
  const float* values = held_out.state_values.empty() ? nullptr : held_out.state_values.data();
  for (size_t t = 0; t < held_out.tokens() && gold.size() < most_tokens; ++t) {
    if (held_out.gold[t] == data::kNoLabel) continue;
    scores.resize(scores.size() + K);
    kernel.scores(held_out.state[t], values == nullptr ? nullptr : values + held_out.state.begin[t], scratch,
                  std::span<float>(scores).last(K));
    gold.push_back(held_out.gold[t]);
  }
  if (gold.empty()) return 1;
  return eval::fit_temperature(
      [&](double temperature) {
        double loss = 0;
        for (size_t i = 0; i < gold.size(); ++i) {
          const float* s = scores.data() + i * K;
          const double top = *std::max_element(s, s + K);
          double sum = 0;
          for (size_t k = 0; k < K; ++k) sum += std::exp((s[k] - top) / temperature);
          loss += std::log(sum) - (s[gold[i]] - top) / temperature;
        }
        return loss;
      },
      1e-3, 1e4);
}

double labels_changed_by_rounding(const ChainWeights& weights, const linear::Dataset& all,
                                  const Workers& workers, size_t most, const Monitor& monitor, double steps,
                                  const Team& team) {
  // Spread evenly over the data, so that a corpus sorted by genre is sampled throughout.
  const double step = weights.transitions ? square(weights.labels) : static_cast<double>(weights.labels);
  const Sample affordable_ones =
      affordable(step, all.all_sequences(), static_cast<double>(all.all_tokens()), most, steps, 2);
  std::vector<uint32_t> here;
  for (const uint32_t number : affordable_ones.chosen)
    if (const auto s = all.find_number(number)) here.push_back(*s);
  const linear::Dataset data = linear::gather_sequences(all, here, team);
  if (!team.first()) return 0;
  std::vector<uint32_t> gathered(data.sequences());
  std::iota(gathered.begin(), gathered.end(), 0);
  const std::vector<uint32_t> sample = without_long(affordable_ones, gathered, data);
  if (sample.empty()) return all.all_sequences() == 0 ? 0 : 1;
  ChainWeights rounded = weights;
  round_to_16_bits(rounded.state, workers);
  round_to_16_bits(rounded.edge, workers);
  const size_t n = sample.size();
  const size_t pieces = std::min(kCalibrationPieces, n);
  std::vector<size_t> tokens(pieces, 0), changed(pieces, 0);
  SampleProgress progress(monitor, "checking 16-bit weights", n);
  workers.for_each(pieces, [&](size_t piece) {
    SequenceScores scores;
    ChainScratch scratch;
    const StopKernels stop(monitor);
    std::vector<data::Label> exact, approximate;
    const Range range = piece_of(n, pieces, piece);
    for (size_t i = range.first; i < range.last && !monitor.stop_requested(); ++i) {
      const size_t s = sample[i];
      score_sequence(weights, data, s, scores);
      best_labels(weights, scores, scratch, exact);
      score_sequence(rounded, data, s, scores);
      best_labels(weights, scores, scratch, approximate);
      tokens[piece] += exact.size();
      for (size_t t = 0; t < exact.size(); ++t) changed[piece] += exact[t] != approximate[t];
      progress.advance();
    }
  });
  if (monitor.stop_requested()) return 1;
  const size_t seen = std::accumulate(tokens.begin(), tokens.end(), size_t{0});
  return seen == 0 ? 0
                   : static_cast<double>(std::accumulate(changed.begin(), changed.end(), size_t{0})) /
                         static_cast<double>(seen);
}

}  // namespace espalier::chain
