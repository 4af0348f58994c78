#include "espalier/chain/weights.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "espalier/linear/encoding/merge_ranks.h"

namespace espalier::chain {

namespace {

using data::kNoLabel;
using data::Label;

/// State or edge features of all tokens.
struct Occurrences {
  const linear::Dataset& data;
  bool edges;

  uint64_t count() const { return data.occurrences(edges); }
  /// Calls visit(token, its features) for every token, from several threads.
  template <typename Visit>
  void for_each_token(const Workers& workers, const Visit& visit) const {
    if (data.stored == nullptr) {
      const linear::FeatureLists& lists = edges ? data.edge : data.state;
      for_each_stretch(workers, lists.size(), [&](Range part) {
        for (size_t t = part.first; t < part.last; ++t) visit(t, lists[t]);
      });
      return;
    }
    for_each_stretch(workers, data.sequences(), [&](Range part) {
      linear::SequenceBuffer buffer;
      for (size_t s = part.first; s < part.last; ++s) {
        const linear::SequenceFeatures features = linear::features_of(data, s, buffer);
        for (size_t t = 0; t < data.length(s); ++t)
          visit(data.sequence_begin[s] + t, edges ? features.edge(t) : features[t].features);
      }
    });
  }
};

/// Calls visit(feature, column) for every occurrence of a feature that is not full, from several threads.
template <typename EachColumn, typename IsFull, typename Visit>
void for_each_occurrence(const Occurrences& occurrences, const EachColumn& each_column, const IsFull& is_full,
                         const Workers& workers, const Visit& visit) {
  occurrences.for_each_token(workers, [&](size_t t, std::span<const uint32_t> features) {
    each_column(t, [&](auto column) {
      for (const uint32_t f : features)
        if (!is_full(f)) visit(f, column);
    });
  });
}

/// The columns each feature was seen with. `each_column(t, visit)` visits the columns of token t. Full
/// features have none here.
template <typename Column>
struct SeenColumns {
  size_t words = 0;               ///< of a feature's bits; 0: lists
  std::vector<uint64_t> bits;     ///< features × words: a bit for each column
  std::vector<uint64_t> begin;    ///< of each feature's list
  std::vector<Column> list;       ///< ascending, each once
  std::vector<uint32_t> columns;  ///< per feature: how many

  template <typename EachColumn, typename IsFull>
  SeenColumns(const Occurrences& lists, size_t features, size_t width, const EachColumn& each_column,
              const IsFull& is_full, const Workers& workers)
      : columns(features, 0) {
    // Bits where they take less memory than a list of all occurrences, which has to be sorted.
    const size_t needed = (width + 63) / 64;
    if (features * needed * sizeof(uint64_t) <= lists.count() * sizeof(Column)) {
      words = needed;
      mark(lists, each_column, is_full, workers);
    } else {
      collect(lists, each_column, is_full, workers);
    }
  }

  /// Writes the columns of a feature, ascending.
  template <typename Out>
  void copy(size_t f, Out to) const {
    if (words == 0) {
      std::copy_n(list.begin() + static_cast<ptrdiff_t>(begin[f]), columns[f], to);
      return;
    }
    for (size_t word = 0; word < words; ++word)
      for (uint64_t set = bits[f * words + word]; set != 0; set &= set - 1)
        *to++ = static_cast<Column>(word * 64 + static_cast<size_t>(std::countr_zero(set)));
  }

 private:
  template <typename EachColumn, typename IsFull>
  void mark(const Occurrences& lists, const EachColumn& each_column, const IsFull& is_full,
            const Workers& workers) {
    bits.assign(columns.size() * words, 0);
    for_each_occurrence(lists, each_column, is_full, workers, [&](uint32_t f, Column column) {
      const std::atomic_ref word(bits[f * words + size_t{column} / 64]);
      const uint64_t bit = uint64_t{1} << size_t{column} % 64;
      if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
    });
    for_each_stretch(workers, columns.size(), [&](Range part) {
      for (size_t f = part.first; f < part.last; ++f)
        for (size_t word = 0; word < words; ++word)
          columns[f] += static_cast<uint32_t>(std::popcount(bits[f * words + word]));
    });
  }

