#include "espalier/linear/encoding/stored_text.h"

#include <cstring>

namespace espalier::linear {
namespace {

/// Seven bits a byte, the lowest first; the high bit says that more follow.
void append_count(size_t n, std::string& out) {
  for (; n >= 128; n >>= 7) out.push_back(static_cast<char>((n & 127) | 128));
  out.push_back(static_cast<char>(n));
}

void append_string(std::string_view text, std::string& out) {
  append_count(text.size(), out);
  out += text;
}

class StoredTextReader {
 public:
  explicit StoredTextReader(std::string_view bytes) : rest_(bytes) {}

  size_t number() {
    size_t n = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes(1).front());
      n |= size_t{byte & 127u} << shift;
      if (byte < 128) return n;
    }
  }
  std::string_view string() { return bytes(number()); }
  float value() {
    float x;
    std::memcpy(&x, bytes(sizeof x).data(), sizeof x);
    return x;
  }

 private:
  std::string_view bytes(size_t n) {
    ESPALIER_CHECK(n <= rest_.size());
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  std::string_view rest_;
};

}  // namespace

void append_text(const data::Sequence& sequence, std::string& out) {
  append_count(sequence.length(), out);
  append_count(sequence.columns(), out);
  for (size_t row = 0; row < sequence.length(); ++row) {
    for (size_t column = 0; column < sequence.columns(); ++column)
      append_string(sequence.cell(row, column), out);
    append_count(sequence.attribute_count(row), out);
    for (size_t i = 0; i < sequence.attribute_count(row); ++i) {
      const data::Attribute attribute = sequence.attribute(row, i);
      append_string(attribute.name, out);
      out.append(reinterpret_cast<const char*>(&attribute.value), sizeof attribute.value);
    }
  }
}

void restore_text(std::string_view bytes, data::Sequence& out) {
  StoredTextReader reader(bytes);
  const size_t rows = reader.number(), columns = reader.number();
  out.clear(columns);
  for (size_t row = 0; row < rows; ++row) {
    out.begin_row({}, row + 1);
    for (size_t column = 0; column < columns; ++column) out.add_cell(reader.string());
    const size_t attributes = reader.number();
    for (size_t i = 0; i < attributes; ++i) {
      const std::string_view name = reader.string();
      out.add_attribute(name, reader.value());
    }
  }
}

}  // namespace espalier::linear
