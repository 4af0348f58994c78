// A model of another program as it is in its file, before it becomes one of ours: labels, feature names,
// weights, template. read_crfsuite, read_crfpp_text, read_crfpp_binary and read_wapiti make one from the
// bytes of a file; import_model.h chooses among them and converts the result.
//
// Nothing in a file is trusted: every count, offset and number is checked before it is used. No more memory
// is taken than a small multiple of the file's size, and the square of the labels for transitions (at most 64
// MB). Tested in import_model_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::model {

/// Features and their weights, one after another: the weights of feature f are [begin[f], begin[f+1]).
struct ForeignFeatures {
  std::vector<std::string> names;
  std::vector<size_t> begin{0};
  std::vector<uint32_t> column;  ///< the label, or label before · labels + label; ascending per feature
  std::vector<float> weight;

  size_t size() const { return names.size(); }
  /// Ends the feature whose weights were added to `column` and `weight`.
  void end(std::string_view name) {
    names.emplace_back(name);
    begin.push_back(column.size());
  }
  /// Adds a weight of the feature that is ended next; 0 is left out.
  void add(uint32_t at, float value) {
    if (value == 0) return;
    column.push_back(at);
    weight.push_back(value);
  }
};

struct ForeignModel {
  std::string_view program;  ///< "CRFsuite", "CRF++" or "Wapiti"
  std::vector<std::string> labels;
  std::string template_text;    ///< empty: features are attributes
  size_t columns = 0;           ///< that the program asks for, without the label; 0: those of the template
  bool per_position = false;    ///< probabilities are those of a label given the one before (MEMM)
  bool bytes = false;           ///< patterns see bytes and ASCII letters
  ForeignFeatures state, edge;  ///< edge: about the label before and the label here
  std::vector<float> trans;     ///< labels × labels, or empty: of attributes' models
};

Result<ForeignModel> read_crfsuite(std::string_view bytes, const std::string& name);
Result<ForeignModel> read_crfpp_text(std::string_view bytes, const std::string& name);
Result<ForeignModel> read_crfpp_binary(std::string_view bytes, const std::string& name);
Result<ForeignModel> read_wapiti(std::string_view bytes, const std::string& name);

/// More labels than this are refused: transitions take their square.
inline constexpr size_t kMostForeignLabels = 4096;
/// An error if labels cannot be labels of ours: none, too many, "_" (not known), empty, twice, not UTF-8.
Status check_foreign_labels(const std::vector<std::string>& labels, const std::string& name);
/// The weight as it is stored; an error if that is not a finite number.
Result<float> foreign_weight(double value, const std::string& name);

}  // namespace espalier::model