  /// Threads store occurrences in any order; sorting makes the result unique.
  template <typename EachColumn, typename IsFull>
  void collect(const Occurrences& lists, const EachColumn& each_column, const IsFull& is_full,
               const Workers& workers) {
    const auto count = [&](uint32_t f) {
      return std::atomic_ref(columns[f]).fetch_add(1, std::memory_order_relaxed);
    };
    for_each_occurrence(lists, each_column, is_full, workers, [&](uint32_t f, Column) { count(f); });
    begin.assign(columns.size() + 1, 0);
    for (size_t f = 0; f < columns.size(); ++f) begin[f + 1] = begin[f] + std::exchange(columns[f], 0);
    list.resize(begin.back());
    for_each_occurrence(lists, each_column, is_full, workers,
                        [&](uint32_t f, Column column) { list[begin[f] + count(f)] = column; });
    for_each_stretch(workers, columns.size(), [&](Range part) {
      for (size_t f = part.first; f < part.last; ++f) {
        const auto first = list.begin() + static_cast<ptrdiff_t>(begin[f]);
        const auto last = first + columns[f];
        std::sort(first, last);
        columns[f] = static_cast<uint32_t>(std::unique(first, last) - first);
      }
    });
  }
};

/// Rows with the columns each feature was seen with, or all of them where it was seen often.
template <typename Column, typename EachColumn>
linear::RowLayout<Column> rows_seen(const Occurrences& lists, size_t features, size_t width,
                                    const std::vector<uint32_t>& counts, uint32_t full_from,
                                    const EachColumn& each_column, const Workers& workers) {
  linear::RowLayout<Column> layout;
  layout.width = static_cast<uint32_t>(width);
  const auto is_full = [&](size_t f) { return full_from > 0 && counts[f] >= full_from; };
  const SeenColumns<Column> seen(lists, features, width, each_column, is_full, workers);
  layout.begin.resize(features + 1);
  uint64_t weights = 0;
  for (size_t f = 0; f < features; ++f) {
    weights += is_full(f) ? width : seen.columns[f];
    ESPALIER_CHECK(weights < linear::kNoFeature);
    layout.begin[f + 1] = static_cast<uint32_t>(weights);
  }
  layout.column.resize(weights);
  for_each_stretch(workers, features, [&](Range part) {
    for (size_t f = part.first; f < part.last; ++f) {
      const auto to = layout.column.begin() + layout.begin[f];
      if (is_full(f)) {
        std::iota(to, to + static_cast<ptrdiff_t>(width), Column{0});
      } else {
        seen.copy(f, to);
      }
    }
  });
  return layout;
}

}  // namespace

linear::StateRows state_rows(const linear::EncodedTraining& training, std::span<const Label> gold,
                             size_t labels, const PairOptions& options, const Workers& workers) {
  const size_t tokens = training.data.tokens(), each = tokens == 0 ? 0 : gold.size() / tokens;
  ESPALIER_CHECK(gold.size() == tokens * each);
  return rows_seen<uint16_t>(
      Occurrences{training.data, false}, training.state.size(), labels, training.state.counts,
      options.full_rows_from,
      [&](size_t t, const auto& visit) {
        for (const Label label : gold.subspan(t * each, each))
          if (label != kNoLabel) visit(label);
      },
      workers);
}

ChainWeights make_weights(const linear::EncodedTraining& training, bool transitions,
                          const PairOptions& options, const Workers& workers, const Team& team) {
  ChainWeights w;
  const linear::Dataset& data = training.data;
  w.labels = training.labels.size();
  w.stride = linear::padded(w.labels);
  w.transitions = transitions;
  w.trans.assign(w.labels * w.stride, 0.0f);
  w.state_rows = state_rows(training, data.gold, w.labels, options, workers);
  linear::merge_rows(w.state_rows, team);
  w.state = linear::make_weights(w.state_rows.weights());
  std::vector<bool> first_of_sequence(data.tokens() + 1, false);
  for (const uint64_t begin : data.sequence_begin) first_of_sequence[begin] = true;
  w.edge_rows = rows_seen<uint32_t>(
      Occurrences{data, true}, training.edge.size(), w.labels * w.labels, training.edge.counts, 0,
      [&](size_t t, const auto& visit) {
        if (!first_of_sequence[t] && data.gold[t] != kNoLabel && data.gold[t - 1] != kNoLabel)
          visit(static_cast<uint32_t>(data.gold[t - 1] * w.labels + data.gold[t]));
      },
      workers);
  linear::merge_rows(w.edge_rows, team);
  w.edge = linear::make_weights(w.edge_rows.weights());
  return w;
}

void score_sequence(const ChainWeights& weights, const linear::Dataset& data, size_t sequence,
                    SequenceScores& out) {
  score_sequence(weights, data.length(sequence), linear::features_of(data, sequence, out.features), out);
}

void score_sequence(const ChainWeights& weights, size_t T, const linear::SequenceFeatures& features,
                    SequenceScores& out) {
  const size_t K = weights.labels, S = weights.stride;
  out.node.assign(T * S, 0.0f);
  for (size_t t = 0; t < T; ++t) {
    float* node = out.node.data() + t * S;
    linear::add_rows(weights.state_rows, weights.state.data(), features[t].features, features[t].values,
                     node);
    std::fill(node + K, node + S, -std::numeric_limits<float>::infinity());
  }
  out.view = {T, K, S, out.node.data(), weights.trans.data(), nullptr};
  if (weights.edge_rows.rows() == 0) return;

  out.edge.resize(T * K * S);
  for (size_t t = 1; t < T; ++t) {
    float* edge = out.edge.data() + t * K * S;
    std::copy(weights.trans.begin(), weights.trans.end(), edge);
    for (const uint32_t f : features.edge(t))
      for (uint32_t w = weights.edge_rows.begin[f]; w < weights.edge_rows.begin[f + 1]; ++w) {
        const uint32_t pair = weights.edge_rows.column[w];
        edge[pair / K * S + pair % K] += weights.edge[w];
      }
    for (size_t i = 0; i < K; ++i)
      std::fill(edge + i * S + K, edge + (i + 1) * S, -std::numeric_limits<float>::infinity());
  }
  out.view.edge = out.edge.data();
}

double score_of(const ChainScores& scores, std::span<const Label> labels) {
  double sum = 0;
  for (size_t t = 0; t < labels.size(); ++t) {
    sum += scores.node[t * scores.stride + labels[t]];
    if (t > 0) sum += scores.transitions_into(t)[labels[t - 1] * scores.stride + labels[t]];
  }
  return sum;
}

void force_labels(SequenceScores& scores, std::span<const Label> given, std::span<const Label> plain) {
  const ChainScores& view = scores.view;
  for (size_t t = 0; t < view.length; ++t) {
    if (given[t] == kNoLabel) continue;
    float* node = scores.node.data() + t * view.stride;
    for (size_t j = 0; j < view.labels; ++j)
      if ((plain.empty() ? j : plain[j]) != given[t]) node[j] = -std::numeric_limits<float>::infinity();
  }
}

}  // namespace espalier::chain
