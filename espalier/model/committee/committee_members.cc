#include "espalier/model/committee/committee_members.h"

#include <algorithm>
#include <cmath>

#include "espalier/eval/scores.h"

namespace espalier::model {

using data::Label;

Members::Members(std::vector<Member> members, data::LabelSet labels, data::Scheme scheme)
    : members_(std::move(members)), labels_(std::move(labels)), scheme_(scheme) {
  if (scheme_ != data::Scheme::kNone) rules_.emplace(labels_, scheme_);
  for (const Member& member : members_) {
    Asked& asked = asked_.emplace_back();
    asked.chain = member.model->as<chain::ChainPredictor>();
    asked.cascade = member.model->as<cascade::CascadePredictor>();
    const bool believes = asked.chain != nullptr || asked.cascade != nullptr;
    const data::LabelSet& own = believes ? member.model->inner_labels() : member.model->labels();
    for (size_t j = 0; j < own.size(); ++j)
      asked.label.push_back(labels_.find(own.name(static_cast<Label>(j))).value_or(data::kNoLabel));
    if (!rules_ || !believes) continue;
    asked.rules.emplace(own, scheme_);
    for (size_t j = 0; j < own.size(); ++j) {
      const uint32_t type = asked.rules->type(static_cast<Label>(j));
      if (type == chain::SpanRules::kOutside) continue;
      if (type >= asked.type.size()) asked.type.resize(type + 1, chain::SpanRules::kOutside);
      if (asked.label[j] != data::kNoLabel) asked.type[type] = rules_->type(asked.label[j]);
    }
  }
}

Members::Scratch Members::make_scratch() const {
  Scratch scratch;
  for (const Member& member : members_) scratch.members.push_back(member.model->predictor().make_scratch());
  return scratch;
}

Status Members::ask(const data::Sequence& sequence, Scratch& scratch, std::vector<Opinion>& said) const {
  said.resize(members_.size());
  for (size_t m = 0; m < members_.size(); ++m) {
    const Asked& asked = asked_[m];
    data::Predictor::Scratch& own = *scratch.members[m];
    said[m].labels.clear();
    said[m].segments.clear();
    if (asked.chain != nullptr) {
      hear(asked, asked.chain->ways_back(sequence, own), scratch, said[m]);
      continue;
    }
    if (asked.cascade != nullptr) {
      ESPALIER_ASSIGN(const chain::WaysBack* const ways, asked.cascade->ways_back(sequence, own));
      hear(asked, *ways, scratch, said[m]);
      continue;
    }
    ESPALIER_TRY(members_[m].model->predictor().predict(sequence, {}, {}, own, scratch.said));
    if (scratch.said.labels().size() != sequence.length())
      return fail("member {} of the committee does not label each token", members_[m].name);
    scratch.labels.clear();
    for (const Label label : scratch.said.labels()) scratch.labels.push_back(asked.label[label]);
    hear(scratch.labels, said[m]);
  }
  return {};
}

void Members::hear(const Asked& member, const chain::WaysBack& ways, Scratch& scratch, Opinion& out) const {
  std::span<const double> states;
  if (member.rules) {
    for (const data::LikelySegment& segment : scratch.finder.find(ways, *member.rules, kLeastSegment))
      if (const uint32_t type = member.type[segment.type]; type != chain::SpanRules::kOutside)
        out.segments.push_back({segment.first, segment.last, type, segment.probability});
    states = scratch.finder.states();
  } else {
    chain::find_state_probabilities(ways, scratch.states);
    states = scratch.states;
  }
  // Several states can have one label: pairs of labels, and readings of it.
  scratch.row.assign(labels_.size(), 0.0f);
  for (size_t t = 0; t < ways.positions(); ++t) {
    const uint32_t first = ways.begin[t], last = ways.begin[t + 1];
    for (uint32_t s = first; s < last; ++s)
      if (const Label label = member.label[ways.label[s]]; label != data::kNoLabel)
        scratch.row[label] += static_cast<float>(states[s]);
    for (uint32_t s = first; s < last; ++s) {
      const Label label = member.label[ways.label[s]];
      if (label == data::kNoLabel) continue;
      if (scratch.row[label] >= kLeastProbability)
        out.labels.push_back({static_cast<uint32_t>(t), label, scratch.row[label]});
      scratch.row[label] = 0;
    }
  }
}

void Members::hear(std::span<const Label> answer, Opinion& out) const {
  const auto type_at = [&](size_t t) {
    return answer[t] == data::kNoLabel ? chain::SpanRules::kOutside : rules_->type(answer[t]);
  };
  for (size_t t = 0; t < answer.size(); ++t) {
    if (answer[t] == data::kNoLabel) continue;
    out.labels.push_back({static_cast<uint32_t>(t), answer[t], 1.0f});
    if (!rules_ || type_at(t) == chain::SpanRules::kOutside) continue;
    const bool goes_on =
        t > 0 && answer[t - 1] != data::kNoLabel && rules_->continues(answer[t - 1], answer[t]);
    if (goes_on) {
      ++out.segments.back().last;
    } else {
      out.segments.push_back({static_cast<uint32_t>(t), static_cast<uint32_t>(t + 1), type_at(t), 1.0});
    }
  }
}

void Members::pool(std::span<const Opinion> said, std::span<const double> weights, size_t length,
                   Pooled& out) const {
  ESPALIER_CHECK(said.size() == members_.size() && weights.size() == members_.size());
  constexpr uint32_t kNone = UINT32_MAX;
  const size_t K = labels_.size();
  double all = 0;
  for (const double weight : weights) all += weight;
  ESPALIER_CHECK(all > 0);
  out.labels.assign(length * K, 0.0f);
  out.segments.clear();
  out.next_ending.clear();
  out.last_ending.assign(length + 1, kNone);
  for (size_t m = 0; m < said.size(); ++m) {
    const double share = weights[m] / all;
    if (share == 0) continue;
    for (const Opinion::Belief& belief : said[m].labels)
      out.labels[belief.row * K + belief.label] += static_cast<float>(share * belief.probability);
    for (const data::LikelySegment& segment : said[m].segments) {
      uint32_t i = out.last_ending[segment.last];
      while (i != kNone && (out.segments[i].first != segment.first || out.segments[i].type != segment.type))
        i = out.next_ending[i];
      if (i != kNone) {
        out.segments[i].probability += share * segment.probability;
        continue;
      }
      out.next_ending.push_back(out.last_ending[segment.last]);
      out.last_ending[segment.last] = static_cast<uint32_t>(out.segments.size());
      out.segments.push_back(segment);
      out.segments.back().probability *= share;
    }
  }
  if (rules_) {
    out.spans.clear();
    for (const uint32_t i : out.choice.choose(out.segments, length))
      out.spans.push_back(
          {out.segments[i].first, out.segments[i].last, rules_->type_name(out.segments[i].type)});
    if (data::label_segments(out.spans, length, scheme_, labels_, out.best)) return;
  }
  out.best.resize(length);
  for (size_t t = 0; t < length; ++t) {
    const float* const p = out.labels.data() + t * K;
    out.best[t] = static_cast<Label>(std::max_element(p, p + K) - p);
  }
}

void Members::describe(const data::Sequence& sequence, const Pooled& pooled, bool with_cells,
                       data::Sequence& out) const {
  const size_t K = labels_.size();
  out.clear(with_cells ? sequence.columns() : 0);
  for (size_t t = 0; t < sequence.length(); ++t) {
    out.begin_row(with_cells ? sequence.raw(t) : std::string_view(), sequence.line(t));
    for (size_t c = 0; with_cells && c < sequence.columns(); ++c) out.add_cell(sequence.cell(t, c));
    // Weights of logarithms make products of powers of probabilities; log(1 + p/ε) is 0 for what is
    // impossible.
    for (size_t j = 0; j < K; ++j)
      if (const float p = pooled.labels[t * K + j]; p >= kLeastProbability)
        out.add_attribute(labels_.name(static_cast<Label>(j)), std::log1p(p / kLeastProbability));
    if (sequence.has_labels()) out.set_label(sequence.label(t));
  }
  out.set_weight(sequence.weight());
}

std::vector<double> learn_weights(const Members& members, std::span<const data::Sequence* const> sequences,
                                  std::span<const std::vector<Opinion>> said, Workers& workers) {
  constexpr size_t kPieces = 16;
  constexpr int kMostSteps = 8;
  const auto scores_of = [&](const std::vector<double>& weights) {
    std::vector<eval::TaggingScores> shards(kPieces);
    workers.for_each(kPieces, [&](size_t piece) {
      Pooled pooled;
      std::vector<std::string_view> gold, found;
      const Range range = piece_of(sequences.size(), kPieces, piece);
      for (size_t s = range.first; s < range.last; ++s) {
        const data::Sequence& sequence = *sequences[s];
        members.pool(said[s], weights, sequence.length(), pooled);
        gold.clear();
        found.clear();
        for (size_t t = 0; t < sequence.length(); ++t) {
          gold.push_back(sequence.label(t));
          found.push_back(members.labels().name(pooled.best[t]));
        }
        shards[piece].add(gold, found);
      }
    });
    for (size_t piece = 1; piece < kPieces; ++piece) shards[0].merge(shards[piece]);
    return std::move(shards[0]);
  };
  const auto score = [&](const std::vector<double>& weights) { return scores_of(weights).f1(); };
  std::vector<double> weights(members.size(), 1.0);
  const eval::TaggingScores equal = scores_of(weights);
  double best = equal.f1();
  // A gain by chance is the smaller the more is scored; weights that follow it make the answer worse.
  const auto scored = static_cast<double>(std::max<uint64_t>(1, equal.overall().gold));
  const double least_gain = std::max(0.1, 50 / std::sqrt(scored));
  for (int step = 0; step < kMostSteps; ++step) {
    std::vector<double> better = weights;
    double gained = best + least_gain;
    for (size_t m = 0; m < weights.size(); ++m)
      for (const double factor : {0.0, 0.5, 2.0}) {
        std::vector<double> tried = weights;
        tried[m] *= factor;
        if (tried == weights || *std::max_element(tried.begin(), tried.end()) == 0) continue;
        const double now = score(tried);
        if (now < gained || (now == gained && better != weights)) continue;
        gained = now;
        better = std::move(tried);
      }
    if (better == weights) break;
    weights = std::move(better);
    best = gained;
  }
  // No committee does clearly worse than one of its members.
  for (size_t m = 0; m < members.size(); ++m) {
    std::vector<double> alone(members.size(), 0.0);
    alone[m] = 1;
    const double now = score(alone);
    if (now < best + least_gain) continue;
    weights = std::move(alone);
    best = now;
  }
  return weights;
}

}  // namespace espalier::model
