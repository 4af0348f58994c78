#include "espalier/tasks/structures/brackets.h"

#include <algorithm>
#include <numeric>

#include "espalier/base/random.h"
#include "espalier/data/label_scheme.h"

namespace espalier::tasks {

using constrain::Phrase;

std::vector<Phrase> phrases_of(const data::Sequence& sequence, std::string_view type) {
  std::vector<std::string_view> labels;
  for (size_t row = 0; row < sequence.length(); ++row) labels.push_back(sequence.label(row));
  data::SchemeDetector detector;
  detector.add(labels);
  return phrases_of(labels, detector.scheme(), type);
}

std::vector<Phrase> phrases_of(std::span<const std::string_view> labels, data::Scheme scheme,
                               std::string_view type) {
  std::vector<Phrase> out;
  for (const data::Span& span : data::spans(labels, scheme))
    if (type.empty() || span.type == type) out.push_back({span.first, span.last});
  return out;
}

namespace {

float row_sum(const std::vector<float>& w, std::span<const uint32_t> features, const float* values) {
  float sum = 0;
  for (size_t i = 0; i < features.size(); ++i) sum += w[features[i]] * (values == nullptr ? 1.0f : values[i]);
  return sum;
}

const float* values_of(const linear::Dataset& data, size_t token) {
  return data.state_values.empty() ? nullptr : data.state_values.data() + data.state.begin[token];
}

/// One classifier in training. Averages its weights over all sequences by lagged sums.
struct AveragedRow {
  std::vector<float> w;
  std::vector<double> lag;

  explicit AveragedRow(size_t features) : w(features, 0.0f), lag(features, 0.0) {}
  void step(std::span<const uint32_t> features, const float* values, float by, double time) {
    for (size_t i = 0; i < features.size(); ++i) {
      const float change = by * (values == nullptr ? 1.0f : values[i]);
      w[features[i]] += change;
      lag[features[i]] += time * static_cast<double>(change);
    }
  }
  std::vector<float> average(double steps) const {
    std::vector<float> out(w.size());
    for (size_t i = 0; i < w.size(); ++i)
      out[i] = steps > 0 ? static_cast<float>(static_cast<double>(w[i]) - lag[i] / steps) : w[i];
    return out;
  }
};

/// 1 where a phrase begins (or ends), 0 elsewhere.
void mark_edges(std::span<const Phrase> phrases, size_t length, std::vector<uint8_t>& opens,
                std::vector<uint8_t>& closes) {
  opens.assign(length, 0);
  closes.assign(length, 0);
  for (const Phrase& p : phrases) {
    opens[p.first] = 1;
    closes[p.last - 1] = 1;
  }
}

}  // namespace

void BracketWeights::score(const linear::Dataset& data, size_t sequence, std::vector<float>& opens,
                           std::vector<float>& closes) const {
  const size_t first = data.sequence_begin[sequence], n = data.length(sequence);
  opens.resize(n);
  closes.resize(n);
  for (size_t t = 0; t < n; ++t) {
    opens[t] = row_sum(open, data.state[first + t], values_of(data, first + t));
    closes[t] = row_sum(close, data.state[first + t], values_of(data, first + t));
  }
}

BracketWeights train_brackets(const linear::Dataset& data, size_t features,
                              std::span<const std::vector<Phrase>> gold, const BracketOptions& options,
                              const Monitor& monitor) {
  ESPALIER_CHECK(gold.size() == data.sequences());
  AveragedRow open(features), close(features);
  std::vector<uint32_t> order(data.sequences());
  std::vector<float> opens, closes;
  std::vector<uint8_t> want_open, want_close, got_open, got_close;
  double steps = 0;
  const std::function<BracketWeights()> averages = [&] {
    return BracketWeights{open.average(steps), close.average(steps)};
  };
  for (int pass = 1; pass <= options.passes && !monitor.stop_requested(); ++pass) {
    std::iota(order.begin(), order.end(), 0);
    Random(options.seed).split(static_cast<uint64_t>(pass)).shuffle(std::span<uint32_t>(order));
    double wrong = 0;
    for (const uint32_t s : order) {
      const size_t first = data.sequence_begin[s], n = data.length(s);
      mark_edges(gold[s], n, want_open, want_close);
      opens.resize(n);
      closes.resize(n);
      for (size_t t = 0; t < n; ++t) {
        opens[t] = row_sum(open.w, data.state[first + t], values_of(data, first + t));
        closes[t] = row_sum(close.w, data.state[first + t], values_of(data, first + t));
      }
      if (options.regime == BracketRegime::kGlobal) {
        mark_edges(constrain::best_phrases(opens, closes, options.longest), n, got_open, got_close);
      } else {
        got_open.resize(n);
        got_close.resize(n);
        for (size_t t = 0; t < n; ++t) {
          got_open[t] = opens[t] > 0;
          got_close[t] = closes[t] > 0;
        }
      }
      steps += 1;
      for (size_t t = 0; t < n; ++t) {
        const float o = static_cast<float>(want_open[t]) - static_cast<float>(got_open[t]);
        const float c = static_cast<float>(want_close[t]) - static_cast<float>(got_close[t]);
        wrong += (o != 0) + (c != 0);
        if (o != 0) open.step(data.state[first + t], values_of(data, first + t), o, steps);
        if (c != 0) close.step(data.state[first + t], values_of(data, first + t), c, steps);
      }
      if (monitor.stop_requested()) break;
    }
    if (options.round_ended) {
      if (!options.round_ended({{pass, wrong}, averages}).go_on) break;
      continue;
    }
    monitor.report(pass_progress(pass, options.passes, 1));
  }
  return averages();
}

void PhraseScores::add(std::span<const Phrase> wanted, std::span<const Phrase> given) {
  gold += wanted.size();
  found += given.size();
  for (const Phrase& phrase : given) right += std::find(wanted.begin(), wanted.end(), phrase) != wanted.end();
}

double PhraseScores::f1() const {
  return gold + found == 0 ? 0 : 200 * static_cast<double>(right) / static_cast<double>(gold + found);
}

}  // namespace espalier::tasks
