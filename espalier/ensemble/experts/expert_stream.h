// Experts as streams of labelled sequences: files of any tool, n-best lists, answers in memory.
//
// Open one with open_expert, open_nbest_expert or memory_expert (trained models: model_expert.h) and give it
// to AlignedExperts, which reads all of them in step. Memory: one sequence per stream, whatever the size of
// the file. Tested in aligned_experts_test.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "espalier/data/formats/reader.h"
#include "espalier/data/formats/source.h"
#include "espalier/data/sequence.h"
#include "espalier/ensemble/experts/label_reader.h"

namespace espalier::ensemble {

/// One source of predictions of width() experts. Not thread-safe.
class ExpertStream {
 public:
  virtual ~ExpertStream() = default;

  const std::string& name() const { return name_; }  ///< the file
  /// The names of its experts.
  virtual std::vector<std::string> expert_names() const { return {name_}; }
  virtual size_t width() const { return 1; }

  /// Moves to the next sequence; false at the end. Starts before the first.
  virtual Result<bool> advance() = 0;
  virtual Status rewind() = 0;

  /// The sequence it is at: its tokens …
  virtual const data::Sequence& sequence() const = 0;
  /// … and the label that expert `w` of it gives to a row; "_" if it abstains.
  virtual std::string_view label(size_t w, size_t row) const = 0;
  /// How many labels expert `w` has; that of the tokens, unless the file holds labels alone.
  virtual size_t length(size_t) const { return sequence().length(); }
  /// Whether expert `w` has anything to say here: false for a rank that an n-best list does not reach.
  virtual bool speaks(size_t) const { return true; }
  /// Asks for probabilities of labels from now on: files have them in `column` (from 1, negative from the
  /// end; empty: the column after the label), models compute them. Fails where there are none.
  virtual Status ask_probabilities(const std::string& column) = 0;
  /// How sure the expert is of its label, 0 to 1. Precondition: they were asked for.
  virtual Result<float> probability(size_t row) const = 0;
  /// Whether it holds labels alone, without words that they could be compared by.
  virtual bool labels_alone() const { return false; }
  /// Whether its n-th sequence is always about the n-th sequence of the reference, so that one of another
  /// length is an error and never a sign of missing sequences.
  virtual bool by_number() const { return false; }
  /// Of streams by number: it has no answer for the sequence it is at.
  virtual bool absent() const { return false; }
  /// How it was read, to know in which column the token of a row is.
  const data::ReadOptions& reading() const { return reading_; }

 protected:
  ExpertStream(std::string name, data::ReadOptions reading)
      : name_(std::move(name)), reading_(std::move(reading)) {}

 private:
  std::string name_;
  data::ReadOptions reading_;
};

/// A file, or sequences in memory, with a label for every token; or a file of labels alone.
Result<std::unique_ptr<ExpertStream>> open_expert(const data::Source& source,
                                                  const data::ReadOptions& reading,
                                                  LabelLayout layout = LabelLayout::kWithTokens);

/// A file with up to n labellings of every sequence, best first: one after the other, as sequences of their
/// own with the same tokens. In columns each may come after a line such as `# n-best 2 …` or `# 1 0.35`,
/// whose number counts up from the first labelling of a sequence; without such lines there are n each. The
/// k-th best is expert k; if a sequence has fewer, the others abstain. In files of labels alone,
/// consecutive sequences with the same name are labellings of one; without names there are n each.
Result<std::unique_ptr<ExpertStream>> open_nbest_expert(const std::string& path,
                                                        const data::ReadOptions& reading, size_t n,
                                                        LabelLayout layout = LabelLayout::kWithTokens);

/// What one expert says about every sequence, in memory: a label per token, "_" or empty text where it says
/// nothing; no labels at all: it has no answer.
struct MemoryAnswers {
  std::vector<std::vector<std::string>> labels;
  std::vector<std::vector<double>> probabilities;  ///< of the labels, 0 to 1; empty: it gives none
};
/// Such answers as a stream that shares them; labels_alone() and by_number().
std::unique_ptr<ExpertStream> memory_expert(std::string name, std::shared_ptr<const MemoryAnswers> answers);

/// An error where folds are selected in a file of labels alone, which has none.
Status check_layout(const std::string& path, const data::ReadOptions& reading, LabelLayout layout);

/// `name#1` to `name#n`: the experts of an n-best list.
std::vector<std::string> rank_names(const std::string& name, size_t n);

/// The text by which a row is compared between files: its word. Empty where the format has none.
std::string_view token_text(const data::Sequence& sequence, size_t row, data::Format format);
/// The column of that text, where rows have one.
inline size_t token_column(data::Format format) { return format == data::Format::kConllu ? 1 : 0; }
/// Whether rows of the sequence have such a text.
bool has_tokens(const data::Sequence& sequence, data::Format format);

}  // namespace espalier::ensemble
