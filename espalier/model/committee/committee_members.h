// The members of a committee: asking them, averaging what they say, and learning whom to trust. Tested in
// committee_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/cascade/model/model.h"
#include "espalier/chain/model/model.h"
#include "espalier/chain/ways_back.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/predictor.h"
#include "espalier/data/segment_choice.h"
#include "espalier/model/model.h"

namespace espalier::model {

/// Probabilities of labels below this are left out of what members say.
inline constexpr float kLeastProbability = 0.001f;
/// The same for segments.
inline constexpr double kLeastSegment = 0.005;

/// What one member says about a sequence.
struct Opinion {
  struct Belief {
    uint32_t row;
    data::Label label;
    float probability;
  };
  std::vector<Belief> labels;  ///< by row; what is next to impossible is left out
  std::vector<data::LikelySegment>
      segments;  ///< where labels are segments; types are those of Members::rules()
};

/// What the members say together: weighted means.
struct Pooled {
  std::vector<float> labels;  ///< rows × labels
  std::vector<data::LikelySegment> segments;
  /// The labels to answer with.
  std::vector<data::Label> best;

  // Buffers of Members::pool().
  std::vector<uint32_t> last_ending, next_ending;  ///< the segments that end at each row, as lists
  data::SegmentChoice choice;
  std::vector<data::Span> spans;
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
    chain::SegmentFinder finder;
    std::vector<double> states;
    std::vector<float> row;
    std::vector<data::Label> labels;
  };
  /// `labels` are those of the committee; what a member says about others is not heard.
  Members(std::vector<Member> members, data::LabelSet labels, data::Scheme scheme);

  size_t size() const { return members_.size(); }
  const std::string& name(size_t member) const { return members_[member].name; }
  const data::LabelSet& labels() const { return labels_; }
  /// Which labels are segments, and the numbers of their types; null where labels are not segments.
  const chain::SpanRules* rules() const { return rules_ ? &*rules_ : nullptr; }
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
  /// A member as it is asked: by what it believes, or if it is neither a chain nor a cascade by its answer.
  struct Asked {
    const chain::ChainPredictor* chain = nullptr;
    const cascade::CascadePredictor* cascade = nullptr;
    std::vector<data::Label> label;         ///< of each of its labels: the committee's, or kNoLabel
    std::optional<chain::SpanRules> rules;  ///< where labels are segments
    std::vector<uint32_t> type;             ///< of each of its types: the committee's, or kOutside
  };
  void hear(const Asked& member, const chain::WaysBack& ways, Scratch& scratch, Opinion& out) const;
  void hear(std::span<const data::Label> answer, Opinion& out) const;

  std::vector<Member> members_;
  data::LabelSet labels_;
  data::Scheme scheme_;
  std::optional<chain::SpanRules> rules_;
  std::vector<Asked> asked_;
};

/// Learns the weights of members from what they say about sequences that they have not seen: from equal ones,
/// a weight at a time is doubled, halved or set to 0 as long as that makes the score clearly better: by
/// 50/√n points, at least a tenth. Where one member alone is better than what was found by as much, it gets
/// all the weight. The score is F1 of n segments, or accuracy of n tokens. `said` has the opinions of each
/// sequence.
std::vector<double> learn_weights(const Members& members, std::span<const data::Sequence* const> sequences,
                                  std::span<const std::vector<Opinion>> said, Workers& workers);

}  // namespace espalier::model
