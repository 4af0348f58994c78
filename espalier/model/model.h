// A model as its users know it: one file that remembers everything it needs.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/base/section_file.h"
#include "espalier/data/predictor.h"
#include "espalier/model/about.h"

namespace espalier::model {

/// Opened models are immutable and may serve any number of threads.
class Model {
 public:
  static Result<Model> open(const std::string& path);
  static Result<Model> from_bytes(const std::vector<std::byte>& bytes, std::string name);

  const About& about() const { return about_; }
  const data::LabelSet& labels() const { return predictor_->labels(); }
  const data::Predictor& predictor() const { return *predictor_; }
  const SectionFile& file() const { return *file_; }

 private:
  static Result<Model> make(SectionFile file);
  std::unique_ptr<SectionFile> file_;  ///< behind a pointer: the predictor holds views of it
  About about_;
  std::unique_ptr<data::Predictor> predictor_;
};

/// Copies a model without its names section: smaller, the same predictions, nothing to inspect.
Status strip_names(const std::string& from, const std::string& to);

}  // namespace espalier::model
