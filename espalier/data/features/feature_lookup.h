// From the name of a feature, as another program wrote it, to the hashes under which a template gives it:
// what the import of models needs. Make a FeatureLookup for a template, call find() for each name.
//
// A name is the text that a template line expands to: "U05:%x[-1,0]/%x[0,0]" gives "U05:the/cat". Where cells
// contain the text between two macros, a name can come from several rows of cells ("U05:1/2/cup"); other
// programs see one feature there, and find() gives the hashes of all of them. Time per name: templates × the
// length of the name, times the number of ways to split it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/features/feature_plan.h"
#include "espalier/data/features/features.h"

namespace espalier::data {

class FeatureLookup {
 public:
  /// The template of `options`, which must have one. Errors name its line.
  static Result<FeatureLookup> make(const FeatureOptions& options);

  /// The hashes of the state (or edge) features of this name; none if no line of the template gives it.
  /// Trailing blanks do not count, because templates are read without them. An error if the name can be split
  /// in too many ways.
  Status find(std::string_view name, bool edge, std::vector<uint64_t>& hashes) const;

  /// How many columns the template looks at: the number of the last one, from 1.
  size_t columns() const;

  /// How many lines give the same text everywhere and are about neighbouring labels, so that their weights
  /// are those of plain transitions.
  size_t plain_transitions(std::string_view name) const;

 private:
  FeatureLookup() = default;
  FeaturePlan plan_;
  std::vector<std::string> plain_;  ///< lines about neighbouring labels without macros
};

}  // namespace espalier::data
