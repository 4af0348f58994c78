// Classifiers of a search in a model file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/base/section_file.h"
#include "espalier/data/features/features.h"
#include "espalier/linear/dataset.h"
#include "espalier/linear/feature_map.h"
#include "espalier/linear/packed_rows.h"
#include "espalier/search/policy/batch_classifier.h"
#include "espalier/search/policy/row_weights.h"
#include "espalier/search/policy/scorer.h"

namespace espalier::search {

/// A scorer that finds the static features of an input itself.
class InputScorer : public Scorer {
 public:
  /// A new input: block b has the features [state_begin[b], state_begin[b+1]). They outlive their scoring.
  virtual void prepare(const data::HashedFeatures& blocks) = 0;
  /// Calls visit(slot, label, weight) for the weights that block's features have; nothing for kernels.
  using Visit = std::function<void(size_t slot, uint32_t label, double weight)>;
  virtual void visit_block(uint32_t block, const Visit& visit) const = 0;
  virtual void visit_entry(uint64_t hash, const Visit& visit) const = 0;
};

/// A classifier as it is stored: views of the section file, which must outlive it. Immutable.
class StoredPolicy {
 public:
  virtual ~StoredPolicy() = default;
  /// A thread's own.
  virtual std::unique_ptr<InputScorer> make_scorer() const = 0;
  virtual size_t features() const = 0;
  virtual size_t weights() const = 0;
  virtual int bits() const { return 32; }
  /// Static rows, for inspection; null where there are none.
  virtual const linear::PackedRows* rows() const { return nullptr; }
  /// Calls visit(label, weight) for the weights of a hashed feature; nothing where it has none.
  virtual void visit_hashed(uint64_t, const std::function<void(uint32_t label, float weight)>&) const {}
};

/// Adds the sections of a classifier under a prefix, and returns what load_policy wants to know.
std::string save_policy(const std::string& prefix, const Scorer& scorer, const linear::FeatureSpace& features,
                        int bits, SectionWriter& out);
/// Everything is checked.
Result<std::unique_ptr<StoredPolicy>> load_policy(const SectionFile& file, const std::string& prefix,
                                                  const std::string& header, size_t labels);

}  // namespace espalier::search
