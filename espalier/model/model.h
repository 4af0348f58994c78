// An open model: one file, or bytes in memory, with everything it needs.
//
// Call open() or from_bytes(), then predictor(), which obeys the constraints that the model was trained with.
// Opening checks every byte and takes milliseconds; files of up to 64 MB are copied into memory, larger ones
// mapped. Tested in train_test.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/base/result.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/data/predictor.h"
#include "espalier/model/constraint_file.h"
#include "espalier/model/model_header.h"

namespace espalier::tasks {
class TreePredictor;
}

namespace espalier::model {

struct Task;

/// Immutable; any number of threads may use it at once.
class Model {
 public:
  static Result<Model> open(const std::string& path);
  static Result<Model> open(const std::string& path, std::string name);
  /// Error messages call the model `name`.
  static Result<Model> from_bytes(const std::vector<std::byte>& bytes, std::string name);
  /// The same without a copy: the bytes must outlive the model.
  static Result<Model> from_view(std::span<const std::byte> bytes, std::string name);

  const ModelHeader& about() const { return about_; }
  const Task& task() const { return *task_; }
  /// The scheme of the training data's labels, as far as the model knows it.
  data::Scheme scheme() const;
  /// Those of the data. The model itself can have finer ones (inner_labels).
  const data::LabelSet& labels() const { return bare().labels(); }
  const data::LabelSet& inner_labels() const { return bare_->labels(); }
  /// The predictor, under the constraints that the model was trained with, if any.
  const data::Predictor& predictor() const { return constrained_ ? *constrained_ : bare(); }
  /// The predictor without constraints.
  const data::Predictor& bare() const { return plain_ ? *plain_ : *bare_; }
  const SectionFile& file() const { return *file_; }

  /// The constraints that the model was trained with, if any.
  const std::optional<ConstraintFile>& constraints() const { return constraints_; }
  /// A predictor under these constraints instead. It refers to the model, which must outlive it.
  Result<std::unique_ptr<data::Predictor>> under(const ConstraintFile& constraints,
                                                 const constrain::ConstrainedOptions& options) const;

  /// The predictor without constraints, with its own labels, if it is a P, otherwise null.
  template <typename P>
  const P* as() const {
    return dynamic_cast<const P*>(bare_.get());
  }

 private:
  /// Wraps the predictor so that it obeys constraints; the type of the result depends on the kind of model.
  using Constrain = std::function<Result<std::unique_ptr<data::Predictor>>(
      constrain::Constraints, const constrain::ConstrainedOptions&)>;
  static Result<Model> make(SectionFile file);
  Status load_predictor();
  Result<std::unique_ptr<data::Predictor>> tree_rules(const ConstraintFile& constraints,
                                                      const constrain::ConstrainedOptions& options) const;
  template <typename P>
  Result<const P*> load_as();
  std::unique_ptr<SectionFile> file_;  ///< behind a pointer: the predictor holds views of it
  ModelHeader about_;
  const Task* task_ = nullptr;  ///< about_.task in the table of tasks
  std::unique_ptr<data::Predictor> bare_;
  std::unique_ptr<data::Predictor> plain_;  ///< bare_ with the labels of the data; null: it has these itself
  const tasks::TreePredictor* parser_ = nullptr;  ///< bare_ if it is a parser
  Constrain constrain_;                           ///< empty: this kind of model does not support constraints
  std::optional<ConstraintFile> constraints_;
  std::unique_ptr<data::Predictor> constrained_;  ///< refers to bare_; null if there are no constraints
};

/// The sections of a model file without the names of its features: smaller, the same predictions, nothing to
/// inspect.
SectionWriter without_names(const SectionFile& file);

}  // namespace espalier::model
