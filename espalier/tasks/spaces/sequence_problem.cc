#include "espalier/tasks/spaces/sequence_problem.h"

#include <algorithm>

#include "espalier/base/stop_scope.h"
#include "espalier/base/text/text.h"
#include "espalier/tasks/chunks/frequent_hashes.h"

namespace espalier::tasks {

using data::kNoLabel;
using data::Label;

namespace {

/// Appends the hashes of each token's edge features.
void append_edges(const linear::Dataset& data, const linear::FeatureSpace& edge, std::vector<uint64_t>& edges,
                  std::vector<uint32_t>& begin) {
  if (edge.size() == 0) return;
  begin.push_back(0);
  for (size_t t = 0; t < data.tokens(); ++t) {
    for (const uint32_t f : data.edge[t]) edges.push_back(edge.hashes[f]);
    begin.push_back(static_cast<uint32_t>(edges.size()));
  }
}

}  // namespace

LabelProblem label_problem(const DecisionPlan& plan, const linear::Dataset& data,
                           const linear::FeatureSpace& edge) {
  LabelProblem problem{plan, data, {}, {}};
  append_edges(data, edge, problem.edges, problem.edge_begin);
  return problem;
}

void append_words(const DecisionPlan& plan, const data::Sequence& sequence, std::vector<uint64_t>& words) {
  if (!plan.word_cell) return;
  std::string lower;
  for (size_t t = 0; t < sequence.length(); ++t) {
    to_lower(sequence.cell(t, *plan.word_cell), lower);
    words.push_back(hash_bytes(lower));
  }
}

JointProblem joint_problem(const DecisionPlan& plan, const linear::Dataset& data,
                           const linear::FeatureSpace& edge, std::span<const data::Sequence> sequences,
                           std::span<const size_t> label_cells) {
  JointProblem problem{plan, data, {}};
  for (const data::Sequence& sequence : sequences) {
    for (size_t t = 0; t < sequence.length(); ++t)
      for (size_t c = 0; c < label_cells.size(); ++c) {  // kNoLabel for `_` and unknown labels
        const auto found = plan.column_labels[c].find(sequence.cell(t, label_cells[c]));
        problem.gold.push_back(found ? static_cast<Label>(plan.column_begin[c] + *found) : kNoLabel);
      }
    append_words(plan, sequence, problem.words);
  }
  append_edges(data, edge, problem.edges, problem.edge_begin);
  return problem;
}

namespace {

std::vector<Label> labels_in(const data::Sequence& sequence, const DecisionPlan& plan) {
  std::vector<Label> labels;
  for (size_t t = 0; t < sequence.length(); ++t)
    labels.push_back(sequence.has_labels() ? plan.labels.find(sequence.label(t)).value_or(kNoLabel)
                                           : kNoLabel);
  return labels;
}

/// The type of the gold chunk that uses each block; kNoLabel if none does.
void add_gold(const std::vector<Chunk>& chunks, const ChunkBlocks& blocks, std::vector<Label>& gold) {
  const size_t first = gold.size();
  gold.resize(first + blocks.size(), kNoLabel);
  for (const Chunk& c : chunks) {
    blocks.for_each_of(c.first, c.length,
                       [&](uint32_t block) { gold[first + block] = static_cast<Label>(c.type); });
  }
}

constexpr size_t kCountsAhead = 24;  // to load before they are asked for
constexpr uint64_t kNotNamed = ~uint64_t{0};

/// The chunk features of one sequence and the buffers to find them, reused from sequence to sequence.
struct SeenChunks {
  data::FeatureExtractor::Scratch token_scratch;
  ChunkViews views;
  data::HashedFeatures tokens, hashed;
  std::vector<TokenLook> looks;

