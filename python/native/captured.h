// What is read from a Python sequence while the interpreter lock is held: all text in one buffer, and what
// each piece of it is.
//
// Reading it is a copy of bytes and nothing else, since every other thread waits meanwhile. build() then
// makes the sequence, without the lock. Keeps its memory when it is cleared. Tested in
// python/tests/test_forms.py.
#pragma once

#include <espalier/espalier.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::python {

class Captured {
 public:
  void clear() {
    text_.clear();
    pieces_.clear();
    tokens_ = 0;
  }
  size_t size() const { return tokens_; }  ///< number of tokens
  bool empty() const { return tokens_ == 0; }

  void begin_token() {
    pieces_.push_back({0, 0, Kind::kToken});
    ++tokens_;
  }
  void add_cell(std::string_view text) { add(text, Kind::kCell, 0); }
  void set_label(std::string_view text) { add(text, Kind::kLabel, 0); }
  void add_attribute(std::string_view name, double value) { add(name, Kind::kAttribute, value); }
  /// The attribute prefix + name.
  void add_attribute(std::string_view prefix, std::string_view name, double value) {
    if (!prefix.empty()) text_.append(prefix);
    text_.append(name);
    pieces_.push_back({value, size_of(prefix.size() + name.size()), Kind::kAttribute});
  }
  /// The attribute prefix + name + ":" + value, which is 1.
  void add_attribute(std::string_view prefix, std::string_view name, std::string_view value) {
    if (!prefix.empty()) text_.append(prefix);
    text_.append(name);
    text_.push_back(':');
    text_.append(value);
    pieces_.push_back({1, size_of(prefix.size() + name.size() + 1 + value.size()), Kind::kAttribute});
  }

  /// Adds all of it to the builder, whose status says what is wrong with it.
  void build(SequenceBuilder& builder) const {
    std::string_view rest = text_;
    for (const Piece& piece : pieces_) {
      const std::string_view text = rest.substr(0, piece.size);
      rest.remove_prefix(piece.size);
      switch (piece.kind) {
        case Kind::kToken:
          builder.begin_token();
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
    std::string_view rest = text_;
    for (const Piece& piece : pieces_) {
      if (piece.kind == Kind::kAttribute) use(rest.substr(0, piece.size), piece.value);
      rest.remove_prefix(piece.size);
    }
  }

 private:
  enum class Kind : uint32_t { kToken, kCell, kAttribute, kLabel };
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
    text_.append(text);
    pieces_.push_back({value, size_of(text.size()), kind});
  }

  std::string text_;
  std::vector<Piece> pieces_;  ///< in the order of their text
  size_t tokens_ = 0;
};

}  // namespace espalier::python
