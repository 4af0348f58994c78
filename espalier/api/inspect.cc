// Tagger::inspect: the size and the largest weights of a model. Tested in tagger_test.cc and
// apps/tests/verbs_test.sh.
#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/api/tagger.h"

namespace espalier {

Result<Inspection> Tagger::inspect(const InspectOptions& options) const {
  const data::Predictor& predictor = state_->model.bare();
  const auto name_of = [&](size_t column, data::Label label) {
    return predictor.labels_of_column(column).name(label);
  };
  bool known = options.label.empty();
  for (size_t c = 0; c < predictor.label_columns(); ++c)
    known = known || predictor.labels_of_column(c).find(options.label);
  if (!known) return fail("{}: the model has no label '{}'", state_->model.file().name(), options.label);
  const std::optional<data::Label> only = predictor.labels().find(options.label);

  Inspection out;
  const data::Predictor::Size size = predictor.size();
  out.features = size.features;
  out.weights = size.weights;
  out.weight_bits = size.weight_bits;
  out.names = size.names;
  out.about_weights = predictor.about_weights();
  out.details = predictor.details();
  // A label may belong to any of several columns, so all weights are searched.
  const bool any_column = predictor.label_columns() > 1 && !options.label.empty();
  const auto strongest = any_column ? predictor.strongest(std::numeric_limits<size_t>::max(), std::nullopt)
                                    : predictor.strongest(options.top, only);
  if (!strongest.ok()) {
    out.no_features = strongest.error().message;
  } else {
    for (const auto& f : *strongest) {
      if (out.strongest.size() == options.top) break;
      if (!any_column || name_of(f.column, f.label) == options.label)
        out.strongest.push_back({f.feature, name_of(f.column, f.label), f.weight, f.column});
    }
  }
  auto transitions = predictor.weighted_transitions();
  if (transitions.empty()) out.no_transitions = predictor.no_transitions();
  std::stable_sort(transitions.begin(), transitions.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.weight) > std::abs(b.weight); });
  for (const auto& t : transitions) {
    if (out.transitions.size() == options.top) break;
    if (!only || t.from == *only || t.to == *only)
      out.transitions.push_back({predictor.labels().name(t.from), predictor.labels().name(t.to), t.weight});
  }
  return out;
}

}  // namespace espalier
