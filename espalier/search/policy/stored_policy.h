// Classifiers of a search in a model file: save_policy() writes one, load_policy() opens it as a
// StoredPolicy, and make_scorer() gives each thread a scorer. Loading reads the whole policy once to check
// it; weights stay in the mapped file. Classifiers with rows can be trained further (old_rows). Tested in
// espalier/model/training/train_search_test.cc and apps/tests/search_test.sh.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/base/result.h"
#include "espalier/data/features/features.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/encoding/feature_map.h"
#include "espalier/linear/packed_rows.h"
#include "espalier/search/policy/batch_classifier.h"
#include "espalier/search/policy/row_weights.h"
#include "espalier/search/policy/scorer.h"

namespace espalier::search {

/// A scorer that looks up the static features of an input itself.
class InputScorer : public Scorer {
 public:
  /// Starts a new input: block b has the features [state_begin[b], state_begin[b+1]). `blocks` must outlive
  /// the scoring.
  virtual void prepare(const data::HashedFeatures& blocks) = 0;
  /// Asks the scorer to keep the sums of what recurs in text (linear/grouped_sums.h), for prepare_grouped().
  /// The features of tokens count once in each of the roles, if there are any, in block role · T + t;
  /// otherwise in block t. Returns whether it will.
  virtual bool keep_sums(const data::FeatureExtractor&, std::vector<uint64_t> /*roles*/) { return false; }
  /// Starts a new input like prepare(), with the same scores to the last bit; blocks cannot be visited then.
  /// `more`, if not null, has further features of all blocks. False if nothing was done: prepare() must do
  /// it.
  virtual bool prepare_grouped(const data::Sequence&, data::FeatureExtractor::Scratch&,
                               data::GroupedFeatures&, const data::HashedFeatures* /*more*/) {
    return false;
  }
  /// Calls visit(slot, label, weight) for the weights of the block's features; never for kernel machines.
  using Visit = std::function<void(size_t slot, uint32_t label, double weight)>;
  virtual void visit_block(uint32_t block, const Visit& visit) const = 0;
  virtual void visit_entry(uint64_t hash, const Visit& visit) const = 0;
};

/// A classifier in a model file. Immutable. Views the section file, which must outlive it.
class StoredPolicy {
 public:
  virtual ~StoredPolicy() = default;
  /// Makes a scorer for one thread.
  virtual std::unique_ptr<InputScorer> make_scorer() const = 0;
  virtual size_t features() const = 0;
  virtual size_t weights() const = 0;
  virtual int bits() const { return 32; }
  /// The rows of static features, for inspection; null if there are none.
  virtual const linear::PackedRows* rows() const { return nullptr; }
  /// Tables and rows, to train the classifier further; nothing if it has none.
  virtual std::optional<OldRows> old_rows() const { return std::nullopt; }
  /// Calls visit(label, weight) for each weight of a hashed feature, if it has any.
  virtual void visit_hashed(uint64_t, const std::function<void(uint32_t label, float weight)>&) const {}
};

/// Adds the sections of a classifier under a prefix. Returns the header that load_policy needs.
std::string save_policy(const std::string& prefix, const Scorer& scorer, const linear::FeatureSpace& features,
                        int bits, SectionWriter& out);
/// Opens a classifier and checks every section. `header` is what save_policy returned.
Result<std::unique_ptr<StoredPolicy>> load_policy(const SectionFile& file, const std::string& prefix,
                                                  const std::string& header, size_t labels);

}  // namespace espalier::search
