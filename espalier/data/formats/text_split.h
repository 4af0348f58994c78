// Splits raw text into sentences and words with ICU's break iterators, or at blanks. Behind the public
// split_text and the reader of raw text (text_reader.h).
//
// Make one TextSplitter and call split() for each piece of text: opening the iterators takes longer than
// splitting a sentence. Not thread-safe; make one per thread. Lines end with LF or CRLF.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/public/text.h"

namespace espalier::data {

/// A token as a part of the text that was split.
struct TextPiece {
  size_t byte = 0;            ///< where it begins, in bytes
  std::string_view text;      ///< a view of the input
  size_t begin = 0, end = 0;  ///< in code points
};

class TextSplitter {
 public:
  static Result<TextSplitter> make(TextSplit split);
  ~TextSplitter();
  TextSplitter(TextSplitter&&) noexcept;
  TextSplitter& operator=(TextSplitter&&) noexcept;

  /// Calls take(tokens) for each sentence, in order; `tokens` is never empty and valid during the call only.
  /// An error if the text is not UTF-8 or is longer than kMaxBytes. Offsets count from the start of `text`.
  using Take = std::function<void(const std::vector<TextPiece>& tokens)>;
  Status split(std::string_view text, const Take& take);

  static constexpr size_t kMaxBytes = size_t{1} << 30;

 private:
  struct Iterators;
  TextSplitter();
  Status split_words(std::string_view text, const Take& take);
  void split_blanks(std::string_view text, const Take& take);

  std::unique_ptr<Iterators> iterators_;  ///< null: at blanks
  std::string spaced_;                    ///< the text with blanks in place of line ends
  std::vector<TextPiece> tokens_;
};

}  // namespace espalier::data
