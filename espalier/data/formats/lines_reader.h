// The base of readers of text in which blank lines end sequences. Derive from it, read with next_line(), and
// leave the rest to it. Tested in columns_reader_test.cc and crfsuite_reader_test.cc.
#pragma once

#include <string_view>
#include <utility>

#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

class LinesReader : public Reader {
 public:
  std::string_view name() const override { return lines_.name(); }
  bool would_wait() override { return lines_.would_wait(Input::Piece::kParagraph); }
  Status recover() override { return inside_ ? lines_.skip_to_blank() : Status(); }

 protected:
  explicit LinesReader(Lines lines) : lines_(std::move(lines)) {}

  /// The next line of the sequence, without the blank lines before its first; false where it ends.
  Result<bool> next_line(const Sequence& sequence, std::string_view& line) {
    while (true) {
      inside_ = true;  // also if the line cannot be read
      ESPALIER_ASSIGN(const bool more, lines_.next(line));
      inside_ = more && !is_blank(line);
      if (inside_) return true;
      if (!more || !sequence.empty()) return false;
    }
  }

  Lines lines_;
  bool inside_ = false;  ///< the last line read is part of a sequence that has not ended
};

}  // namespace espalier::data
