// What is read from a Python sequence while the interpreter lock is held: all text in one buffer, and what
// each piece of it is.
//
// Reading it is a copy of bytes and nothing else, since every other thread waits meanwhile. build() then
// makes the sequence, without the lock. Keeps its memory when it is cleared. Tested in
// python/tests/test_forms.py.
#pragma once

#include <espalier/espalier.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace espalier::python {

class Captured {
 public:
  void clear() {
    used_ = 0;
    pieces_.clear();
    tokens_ = 0;
    matrix_columns_ = 0;
  }
  size_t size() const { return tokens_; }  ///< number of tokens
  bool empty() const { return tokens_ == 0; }

  void begin_token() {
    pieces_.push_back({0, 0, Kind::kToken});
    ++tokens_;
  }
  void add_cell(std::string_view text) { add(text, Kind::kCell, 0); }
  /// A token of one cell.
  void add_word(std::string_view text) {
    add(text, Kind::kWord, 0);
    ++tokens_;
  }
  /// The same from code points; false, and nothing is added, if one of them is half of a surrogate pair,
  /// which UTF-8 has no bytes for.
  template <typename Code>
  bool add_word(const Code* codes, size_t count) {
    constexpr size_t kMost = sizeof(Code) == 1 ? 2 : sizeof(Code) == 2 ? 3 : 4;  // bytes per code point
    char* const begin = room(kMost * count);
    used_ -= kMost * count;
    char* to = begin;
    for (size_t i = 0; i < count; ++i) {
      const uint32_t code = codes[i];
      if (code >= 0xD800 && code < 0xE000) return false;
      to = encode(code, to);
    }
    const auto size = static_cast<size_t>(to - begin);
    pieces_.push_back({0, size_of(size), Kind::kWord});
    used_ += size;
    ++tokens_;
    return true;
  }
  /// The sequence is a matrix this wide; its attributes are the columns.
  void set_matrix_columns(size_t columns) { matrix_columns_ = columns; }
  void set_label(std::string_view text) { add(text, Kind::kLabel, 0); }
  void add_attribute(std::string_view name, double value) { add(name, Kind::kAttribute, value); }
  /// The attribute prefix + name.
  void add_attribute(std::string_view prefix, std::string_view name, double value) {
    const size_t size = prefix.size() + name.size();
    pieces_.push_back({value, size_of(size), Kind::kAttribute});
    copy(name, copy(prefix, room(size)));
  }
  /// The attribute prefix + name + ":" + value, which is 1.
  void add_attribute(std::string_view prefix, std::string_view name, std::string_view value) {
    const size_t size = prefix.size() + name.size() + 1 + value.size();
    pieces_.push_back({1, size_of(size), Kind::kAttribute});
    char* to = copy(name, copy(prefix, room(size)));
    *to++ = ':';
    copy(value, to);
  }

  /// Adds all of it to the builder, whose status says what is wrong with it.
  void build(SequenceBuilder& builder) const {
    if (matrix_columns_ > 0) builder.set_matrix_columns(matrix_columns_);
    std::string_view rest(text_.data(), used_);
    for (const Piece& piece : pieces_) {
      const std::string_view text = rest.substr(0, piece.size);
      rest.remove_prefix(piece.size);
      switch (piece.kind) {
        case Kind::kToken:
          builder.begin_token();
          break;
        case Kind::kWord:
          builder.begin_token();
          builder.add_cell(text);
          break;
        case Kind::kCell:
          builder.add_cell(text);
          break;
        case Kind::kAttribute:
          builder.add_attribute(text, piece.value);
          break;
        case Kind::kLabel:
          builder.set_label(text);
          break;
      }
    }
  }
  /// Calls use(name, value) for each attribute.
  template <typename Use>
  void each_attribute(const Use& use) const {
    std::string_view rest(text_.data(), used_);
    for (const Piece& piece : pieces_) {
      if (piece.kind == Kind::kAttribute) use(rest.substr(0, piece.size), piece.value);
      rest.remove_prefix(piece.size);
    }
  }

 private:
  enum class Kind : uint32_t { kToken, kWord, kCell, kAttribute, kLabel };
  struct Piece {
    double value;  ///< of an attribute
    uint32_t size;
    Kind kind;
  };

  static uint32_t size_of(size_t size) {
    if (size > UINT32_MAX) throw std::length_error("a text of more than 4 GB");
    return static_cast<uint32_t>(size);
  }
  void add(std::string_view text, Kind kind, double value) {
    pieces_.push_back({value, size_of(text.size()), kind});
    copy(text, room(text.size()));
  }
  /// Where the next `size` bytes go.
  char* room(size_t size) {
    if (text_.size() - used_ < size) text_.resize(std::max(2 * text_.size(), used_ + size + 256));
    char* const to = text_.data() + used_;
    used_ += size;
    return to;
  }
  /// Writes the UTF-8 of a code point; returns its end.
  static char* encode(uint32_t code, char* to) {
    if (code < 0x80) {
      *to++ = static_cast<char>(code);
      return to;
    }
    if (code < 0x800) {
      *to++ = static_cast<char>(0xC0 | code >> 6);
    } else {
      if (code < 0x10000) {
        *to++ = static_cast<char>(0xE0 | code >> 12);
      } else {
        *to++ = static_cast<char>(0xF0 | code >> 18);
        *to++ = static_cast<char>(0x80 | (code >> 12 & 0x3F));
      }
      *to++ = static_cast<char>(0x80 | (code >> 6 & 0x3F));
    }
    *to++ = static_cast<char>(0x80 | (code & 0x3F));
    return to;
  }
  /// Returns the end of the copy. Most texts are a few bytes, for which a call takes longer than the copy.
  static char* copy(std::string_view from, char* to) {
    const size_t size = from.size();
    if (size > 16) {
      std::memcpy(to, from.data(), size);
    } else if (size >= 8) {
      copy_ends<8>(from, to);
    } else if (size >= 4) {
      copy_ends<4>(from, to);
    } else {
      for (size_t i = 0; i < size; ++i) to[i] = from[i];
    }
    return to + size;
  }
  /// The first and the last `n` bytes, which may overlap.
  template <size_t n>
  static void copy_ends(std::string_view from, char* to) {
    std::memcpy(to, from.data(), n);
    std::memcpy(to + from.size() - n, from.data() + from.size() - n, n);
  }

  std::vector<char> text_;  ///< as far as `used_`
  size_t used_ = 0;
  std::vector<Piece> pieces_;  ///< in the order of their text
  size_t tokens_ = 0;
  size_t matrix_columns_ = 0;
};

}  // namespace espalier::python
