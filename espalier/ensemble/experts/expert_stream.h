// Experts as streams of labelled sequences: files of any tool, n-best lists, trained models.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "espalier/data/formats/reader.h"
#include "espalier/data/predictor.h"
#include "espalier/data/sequence.h"
#include "espalier/ensemble/experts/label_reader.h"

namespace espalier::ensemble {

/// One source of predictions that stands for width() experts. Not thread-safe.
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
  /// … and what expert `w` of it says about a row; "_" where nothing.
  virtual std::string_view label(size_t w, size_t row) const = 0;
  /// How many labels expert `w` has; that of the tokens, unless the file holds labels alone.
  virtual size_t length(size_t) const { return sequence().length(); }
  /// Whether expert `w` has anything to say here: false for a rank that an n-best list does not reach.
  virtual bool speaks(size_t) const { return true; }
  /// Asks for probabilities of labels from now on: files have them in `column` (from 1, negative from the
  /// end; empty: the column after the label), models compute them. Fails where there are none to be had.
  virtual Status ask_probabilities(const std::string& column) = 0;
  /// How sure the expert is of its label, 0 to 1. Precondition: they were asked for.
  virtual Result<float> probability(size_t row) const = 0;
  /// Whether it is a file of labels alone.
  virtual bool labels_alone() const { return false; }
  /// How it was read, to know where the token of a row stands.
  const data::ReadOptions& reading() const { return reading_; }

 protected:
  ExpertStream(std::string name, data::ReadOptions reading)
      : name_(std::move(name)), reading_(std::move(reading)) {}

 private:
  std::string name_;
  data::ReadOptions reading_;
};

/// A file with a label for every token, or one of labels alone.
Result<std::unique_ptr<ExpertStream>> open_expert(const std::string& path, const data::ReadOptions& reading,
                                                  LabelLayout layout = LabelLayout::kWithTokens);

/// A file with up to n labellings of every sequence, best first: one after the other, as sequences of their
/// own with the same tokens. In columns each may stand below a line such as `# n-best 2 …` or `# 1 0.35`,
/// whose number counts up from the first labelling of a sequence; without such lines there are n each. The
/// k-th best is expert k; where a sequence has fewer, the others say nothing. In files of labels alone,
/// sequences with the same name in a row are labellings of one; without names there are n each.
Result<std::unique_ptr<ExpertStream>> open_nbest_expert(const std::string& path,
                                                        const data::ReadOptions& reading, size_t n,
                                                        LabelLayout layout = LabelLayout::kWithTokens);

/// A trained predictor run over the file of the tokens; with n > 1, its n best labellings are n experts. The
/// predictor must outlive the stream.
Result<std::unique_ptr<ExpertStream>> open_predictor_expert(const std::string& model_name,
                                                            const data::Predictor& predictor,
                                                            const std::string& tokens_path,
                                                            const data::ReadOptions& reading, size_t n);

/// The format a file's name speaks for (.jsonl, .conllu, each also .gz); otherwise the fallback.
data::Format guess_format(const std::string& path, data::Format fallback);

/// The text by which a row is compared between files: its word. Empty where the format has none.
std::string_view token_text(const data::Sequence& sequence, size_t row, data::Format format);
/// The column it stands in, where rows have such a text.
inline size_t token_column(data::Format format) { return format == data::Format::kConllu ? 1 : 0; }
/// Whether rows of the sequence have such a text.
bool has_tokens(const data::Sequence& sequence, data::Format format);

}  // namespace espalier::ensemble
