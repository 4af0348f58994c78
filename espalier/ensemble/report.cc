#include "espalier/ensemble/report.h"

#include <algorithm>

#include "espalier/ensemble/methods/bounds.h"
#include "espalier/eval/losses.h"

namespace espalier::ensemble {
namespace {

WeightTable without_expert(const WeightTable& table, size_t expert) {
  WeightTable less = table;
  for (size_t e = expert; e < less.weights.size(); e += less.experts) less.weights[e] = 0;
  less.elsewhere[expert] = 0;
  return less;
}

}  // namespace

void WholeSequences::add(std::span<const data::Label> gold, std::span<const data::Label> said) {
  const size_t distance = eval::edit_distance(gold, said);
  ++sequences;
  exact += distance == 0;
  edits += distance;
}

struct Reporter::State {
  const EnsembleModel& model;
  data::LabelSet& labels;
  uint64_t seed;
  WeightTable short_table;
  Substructures substructures;
  Combiner combiner;
  std::vector<WeightTable> left_out_tables;
  std::vector<std::unique_ptr<Combiner>> left_out;
  EnsembleReport report;
  HammingMean loss, majority_loss;
  std::vector<HammingMean> expert_loss, left_out_loss;
  std::vector<double> weight_sum;
  double weight_items = 0;
  size_t number = 0;
  std::vector<eval::SequenceStatistics> ensemble_statistics;
  std::vector<std::vector<eval::SequenceStatistics>> expert_statistics;

  State(const EnsembleModel& m, bool legal, data::LabelSet& set, uint64_t random_seed)
      : model(m),
        labels(set),
        seed(random_seed),
        short_table(single_expert_table(m.experts.size(), m.best_expert)),
        substructures(m.substructures, set, m.scheme),
        combiner(m.rule(legal, short_table), substructures, set) {
    const size_t p = m.experts.size();
    report.aligned = m.aligned;
    report.experts.resize(p);
    report.agreement.resize(p * p);
    expert_loss.resize(p);
    left_out_loss.resize(p);
    weight_sum.assign(p, 0);
    expert_statistics.resize(p);
    for (size_t j = 0; j < p; ++j) {
      report.experts[j].name = m.experts[j];
      left_out_tables.push_back(without_expert(m.table, j));
    }
    if (p < 2) return;
    for (size_t j = 0; j < p; ++j) {
      CombineRule rule = m.rule(legal, short_table);
      rule.table = &left_out_tables[j];
      rule.suffix = nullptr;
      left_out.push_back(std::make_unique<Combiner>(rule, substructures, set));
    }
  }

