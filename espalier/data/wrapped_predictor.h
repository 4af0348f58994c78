// A predictor around another one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/data/predictor.h"

namespace espalier::data {

/// Predicts in its own way (predict() is left to the class that derives from this) and is in all else what
/// the model is that it wraps, which must outlive it.
class WrappedPredictor : public Predictor {
 public:
  const LabelSet& labels() const override { return wrapped_.labels(); }
  std::unique_ptr<Scratch> make_scratch() const override { return wrapped_.make_scratch(); }
  Result<std::vector<Explanation>> explain(const Sequence& sequence, Scratch& scratch) const override {
    return wrapped_.explain(sequence, scratch);
  }
  Result<std::vector<WeightedFeature>> strongest(size_t how_many, std::optional<Label> only) const override {
    return wrapped_.strongest(how_many, only);
  }
  std::vector<WeightedTransition> weighted_transitions() const override {
    return wrapped_.weighted_transitions();
  }
  Size size() const override { return wrapped_.size(); }
  std::string about_weights() const override { return wrapped_.about_weights(); }
  std::string no_transitions() const override { return wrapped_.no_transitions(); }
  std::string details() const override { return wrapped_.details(); }

 protected:
  explicit WrappedPredictor(const Predictor& wrapped) : wrapped_(wrapped) {}

 private:
  const Predictor& wrapped_;
};

}  // namespace espalier::data
