#include "espalier/model/committee_members.h"

#include <algorithm>
#include <cmath>

#include "espalier/data/segment_choice.h"
#include "espalier/eval/scores.h"

namespace espalier::model {

using data::Label;

namespace {

/// Members list this many labellings, from which the probabilities of segments are added up.
constexpr size_t kLabellings = 6;

/// Adds to the probability of a segment, which may be in the list already.
void add_segment(const data::Span& segment, double probability, std::vector<data::SpanConfidence>& list) {
  // Lists are short, and what is added is mostly near the end.
  for (size_t i = list.size(); i-- > 0;) {
    data::SpanConfidence& known = list[i];
    if (known.first != segment.first || known.last != segment.last || known.type != segment.type) continue;
    known.probability += probability;
    return;
  }
  list.push_back({segment.first, segment.last, std::string(segment.type), probability});
}

}  // namespace

Members::Members(std::vector<Member> members, data::LabelSet labels, data::Scheme scheme)
    : members_(std::move(members)), labels_(std::move(labels)), scheme_(scheme) {
  for (const Member& member : members_) {
    std::vector<Label>& own = own_label_.emplace_back();
    for (const std::string& name : member.model->labels().names())
      own.push_back(labels_.find(name).value_or(data::kNoLabel));
  }
}

Members::Scratch Members::make_scratch() const {
  Scratch scratch;
  for (const Member& member : members_) scratch.members.push_back(member.model->predictor().make_scratch());
  return scratch;
}

Status Members::ask(const data::Sequence& sequence, Scratch& scratch, std::vector<Opinion>& said) const {
  const bool segments = scheme_ != data::Scheme::kNone;
  said.resize(members_.size());
  for (size_t m = 0; m < members_.size(); ++m) {
    const data::Predictor& member = members_[m].model->predictor();
    const std::vector<Label>& own = own_label_[m];
    const bool sure = member.is_search();  // it has no probabilities
    data::PredictOptions options;
    options.marginals = !sure;
    options.confidence = segments && !sure;
    options.nbest = options.confidence ? kLabellings : 1;
    data::Prediction& answer = scratch.said;
    ESPALIER_TRY(member.predict(sequence, {}, options, *scratch.members[m], answer));
    Opinion& opinion = said[m];
    opinion.labels.clear();
    opinion.segments.clear();
    const size_t K = own.size();
    for (size_t t = 0; t < sequence.length(); ++t) {
      const auto believes = [&](size_t label, float p) {
        if (own[label] != data::kNoLabel) opinion.labels.push_back({static_cast<uint32_t>(t), own[label], p});
      };
      if (sure) {
        believes(answer.labels()[t], 1);
        continue;
      }
      for (size_t j = 0; j < K; ++j)
        if (const float p = answer.marginals[t * K + j]; p >= kLeastProbability) believes(j, p);
    }
    if (!segments) continue;
    double all = 0;
    for (const data::Labelling& labelling : answer.best) all += sure ? 1 : labelling.probability;
    for (const data::Labelling& labelling : answer.best) {
      const double p = sure      ? 1
                       : all > 0 ? labelling.probability / all
                                 : 1.0 / static_cast<double>(answer.best.size());
      scratch.names.clear();
      for (const Label label : labelling.labels) scratch.names.push_back(member.labels().name(label));
      data::spans(scratch.names, scheme_, scratch.spans);
      for (const data::Span& span : scratch.spans)
        add_segment({span.first, span.last, span.type}, p, opinion.segments);
    }
  }
  return {};
}

void Members::pool(std::span<const Opinion> said, std::span<const double> weights, size_t length,
                   Pooled& out) const {
  ESPALIER_CHECK(said.size() == members_.size() && weights.size() == members_.size());
  const size_t K = labels_.size();
  double all = 0;
  for (const double weight : weights) all += weight;
  ESPALIER_CHECK(all > 0);
  out.labels.assign(length * K, 0.0f);
  out.segments.clear();
  for (size_t m = 0; m < said.size(); ++m) {
    const double share = weights[m] / all;
    if (share == 0) continue;
    for (const Opinion::Belief& belief : said[m].labels)
      out.labels[belief.row * K + belief.label] += static_cast<float>(share * belief.probability);
    for (const data::SpanConfidence& segment : said[m].segments)
      add_segment({segment.first, segment.last, segment.type}, share * segment.probability, out.segments);
  }
  if (scheme_ != data::Scheme::kNone &&
      data::label_segments(data::best_segments(out.segments, length), length, scheme_, labels_, out.best))
    return;
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
  // A gain by chance is the smaller the more tokens there are; weights that follow it make the answer worse.
  size_t tokens = 0;
  for (const data::Sequence* sequence : sequences) tokens += sequence->length();
  const double least_gain = std::max(0.1, 50 / std::sqrt(static_cast<double>(std::max<size_t>(1, tokens))));
  const auto score = [&](const std::vector<double>& weights) {
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
    return shards[0].f1();
  };
  std::vector<double> weights(members.size(), 1.0);
  double best = score(weights);
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
  return weights;
}

}  // namespace espalier::model