  std::string_view text(data::Label label) const {
    return label == data::kNoLabel ? data::kUnknownLabelText : std::string_view(labels.name(label));
  }
  void texts(std::span<const data::Label> from, std::vector<std::string_view>& out) const {
    out.clear();
    for (const data::Label label : from) out.push_back(text(label));
  }
  static void add_loss(std::span<const data::Label> gold, std::span<const data::Label> said,
                       HammingMean& loss_mean) {
    size_t known = 0, wrong = 0;
    for (size_t t = 0; t < gold.size(); ++t) {
      if (gold[t] == data::kNoLabel) continue;
      ++known;
      wrong += gold[t] != said[t];
    }
    loss_mean.add(wrong, known);
  }
  void add_weights(const TokenVotes& tokens);
  /// The whole sequence without its gaps against gold. Without alignment that is asked of the ensemble alone.
  void add_whole(const TokenVotes& tokens, std::span<const data::Label> said, WholeSequences& whole) const {
    if (!model.aligned)
      whole.add(tokens.gold, said);
    else if (known(tokens))
      whole.add(tokens.target, without_gaps(said, model.gap()));
  }
  static bool known(const TokenVotes& tokens) {
    return !tokens.target.empty() || std::any_of(tokens.gold.begin(), tokens.gold.end(),
                                                 [](data::Label label) { return label != data::kNoLabel; });
  }
};

void Reporter::State::add_weights(const TokenVotes& tokens) {
  const VoteView view = substructures.encode(tokens);
  const size_t p = tokens.experts;
  for (size_t i = 0; i < view.items(); ++i) {
    const std::span<const double> row = model.table.row(view.slot[i]);
    double total = 0;
    for (size_t j = 0; j < p; ++j) total += view.item(i)[j] == kAbsent ? 0 : row[j];
    if (!(total > 0)) continue;
    weight_items += 1;
    for (size_t j = 0; j < p; ++j)
      if (view.item(i)[j] != kAbsent) weight_sum[j] += row[j] / total;
  }
}

Reporter::Reporter(const EnsembleModel& model, bool legal, data::LabelSet& labels, uint64_t seed)
    : state_(std::make_unique<State>(model, legal, labels, seed)) {}
Reporter::~Reporter() = default;

Status Reporter::add(const TokenVotes& tokens) {
  State& s = *state_;
  ESPALIER_CHECK(tokens.gold.size() == tokens.length());
  const size_t p = tokens.experts, length = tokens.length();
  if (length == 0) return {};
  std::vector<std::string_view> gold, said;
  s.texts(tokens.gold, gold);

  Combined combined;
  ESPALIER_TRY(s.combiner.combine(tokens, s.number, combined));
  std::vector<double> confidence;
  std::vector<float> shown;
  for (const double share : combined.share) {
    confidence.push_back(s.model.token_confidence(share));
    shown.push_back(static_cast<float>(confidence.back()));
  }
  s.texts(tokens.gold, gold);  // combining may have added labels
  s.texts(combined.labels, said);
  s.ensemble_statistics.push_back(s.report.ensemble.add(gold, said, shown));
  State::add_loss(tokens.gold, combined.labels, s.loss);
  s.report.sequence_calibration.add(s.model.sequence_confidence(sequence_score(confidence)),
                                    s.model.aligned
                                        ? without_gaps(combined.labels, s.model.gap()) == tokens.target
                                        : eval::zero_one_loss(tokens.gold, combined.labels) == 0);
  s.add_whole(tokens, combined.labels, s.report.whole);

  std::vector<data::Label> labels(length);
  const std::vector<double> alike(p, 1);
  for (size_t t = 0; t < length; ++t) {
    std::vector<Value> item;
    for (const data::Label label : tokens.row(t)) item.push_back(label == data::kNoLabel ? kAbsent : label);
    const Winner winner = vote(item, alike);
    labels[t] = winner.value == kAbsent ? data::kNoLabel : static_cast<data::Label>(winner.value);
  }
  s.texts(labels, said);
  s.report.majority.add(gold, said);
  State::add_loss(tokens.gold, labels, s.majority_loss);
  if (s.model.aligned) s.add_whole(tokens, labels, s.report.majority_whole);

  for (size_t j = 0; j < p; ++j) {
    ExpertReport& expert = s.report.experts[j];
    expert.silent_sequences += tokens.silent(j);
    for (size_t t = 0; t < length; ++t) {
      labels[t] = tokens.label(t, j);
      if (tokens.gold[t] == data::kNoLabel || labels[t] == data::kNoLabel) continue;
      const bool right = labels[t] == tokens.gold[t];
      Hits& position = expert.by_class[position_class(t, length)];
      position.right += right;
      ++position.total;
      if (tokens.gold[t] >= expert.by_label.size()) expert.by_label.resize(tokens.gold[t] + 1u);
      expert.by_label[tokens.gold[t]].right += right;
      ++expert.by_label[tokens.gold[t]].total;
    }
    s.texts(labels, said);
    s.expert_statistics[j].push_back(expert.scores.add(gold, said));
    State::add_loss(tokens.gold, labels, s.expert_loss[j]);
    if (s.model.aligned) s.add_whole(tokens, labels, expert.whole);
    for (size_t k = 0; k < p; ++k)
      for (size_t t = 0; t < length; ++t) {
        if (labels[t] == data::kNoLabel || tokens.label(t, k) == data::kNoLabel) continue;
        s.report.agreement[j * p + k].right += labels[t] == tokens.label(t, k);
        ++s.report.agreement[j * p + k].total;
      }
  }
  for (size_t j = 0; j < s.left_out.size(); ++j) {
    TokenVotes fewer = tokens;
    for (size_t t = 0; t < length; ++t) fewer.votes[t * p + j] = data::kNoLabel;
    ESPALIER_TRY(s.left_out[j]->combine(fewer, s.number, combined));
    State::add_loss(tokens.gold, combined.labels, s.left_out_loss[j]);
  }
  s.add_weights(tokens);
  ++s.number;
  ++s.report.sequences;
  s.report.tokens += length;
  return {};
}

Result<EnsembleReport> Reporter::finish() {
  State& s = *state_;
  if (s.loss.sequences() == 0) return fail("there is no sequence with gold labels to report on");
  s.report.loss = s.loss.mean();
  s.report.majority_loss = s.majority_loss.mean();
  for (size_t j = 0; j < s.report.experts.size(); ++j) {
    s.report.expert_loss.push_back(s.expert_loss[j].mean());
    if (s.report.expert_loss[j] < s.report.expert_loss[s.report.best_expert]) s.report.best_expert = j;
    if (s.weight_items > 0) s.report.experts[j].weight = s.weight_sum[j] / s.weight_items;
    s.report.experts[j].left_out_loss = s.left_out.empty() ? 0 : s.left_out_loss[j].mean() - s.report.loss;
  }
  const eval::Metric metric = s.report.ensemble.chunked() ? eval::Metric::kF1 : eval::Metric::kAccuracy;
  ESPALIER_ASSIGN(s.report.against_best,
                  eval::paired_bootstrap(s.expert_statistics[s.report.best_expert], s.ensemble_statistics,
                                         metric, Random(s.seed), {.samples = 2000, .confidence = 0.95}));
  return std::move(s.report);
}

Result<EnsembleReport> report_on_streams(const EnsembleModel& model, bool legal, AlignedExperts& aligned,
                                         data::LabelSet& labels, uint64_t seed, const Monitor& monitor) {
  constexpr size_t kReportEvery = 1024;
  Reporter reporter(model, legal, labels, seed);
  TokenVotes votes;
  Progress progress;
  progress.phase = "measuring";
  ESPALIER_TRY(aligned.rewind());
  while (true) {
    if (monitor.stop_requested()) return fail("interrupted before everything was read");
    bool left_out = false;
    ESPALIER_ASSIGN(const bool more, aligned.next(votes, left_out));
    if (!more) return reporter.finish();
    if (!left_out) ESPALIER_TRY(reporter.add(votes));
    progress.done += 1;
    if (static_cast<size_t>(progress.done) % kReportEvery == 0) monitor.report(progress);
  }
}

Result<std::vector<BoundLine>> paper_bounds(VoteSource& source, const EnsembleModel& model, double rho) {
  std::vector<BoundLine> lines;
  const size_t p = model.experts.size();
  ESPALIER_ASSIGN(const HammingMean vote_loss, evaluate(source, model.table));
  if (vote_loss.sequences() == 0) return fail("there is no sequence with gold labels to compute bounds on");
  const bool wmwp = model.method == Method::kMvote || model.method == Method::kRand;
  if (wmwp) {
    ESPALIER_ASSIGN(const double random, expected_random_loss(source, model.table));
    // The best path expert takes the best expert in every slot; its loss here estimates its expected loss.
    std::vector<double> arc_loss;
    ItemLosses losses(p);
    ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) {
      losses.measure(view);
      if (losses.known() == 0) return;
      arc_loss.resize(losses.slots() * p, 0);
      for (const uint32_t slot : losses.changed())
        for (size_t j = 0; j < p; ++j)
          arc_loss[slot * p + j] += losses.charges(slot)[j] / static_cast<double>(losses.known());
    }));
    double best_path = 0;
    for (size_t k = 0; k * p < arc_loss.size(); ++k)
      best_path += *std::min_element(arc_loss.begin() + static_cast<std::ptrdiff_t>(k * p),
                                     arc_loss.begin() + static_cast<std::ptrdiff_t>((k + 1) * p));
    best_path /= static_cast<double>(vote_loss.sequences());
    const size_t slots = std::max<size_t>(1, model.table.slots());
    lines.push_back(
        {"Theorem 1", best_path + theorem1_excess(1, slots, p, model.training_sequences, model.delta), random,
         fmt::format("loss of rand: that of the best path ({:.4f}, on this data) and an excess for {} "
                     "experts, {} slots, {} rounds",
                     best_path, p, slots, model.training_sequences)});
    lines.push_back({"Proposition 2", proposition2_bound(random), vote_loss.mean(),
                     "loss of the vote: twice the exact expectation of rand"});
  }
  if (model.method == Method::kEspboost) {
    ESPALIER_ASSIGN(const double margin, margin_loss(source, model.table, rho));
    lines.push_back(
        {"Theorem 5", theorem5_bound(model.boosting, rho), margin,
         fmt::format("share of items with a margin of at most {:g} on the sample that was learned from",
                     rho)});
    const std::vector<size_t> values(std::max<size_t>(1, model.table.slots()), model.labels.size());
    lines.push_back({"Theorem 4",
                     theorem4_bound(margin, rho, values, p, model.training_sequences, model.delta),
                     vote_loss.mean(), "loss of espboost: its margin loss, a complexity term, and chance"});
  }
  return lines;
}

}  // namespace espalier::ensemble
