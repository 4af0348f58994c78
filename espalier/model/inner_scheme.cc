// Part of training_job.h: the labels of segments inside the model. Tested in inner_scheme_test.cc.
#include <algorithm>
#include <map>

#include "espalier/model/training_job.h"

namespace espalier::model {

namespace {

/// Why the labels cannot tell places in segments apart; empty: they can.
std::string why_no_places(data::Scheme scheme, std::span<const data::Label> gold) {
  if (scheme == data::Scheme::kNone) return "the labels are not segments such as B-NP I-NP O";
  if (std::find(gold.begin(), gold.end(), data::kNoLabel) != gold.end())
    return "next to a label that is not known, the place of a token is not known either";
  return {};
}

/// Whether the labels of the scheme already say all that places say.
bool says_places(data::Scheme scheme) {
  return scheme == data::Scheme::kIobes || scheme == data::Scheme::kBilou || scheme == data::Scheme::kBmewo;
}

/// The share of tokens with the label O.
double share_outside(const linear::EncodedTraining& training) {
  const auto outside = training.labels.find("O");
  if (!outside || training.data.gold.empty()) return 0;
  const auto count = std::count(training.data.gold.begin(), training.data.gold.end(), *outside);
  return static_cast<double>(count) / static_cast<double>(training.data.gold.size());
}

}  // namespace

Status TrainingJob::refine_labels() {
  const ModelKind kind = learner->traits().kind;
  if (kind != ModelKind::kChain && kind != ModelKind::kCascade) return {};
  const data::Scheme own = label_scheme();
  const std::optional<InnerScheme> asked = common().scheme;
  const bool old_is_refined = request.start_from && request.start_from->inner_labels().refined();
  bool refine = inner_scheme(asked, request.learner, share_outside(training)) == InnerScheme::kIobes;
  if (request.start_from) {
    if (asked && refine != old_is_refined)
      return fail("{}: the model was trained with scheme={}; leave scheme out to keep it",
                  request.start_from->file().name(), old_is_refined ? "iobes" : "data");
    refine = old_is_refined;
  }
  if (!refine || says_places(own)) return {};
  if (const std::string why = why_no_places(own, training.data.gold); !why.empty()) {
    if (asked) return fail("{}: parameter scheme=iobes: {}", request.train.front().name(), why);
    if (old_is_refined)
      return fail("{}: {} was trained with scheme=iobes: {}", request.train.front().name(),
                  request.start_from->file().name(), why);
    return {};
  }
  data::LabelSet refined = old_is_refined ? request.start_from->inner_labels() : data::LabelSet();
  std::map<std::pair<data::Label, char>, data::Label> number;
  std::vector<std::string_view> names;
  for (size_t s = 0; s < training.data.sequences(); ++s) {
    data::Label* const gold = training.data.gold.data() + training.data.sequence_begin[s];
    names.clear();
    for (size_t t = 0; t < training.data.length(s); ++t) names.push_back(training.labels.name(gold[t]));
    const std::string places = data::segment_places(names, own);
    for (size_t t = 0; t < names.size(); ++t) {
      const auto [known, is_new] = number.try_emplace({gold[t], places[t]}, data::kNoLabel);
      if (is_new) known->second = refined.add(names[t], places[t]);
      gold[t] = known->second;
    }
  }
  training.labels = std::move(refined);
  return {};
}

}  // namespace espalier::model
