// Part of training_job.h: the labels of segments inside the model. Tested in inner_scheme_test.cc.
#include <algorithm>
#include <map>

#include "espalier/linear/encoding/merge_ranks.h"
#include "espalier/model/training/training_job.h"

namespace espalier::model {

namespace {

/// Why the labels cannot tell places in segments apart; empty: they can.
std::string why_no_places(data::Scheme scheme, std::span<const data::Label> gold, const Team& team) {
  if (scheme == data::Scheme::kNone) return "the labels are not segments such as B-NP I-NP O";
  if (team.sum(std::count(gold.begin(), gold.end(), data::kNoLabel)) > 0)
    return "next to a label that is not known, the place of a token is not known either";
  return {};
}

/// Whether the labels of the scheme already say all that places say.
bool says_places(data::Scheme scheme) {
  return scheme == data::Scheme::kIobes || scheme == data::Scheme::kBilou || scheme == data::Scheme::kBmewo;
}

/// The share of tokens with the label O.
double share_outside(const linear::EncodedTraining& training, const Team& team) {
  const auto outside = training.labels.find("O");
  if (!outside || training.data.all_tokens() == 0) return 0;
  const auto count = team.sum(std::count(training.data.gold.begin(), training.data.gold.end(), *outside));
  return static_cast<double>(count) / static_cast<double>(training.data.all_tokens());
}

}  // namespace

Status TrainingJob::refine_labels() {
  const ModelKind kind = learner->traits().kind;
  if (kind != ModelKind::kChain && kind != ModelKind::kCascade) return {};
  const data::Scheme own = label_scheme();
  const std::optional<InnerScheme> asked = common().scheme;
  const bool old_is_refined = request.start_from && request.start_from->inner_labels().refined();
  bool refine = inner_scheme(asked, learner->traits().refines_segments,
                             share_outside(training, data_team())) == InnerScheme::kIobes;
  if (request.start_from) {
    if (asked && refine != old_is_refined)
      return fail("{}: the model was trained with scheme={}; leave scheme out to keep it",
                  request.start_from->file().name(), old_is_refined ? "iobes" : "data");
    refine = old_is_refined;
  }
  if (!refine || says_places(own)) return {};
  if (const std::string why = why_no_places(own, training.data.gold, data_team()); !why.empty()) {
    if (asked) return fail("{}: parameter scheme=iobes: {}", request.train.front().name(), why);
    if (old_is_refined)
      return fail("{}: {} was trained with scheme=iobes: {}", request.train.front().name(),
                  request.start_from->file().name(), why);
    return {};
  }
  data::LabelSet refined = old_is_refined ? request.start_from->inner_labels() : data::LabelSet();
  // First which there are, in the order of their first appearance on any rank; then what each token has.
  std::map<std::pair<data::Label, char>, data::Label> number;
  std::vector<linear::FirstSeen> fresh;
  std::vector<std::string_view> names;
  const auto for_each_token = [&](const auto& visit) {
    for (size_t s = 0; s < training.data.sequences(); ++s) {
      data::Label* const gold = training.data.gold.data() + training.data.sequence_begin[s];
      names.clear();
      for (size_t t = 0; t < training.data.length(s); ++t) names.push_back(training.labels.name(gold[t]));
      const std::string places = data::segment_places(names, own);
      for (size_t t = 0; t < names.size(); ++t) visit(s, t, gold[t], places[t]);
    }
  };
  for_each_token([&](size_t s, size_t t, data::Label label, char place) {
    if (number.try_emplace({label, place}, data::kNoLabel).second)
      fresh.push_back({linear::place_in_all(training.data.number_of(s), t), std::string(names[t]) + place});
  });
  for (const std::string& text : linear::in_order_of_first(fresh, data_team()))
    refined.add(std::string_view(text).substr(0, text.size() - 1), text.back());
  for (auto& [which, label] : number) label = *refined.find(training.labels.name(which.first), which.second);
  for_each_token([&](size_t, size_t, data::Label& label, char place) { label = number.at({label, place}); });
  training.labels = std::move(refined);
  return {};
}

}  // namespace espalier::model