  void look_at(const data::Sequence& sequence, const data::FeatureExtractor& extractor,
               const ChunkFeatures& features) {
    extractor.extract(sequence, token_scratch, tokens);
    features.extract(sequence, &tokens, views, hashed, looks);
  }
};

/// The common part of both ways of encoding; `number` turns the hashes of a sequence into numbers.
template <typename Number>
void encode_into(std::span<const data::Sequence> sequences, const DecisionPlan& plan,
                 const data::FeatureExtractor& extractor, const ChunkFeatures& features, ChunkTraining& out,
                 const Number& number) {
  for (const std::string& type : plan.types) out.encoded.labels.add(type);
  linear::Dataset& data = out.encoded.data;
  SeenChunks seen;
  std::vector<uint32_t> numbers;
  for (const data::Sequence& sequence : sequences) {
    if (StopScope::wanted()) break;
    seen.look_at(sequence, extractor, features);
    const data::HashedFeatures& hashed = seen.hashed;
    const ChunkBlocks blocks{sequence.length(), plan.max_length, plan.places};
    const auto chunks = chunks_of(plan, labels_in(sequence, plan), plan.max_length, &out.cut);
    numbers.resize(hashed.state.size());
    number(hashed, numbers);
    for (size_t b = 0; b < blocks.size(); ++b) {
      for (uint32_t i = hashed.state_begin[b]; i < hashed.state_begin[b + 1]; ++i) {
        if (numbers[i] == linear::kNoFeature) continue;
        data.state.push(numbers[i]);
        if (!hashed.state_values.empty()) data.state_values.push_back(hashed.state_values[i]);
      }
      data.state.close();
    }
    add_gold(chunks, blocks, data.gold);
    data.sequence_begin.push_back(data.state.size());
    data.weight.push_back(sequence.weight());
    out.length.push_back(sequence.length());
    out.gold.append(chunks);
    out.looks.append(seen.looks);
  }
}

/// The hashes of gold chunks' features and of those that occur at least `full_rows_from` times; if that is 0,
/// only the former.
FrequentHashes useful_hashes(std::span<const data::Sequence> sequences, const DecisionPlan& plan,
                             const data::FeatureExtractor& extractor, const ChunkFeatures& features,
                             uint32_t full_rows_from) {
  constexpr size_t kFeaturesOfABlock = 32;  // approximately
  uint64_t blocks_in_all = 0;
  for (const data::Sequence& sequence : sequences)
    blocks_in_all += ChunkBlocks{sequence.length(), plan.max_length, plan.places}.size();
  FrequentHashes known(blocks_in_all * kFeaturesOfABlock, std::max<uint32_t>(1, full_rows_from));
  SeenChunks seen;
  std::vector<Label> gold;
  for (const data::Sequence& sequence : sequences) {
    if (StopScope::wanted()) break;
    seen.look_at(sequence, extractor, features);
    const ChunkBlocks blocks{sequence.length(), plan.max_length, plan.places};
    gold.clear();
    add_gold(chunks_of(plan, labels_in(sequence, plan), plan.max_length), blocks, gold);
    const std::vector<uint64_t>& hashes = seen.hashed.state;
    for (size_t b = 0; b < blocks.size(); ++b)
      for (uint32_t i = seen.hashed.state_begin[b]; i < seen.hashed.state_begin[b + 1]; ++i) {
        if (i + kCountsAhead < hashes.size()) known.prefetch(hashes[i + kCountsAhead]);
        if (gold[b] != kNoLabel) {
          known.mark(hashes[i]);
        } else if (full_rows_from > 0) {
          known.add(hashes[i]);
        }
      }
  }
  return known;
}

}  // namespace

void renumber_features(linear::Dataset& data, std::span<const uint32_t> renumber) {
  uint64_t kept = 0, from = 0;
  for (size_t b = 0; b < data.state.size(); ++b) {
    const uint64_t to = data.state.begin[b + 1];
    for (uint64_t i = from; i < to; ++i) {
      const uint32_t f = renumber[data.state.values[i]];
      if (f == linear::kNoFeature) continue;
      data.state.values[kept] = f;
      if (!data.state_values.empty()) data.state_values[kept] = data.state_values[i];
      ++kept;
    }
    from = to;
    data.state.begin[b + 1] = kept;
  }
  data.state.values.resize(kept);
  if (!data.state_values.empty()) data.state_values.resize(kept);
}

ChunkTraining encode_chunks(std::span<const data::Sequence> sequences, const DecisionPlan& plan,
                            const data::FeatureExtractor& extractor, const ChunkFeatures& features,
                            uint32_t cutoff, uint32_t full_rows_from) {
  // A feature gets a weight if a gold chunk has it or if it is frequent. Most features of other spans are
  // neither.
  const FrequentHashes known = useful_hashes(sequences, plan, extractor, features, full_rows_from);
  ChunkTraining out;
  linear::FeatureCollector collector;
  std::vector<uint64_t> useful;
  std::vector<uint32_t> numbers_of_useful, places;  // of the useful ones
  encode_into(sequences, plan, extractor, features, out,
              [&](const data::HashedFeatures& hashed, std::vector<uint32_t>& numbers) {
                useful.clear();
                places.clear();
                for (size_t i = 0; i < hashed.state.size(); ++i) {
                  if (i + kCountsAhead < hashed.state.size()) known.prefetch(hashed.state[i + kCountsAhead]);
                  if (!known.may_matter(hashed.state[i])) continue;
                  useful.push_back(hashed.state[i]);
                  places.push_back(static_cast<uint32_t>(i));
                }
                numbers_of_useful.resize(useful.size());
                collector.add(useful, numbers_of_useful.data(), Workers(1), {});
                std::fill(numbers.begin(), numbers.end(), linear::kNoFeature);
                for (size_t k = 0; k < places.size(); ++k) numbers[places[k]] = numbers_of_useful[k];
              });
  out.encoded.state_before_cutoff = collector.size();
  auto found = collector.finish(cutoff);
  renumber_features(out.encoded.data, found.renumber);
  out.encoded.state = {std::move(found.hashes), std::move(found.counts), {}};
  return out;
}

std::string chunk_feature_names(std::span<const data::Sequence> sequences, const DecisionPlan& plan,
                                const data::FeatureExtractor& extractor, const ChunkFeatures& features,
                                const linear::FeatureMap& map, const std::vector<bool>& wanted) {
  std::string found;  // names in the order found, and where each begins
  std::vector<uint64_t> begin(wanted.size(), kNotNamed), end(wanted.size(), 0);
  SeenChunks seen;
  std::vector<uint32_t> numbers;
  for (const data::Sequence& sequence : sequences) {
    if (StopScope::wanted()) break;
    seen.look_at(sequence, extractor, features);
    const data::HashedFeatures& hashed = seen.hashed;
    numbers.resize(hashed.state.size());
    map.find_all(hashed.state, numbers.data());
    const size_t blocks = ChunkBlocks{sequence.length(), plan.max_length, plan.places}.size();
    data::FeatureNames of_token(extractor);
    for (uint32_t b = 0; b < blocks; ++b) {
      of_token.move_to(sequence, b % sequence.length());
      for (uint32_t i = hashed.state_begin[b]; i < hashed.state_begin[b + 1]; ++i) {
        const uint32_t f = numbers[i];
        if (f == linear::kNoFeature || !wanted[f] || begin[f] != kNotNamed) continue;
        begin[f] = found.size();
        found += features.name(sequence, of_token, seen.tokens, seen.views, b, i - hashed.state_begin[b]);
        end[f] = found.size();
      }
    }
  }
  std::string names;
  names.reserve(found.size() + wanted.size());
  for (size_t f = 0; f < wanted.size(); ++f) {
    if (begin[f] != kNotNamed) names.append(found, begin[f], end[f] - begin[f]);
    names.push_back('\n');
  }
  return names;
}

ChunkTraining encode_chunks_with(std::span<const data::Sequence> sequences, const DecisionPlan& plan,
                                 const data::FeatureExtractor& extractor, const ChunkFeatures& features,
                                 const linear::FeatureMap& map) {
  ChunkTraining out;
  encode_into(sequences, plan, extractor, features, out,
              [&](const data::HashedFeatures& hashed, std::vector<uint32_t>& numbers) {
                map.find_all(hashed.state, numbers.data());
              });
  return out;
}

}  // namespace espalier::tasks
