// The members of a committee: asking them, averaging what they say, and learning whom to trust. Tested in
// committee_test.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/predictor.h"
#include "espalier/model/model.h"

namespace espalier::model {

/// Probabilities below this are left out of what members say.
inline constexpr float kLeastProbability = 0.001f;

/// What one member says about a sequence.
struct Opinion {
  struct Belief {
    uint32_t row;
    data::Label label;
    float probability;
  };
  std::vector<Belief> labels;                  ///< by row; what is next to impossible is left out
  std::vector<data::SpanConfidence> segments;  ///< where labels are segments
};

/// What the members say together: weighted means.
struct Pooled {
  std::vector<float> labels;  ///< rows × labels
  std::vector<data::SpanConfidence> segments;
  /// The labels to answer with.
  std::vector<data::Label> best;
};

/// The members, and how to ask them. Immutable; one scratch per thread.
class Members {
 public:
  struct Member {
    std::string name;
    const Model* model;
  };
  struct Scratch {
    std::vector<std::unique_ptr<data::Predictor::Scratch>> members;
    data::Prediction said;
    std::vector<std::string_view> names;
    std::vector<data::Span> spans;
  };
  /// `labels` are those of the committee; what a member says about others is not heard.
  Members(std::vector<Member> members, data::LabelSet labels, data::Scheme scheme);

  size_t size() const { return members_.size(); }
  const std::string& name(size_t member) const { return members_[member].name; }
  const data::LabelSet& labels() const { return labels_; }
  Scratch make_scratch() const;
  /// Asks every member.
  Status ask(const data::Sequence& sequence, Scratch& scratch, std::vector<Opinion>& said) const;
  /// One weight for each member, not all 0.
  void pool(std::span<const Opinion> said, std::span<const double> weights, size_t length, Pooled& out) const;
  /// The mean probabilities as attributes of a sequence, for the chain. `with_cells`: the cells are copied,
  /// too, for constraints that read them. Labels are always.
  void describe(const data::Sequence& sequence, const Pooled& pooled, bool with_cells,
                data::Sequence& out) const;

 private:
  std::vector<Member> members_;
  std::vector<std::vector<data::Label>> own_label_;  ///< of a member's label: the committee's
  data::LabelSet labels_;
  data::Scheme scheme_;
};

/// Learns the weights of members from what they say about sequences that they have not seen: from equal ones,
/// a weight at a time is doubled, halved or set to 0 as long as that makes the score clearly better: by
/// 50/√tokens points, at least a tenth. The score is F1 of segments, or accuracy. `said` has the opinions of
/// each sequence.
std::vector<double> learn_weights(const Members& members, std::span<const data::Sequence* const> sequences,
                                  std::span<const std::vector<Opinion>> said, Workers& workers);

}  // namespace espalier::model
