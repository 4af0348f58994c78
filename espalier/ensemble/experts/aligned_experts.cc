#include "espalier/ensemble/experts/aligned_experts.h"

#include <algorithm>

#include "espalier/base/text/text.h"
#include "espalier/data/formats/lines.h"

namespace espalier::ensemble {
namespace {

constexpr size_t kContextRows = 3;

/// One side of a mismatch: the rows around the one that differs.
std::string row_text(const ExpertStream& stream, size_t row) {
  const data::Sequence& sequence = stream.sequence();
  if (row >= sequence.length()) return "(end of the sequence)";
  const std::string_view token = token_text(sequence, row, stream.reading().format);
  return std::string(token.empty() ? sequence.raw(row) : token);
}

}  // namespace

Result<Missing> parse_missing(std::string_view text) {
  if (text == "error") return Missing::kError;
  if (text == "spread") return Missing::kSpread;
  if (text == "leave-out") return Missing::kLeaveOut;
  return fail("missing '{}': expected error, spread or leave-out", text);
}

AlignedExperts::AlignedExperts(std::unique_ptr<ExpertStream> reference,
                               std::vector<std::unique_ptr<ExpertStream>> experts, bool gold, Missing missing,
                               data::LabelSet& labels)
    : apart_(std::move(reference)),
      streams_(std::move(experts)),
      reference_(apart_.get()),
      at_end_(streams_.size(), 0),
      gold_(gold),
      missing_(missing),
      labels_(labels) {
  for (const auto& stream : streams_) experts_ += stream->width();
  missed_.assign(experts_, 0);
}

AlignedExperts::AlignedExperts(std::vector<std::unique_ptr<ExpertStream>> experts, size_t lead,
                               Missing missing, data::LabelSet& labels)
    : AlignedExperts(nullptr, std::move(experts), false, missing, labels) {
  reference_ = streams_[lead].get();
}

std::vector<std::string> AlignedExperts::expert_names() const {
  std::vector<std::string> names;
  for (const auto& stream : streams_)
    for (std::string& name : stream->expert_names()) names.push_back(std::move(name));
  return names;
}

Status AlignedExperts::rewind() {
  if (apart_) ESPALIER_TRY(apart_->rewind());
  for (size_t i = 0; i < streams_.size(); ++i) {
    ESPALIER_TRY(streams_[i]->rewind());
    at_end_[i] = 0;
    if (streams_[i].get() == reference_) continue;  // advances in next(), with the reference
    ESPALIER_ASSIGN(const bool more, streams_[i]->advance());
    at_end_[i] = !more;
  }
  sequence_number_ = 0;
  started_ = true;
  std::fill(missed_.begin(), missed_.end(), 0);
  return {};
}

AlignedExperts::Match AlignedExperts::match(const ExpertStream& stream) const {
  const data::Sequence &a = reference_->sequence(), &b = stream.sequence();
  const std::string_view name_a = sequence_name(a), name_b = sequence_name(b);
  if (!name_a.empty() && !name_b.empty() && reference_->labels_alone() && stream.labels_alone() &&
      name_a != name_b)
    return Match::kOther;
  if (aligner_) return Match::kSame;
  if (a.length() != b.length()) return Match::kOther;
  for (size_t w = 1; w < stream.width(); ++w)
    if (stream.speaks(w) && stream.length(w) != a.length()) return Match::kOther;
  const data::Format fa = reference_->reading().format, fb = stream.reading().format;
  if (!has_tokens(a, fa) || !has_tokens(b, fb)) return Match::kSame;
  const size_t column_a = token_column(fa), column_b = token_column(fb);
  for (size_t row = 0; row < a.length(); ++row)
    if (a.cell(row, column_a) != b.cell(row, column_b)) return Match::kOther;
  return Match::kSame;
}

Error AlignedExperts::mismatch(const ExpertStream& stream) {
  const data::Sequence &a = reference_->sequence(), &b = stream.sequence();
  if (stream.by_number()) {
    lengths_differ_ = reference_->labels_alone();
    return fail(
        "{}: sequence {} has {} labels, expected {} as in {}; outputs of unequal length can be put side by "
        "side (align = yes)",
        stream.name(), sequence_number_, b.length(), a.length(), reference_->name());
  }
  if (reference_->labels_alone() && stream.labels_alone()) {
    if (const std::string_view x = sequence_name(a), y = sequence_name(b); !x.empty() && !y.empty() && x != y)
      return fail(
          "{} and {} are not about the same sequences: the name of sequence {} is {} in the first, {} "
          "in the second",
          reference_->name(), stream.name(), sequence_number_, data::in_quotes(x), data::in_quotes(y));
    lengths_differ_ = true;
    size_t other = b.length();
    for (size_t w = 1; w < stream.width() && other == a.length(); ++w)
      if (stream.speaks(w)) other = stream.length(w);
    return fail(
        "{} and {} hold labels alone, and sequence {} has {} labels in the first, {} in the second; labels "
        "of unequal number can be aligned (ensemble learn --align yes)",
        reference_->name(), stream.name(), sequence_number_, a.length(), other);
  }
  const data::Format fa = reference_->reading().format, fb = stream.reading().format;
  const bool compare = has_tokens(a, fa) && has_tokens(b, fb);
  size_t row = 0;
  const size_t shorter = std::min(a.length(), b.length());
  while (row < shorter && (!compare || token_text(a, row, fa) == token_text(b, row, fb))) ++row;
  std::string text = fmt::format("{} and {} are not about the same tokens: sequence {} differs at token {}",
                                 reference_->name(), stream.name(), sequence_number_, row + 1);
  const auto heading = [](const ExpertStream& side) {
    return fmt::format("{}:{}", side.name(), side.sequence().empty() ? 0 : side.sequence().line(0));
  };
  size_t width = heading(*reference_).size();
  const size_t first = row < kContextRows ? 0 : row - kContextRows;
  const size_t last = std::min(row + 2, std::max(a.length(), b.length()));
  for (size_t r = first; r < last; ++r) width = std::max(width, row_text(*reference_, r).size());
  width = std::min<size_t>(width, 40);
  text += fmt::format("\n    {:<{}}  {}", heading(*reference_), width, heading(stream));
  for (size_t r = first; r < last; ++r)
    text += fmt::format("\n  {} {:<{}}  {}", r == row ? ">" : " ", row_text(*reference_, r), width,
                        row_text(stream, r));
  if (missing_ == Missing::kError)
    text += "\n  (--missing spread or leave-out lets experts miss whole sequences)";
  return Error{std::move(text)};
}

Result<data::Label> AlignedExperts::intern(std::string_view text) {
  if (text == data::kUnknownLabelText) return data::kNoLabel;
  const auto known = labels_.find(text);
  if (aligner_ && known == gap_)
    return fail("{}: sequence {} has the label {}, which is reserved for gaps; rename it", reference_->name(),
                sequence_number_, kGapText);
  if (known) return *known;
  if (labels_.size() + 2 >= data::kNoLabel)
    return fail("{}: there are more than {} different labels", reference_->name(), data::kNoLabel - 3);
  return labels_.add(text);
}

/// An output without what is not known; one of nothing but "_" does not speak.
Status AlignedExperts::read_output(const ExpertStream& stream, size_t w, ExpertOutput& output) {
  output.labels.clear();
  const size_t length = stream.length(w);
  if (length > kLongestAligned)
    return fail("{}: sequence {} has {} labels; outputs of more than {} cannot be aligned", stream.name(),
                sequence_number_, length, kLongestAligned);
  for (size_t row = 0; row < length; ++row) {
    data::Label label = data::kNoLabel;
    if (!number_of(stream.label(w, row), label)) return failure_;
    if (label != data::kNoLabel) output.labels.push_back(label);
  }
  output.speaks = stream.speaks(w) && (length == 0 || !output.labels.empty());
  return {};
}

Status AlignedExperts::read_gold(TokenVotes& votes) {
  const data::Sequence& sequence = reference_->sequence();
  if (!sequence.has_labels())
    return fail("{}:{}: the sequence has no gold labels", reference_->name(),
                sequence.empty() ? 0 : sequence.line(0));
  if (aligner_) {
    ESPALIER_TRY(read_output(*reference_, 0, gold_output_));
    return {};
  }
  for (size_t row = 0; row < sequence.length(); ++row) {
    data::Label label = data::kNoLabel;
    if (!number_of(reference_->label(0, row), label)) return failure_;
    votes.gold.push_back(label);
  }
  return {};
}

Status AlignedExperts::ask_probabilities(const std::string& column) {
  for (const auto& stream : streams_) ESPALIER_TRY(stream->ask_probabilities(column));
  probabilities_ = true;
  return {};
}

void AlignedExperts::align() {
  gap_ = labels_.add(kGapText);
  aligner_.emplace(gap_);
  recent_ = {};  // the label set may have been cleared
  outputs_.resize(experts_);
}

Result<bool> AlignedExperts::next(TokenVotes& votes, bool& left_out) {
  if (!started_) ESPALIER_TRY(rewind());
  ESPALIER_ASSIGN(const bool more, reference_->advance());
  if (!more) {
    for (size_t i = 0; i < streams_.size(); ++i)
      if (!at_end_[i] && streams_[i].get() != reference_)
        return fail("{}:{}: {} has sequences beyond the {} of {}{}", streams_[i]->name(),
                    streams_[i]->sequence().empty() ? 0 : streams_[i]->sequence().line(0),
                    streams_[i]->name(), sequence_number_, reference_->name(),
                    missing_ == Missing::kError ? "" : ", or in another order");
    started_ = false;
    return false;
  }
  ++sequence_number_;
  left_out = false;
  const size_t length = reference_->sequence().length();
  votes.reset(experts_, aligner_ ? 0 : length);
  if (probabilities_) votes.probability.assign(experts_ * length, 0);
  if (gold_) ESPALIER_TRY(read_gold(votes));
  size_t expert = 0;
  for (size_t i = 0; i < streams_.size(); ++i) {
    ExpertStream& stream = *streams_[i];
    const bool leads = &stream == reference_;
    const bool absent = !at_end_[i] && stream.absent();
    const bool here = leads || (!at_end_[i] && !absent && match(stream) == Match::kSame);
    if (!here && !absent && !at_end_[i] && stream.by_number()) return mismatch(stream);
    if (!here && missing_ == Missing::kError) {
      if (absent)
        return fail(
            "{} has no answer for sequence {}\n  (missing = spread or leave-out lets experts miss whole "
            "sequences)",
            stream.name(), sequence_number_);
      if (!at_end_[i]) return mismatch(stream);
      return fail(
          "{} ends after {} sequences; {} goes on at line {}\n  (--missing spread or leave-out lets experts "
          "miss whole sequences)",
          stream.name(), sequence_number_ - 1, reference_->name(),
          length == 0 ? 0 : reference_->sequence().line(0));
    }
    for (size_t w = 0; w < stream.width(); ++w, ++expert) {
      bool speaks = !aligner_ && length == 0;
      if (aligner_) {
        outputs_[expert].speaks = false;
        if (here) ESPALIER_TRY(read_output(stream, w, outputs_[expert]));
        speaks = outputs_[expert].speaks;
      }
      for (size_t row = 0; !aligner_ && here && row < length; ++row) {
        data::Label label = data::kNoLabel;
        if (!number_of(stream.label(w, row), label)) return failure_;
        votes.votes[row * experts_ + expert] = label;
        speaks |= label != data::kNoLabel;
        if (probabilities_ && label != data::kNoLabel) {
          ESPALIER_ASSIGN(votes.probability[row * experts_ + expert], stream.probability(row));
        }
      }
      if (speaks) continue;
      ++missed_[expert];
      left_out |= missing_ == Missing::kLeaveOut;
    }
    if ((here || absent) && !leads) {
      ESPALIER_ASSIGN(const bool goes_on, stream.advance());
      at_end_[i] = !goes_on;
    }
  }
  if (!aligner_) return true;
  aligner_->align(outputs_, votes);
  // Gold of nothing but "_" is not known, column by column.
  if (gold_ && gold_output_.speaks)
    aligner_->add_gold(gold_output_.labels, votes);
  else if (gold_)
    votes.gold.assign(votes.length(), data::kNoLabel);
  return true;
}

Result<bool> AlignedSource::next(VoteView& view) {
  bool left_out = true;
  while (left_out) {
    ESPALIER_ASSIGN(const bool more, aligned_.next(tokens_, left_out));
    if (!more) return false;
  }
  view = substructures_.encode(tokens_);
  return true;
}

}  // namespace espalier::ensemble
