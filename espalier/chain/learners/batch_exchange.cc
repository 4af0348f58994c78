// Part of batch.h: a batch whose sequences are on several ranks. Every rank sends the loss of its sequences,
// the gradient of their pairs of labels, and for each token that is to be updated its features and its
// gradient; tokens that are already right, most of them after the first pass, cost nothing. Tested in
// learners_test.cc and apps/tests/mpi_test.sh.
#include <algorithm>

#include "espalier/chain/learners/batch.h"

namespace espalier::chain {

namespace {
/// Above this many pairs of labels, adding them up over the ranks costs less than sending everybody's to all.
constexpr size_t kSendPairs = 4096;
}  // namespace

/// For each sequence: its place in the batch, its loss, how many tokens follow; for each token: how many
/// features, whether these have values, whether it is an edge; then all features, and all numbers.
std::vector<std::byte> BatchRunner::message() const {
  std::vector<std::byte> head;
  std::vector<uint32_t> features;
  std::vector<float> numbers;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    const size_t T = data_.length(slot.sequence);
    std::vector<uint32_t> tokens;  // counts of features · 4 + two flags
    for (size_t t = 0; t < T; ++t) {
      if (active_[slot.first_row + t] == 0) continue;
      const linear::TokenFeatures token = features_[i][t];
      tokens.push_back(static_cast<uint32_t>(token.features.size()) * 4 + (token.values != nullptr ? 1 : 0));
      features.insert(features.end(), token.features.begin(), token.features.end());
      if (token.values != nullptr)
        numbers.insert(numbers.end(), token.values, token.values + token.features.size());
      const float* const gradient = node_.data() + (slot.first_row + t) * stride_;
      numbers.insert(numbers.end(), gradient, gradient + labels_);
    }
    for (size_t t = 1; t < T && edges_; ++t) {
      const auto edge = features_[i].edge(t);
      if (edge.empty()) continue;
      tokens.push_back(static_cast<uint32_t>(edge.size()) * 4 + 2);
      features.insert(features.end(), edge.begin(), edge.end());
      const float* const gradient = edge_.data() + (slot.first_row + t) * labels_ * stride_;
      for (size_t a = 0; a < labels_; ++a)
        numbers.insert(numbers.end(), gradient + a * stride_, gradient + a * stride_ + labels_);
    }
    put(head, slot.place);
    put(head, losses_[slot.place]);
    put(head, static_cast<uint32_t>(tokens.size()));
    put_all(head, tokens.data(), tokens.size());
  }
  std::vector<std::byte> out;
  out.reserve(head.size() + 4 * (features.size() + numbers.size()) + 8 * pair_sums_.size() + 24);
  if (transitions_ && pair_sums_.size() <= kSendPairs) put_all(out, pair_sums_.data(), pair_sums_.size());
  put(out, static_cast<uint32_t>(slots_.size()));
  put(out, static_cast<uint32_t>(features.size()));
  put(out, static_cast<uint32_t>(numbers.size()));
  put_all(out, head.data(), head.size());
  put_all(out, features.data(), features.size());
  put_all(out, numbers.data(), numbers.size());
  return out;
}

/// Takes what another rank has sent. Gradients get the padding that updates expect.
void BatchRunner::read_message(std::span<const std::byte> bytes) {
  MessageReader reader(bytes);
  if (transitions_ && pair_sums_.size() <= kSendPairs) {
    std::vector<int64_t> sums(pair_sums_.size());
    reader.get_all(sums.data(), sums.size());
    for (size_t i = 0; i < sums.size(); ++i) pair_sums_[i] += sums[i];
  }
  const uint32_t sequences = reader.get<uint32_t>();
  const size_t feature_count = reader.get<uint32_t>();
  reader.get<uint32_t>();
  const size_t first_token = received_.tokens.size();
  size_t next_feature = received_.features.size(), next_number = received_.numbers.size();
  for (uint32_t s = 0; s < sequences; ++s) {
    const uint32_t place = reader.get<uint32_t>();
    ESPALIER_CHECK(place < losses_.size());
    losses_[place] = reader.get<double>();
    const size_t count = reader.get<uint32_t>(), first = received_.tokens.size();
    for (size_t i = 0; i < count; ++i) {
      const uint32_t about = reader.get<uint32_t>();
      RemoteToken token{next_feature, about / 4, next_number, (about & 1) != 0, (about & 2) != 0};
      next_feature += token.count;
      next_number += (token.values ? round_up(token.count, 16) : 0) + (token.edge ? labels_ : 1) * stride_;
      received_.tokens.push_back(token);
    }
    received_.of_place[place] = {first, first + count};
  }
  const size_t old = received_.features.size();
  received_.features.resize(old + feature_count);
  reader.get_all(received_.features.data() + old, feature_count);
  ESPALIER_CHECK(next_feature == received_.features.size());
  received_.numbers.resize(next_number, 0.0f);
  for (size_t i = first_token; i < received_.tokens.size(); ++i) {
    const RemoteToken& token = received_.tokens[i];
    float* to = received_.numbers.data() + token.numbers;
    if (token.values) {
      reader.get_all(to, token.count);
      to += round_up(token.count, 16);
    }
    for (size_t row = 0; row < (token.edge ? labels_ : 1); ++row, to += stride_) {
      reader.get_all(to, labels_);
      std::fill(to + labels_, to + stride_, 0.0f);
    }
  }
  ESPALIER_CHECK(reader.done());
}

void BatchRunner::exchange() {
  if (transitions_ && pair_sums_.size() > kSendPairs) team_->sum(pair_sums_);
  const Gathered<std::byte> all = team_->gather(message());
  received_.features.clear();
  received_.numbers.clear();
  received_.tokens.clear();
  received_.of_place.assign(losses_.size(), Range{0, 0});
  for (size_t r = 0; r < team_->size(); ++r)
    if (r != team_->rank()) read_message(all[r]);
  size_t next = 0;  // of the slots
  for (size_t place = 0; place < losses_.size(); ++place) {
    if (next < slots_.size() && slots_[next].place == place) {
      list_tokens(slots_[next], next);
      ++next;
      continue;
    }
    for (size_t i = received_.of_place[place].first; i < received_.of_place[place].last; ++i) {
      const RemoteToken& token = received_.tokens[i];
      const std::span<const uint32_t> features(received_.features.data() + token.features, token.count);
      const float* const numbers = received_.numbers.data() + token.numbers;
      const float* const gradient = numbers + (token.values ? round_up(token.count, 16) : 0);
      if (token.edge) {
        edge_tokens_.push_back({features, gradient});
      } else {
        tokens_.push_back({{features, token.values ? numbers : nullptr}, gradient});
      }
    }
  }
}

}  // namespace espalier::chain
