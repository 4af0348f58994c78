// A base class for predictors that decode in their own way and are otherwise the model that they wrap: a
// model under constraints, for example. Derive from it and implement predict(). Every other call is
// forwarded; wrapped_predictor_test.cc fails when Predictor gets a virtual function that is not.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/data/predictor.h"

namespace espalier::data {

/// The wrapped model must outlive this. As thread-safe as the class that derives from it.
class WrappedPredictor : public Predictor {
 public:
  const LabelSet& labels() const override { return wrapped_.labels(); }
  size_t label_columns() const override { return wrapped_.label_columns(); }
  const LabelSet& labels_of_column(size_t column) const override { return wrapped_.labels_of_column(column); }
  bool is_search() const override { return wrapped_.is_search(); }
  bool builds_trees() const override { return wrapped_.builds_trees(); }
  std::unique_ptr<Scratch> make_scratch() const override { return wrapped_.make_scratch(); }
  Explained explain_forced(const Sequence& sequence, std::span<const Label> forced,
                           Scratch& scratch) const override {
    return wrapped_.explain_forced(sequence, forced, scratch);
  }
  StrongestWeights strongest(size_t how_many, std::optional<Label> only) const override {
    return wrapped_.strongest(how_many, only);
  }
  std::vector<WeightedTransition> weighted_transitions() const override {
    return wrapped_.weighted_transitions();
  }
  Size size() const override { return wrapped_.size(); }
  std::string about_weights() const override { return wrapped_.about_weights(); }
  std::string no_transitions() const override { return wrapped_.no_transitions(); }
  std::string about_constraints() const override { return wrapped_.about_constraints(); }
  std::string details() const override { return wrapped_.details(); }

 protected:
  explicit WrappedPredictor(const Predictor& wrapped) : wrapped_(wrapped) {}

 private:
  const Predictor& wrapped_;
};

}  // namespace espalier::data
