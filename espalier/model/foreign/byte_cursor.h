// Reads fields from the bytes of a file one after another. Every read says whether there was enough left; the
// position never passes the end. Tested in import_model_test.cc.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace espalier::model {

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}
  /// From an offset on; at the end if it is outside.
  ByteCursor(std::string_view bytes, size_t offset) : bytes_(bytes), at_(std::min(offset, bytes.size())) {}

  size_t left() const { return bytes_.size() - at_; }
  size_t offset() const { return at_; }

  /// A little-endian number, as all supported programs write them on the usual machines.
  template <typename T>
  bool read(T& value) {
    if (left() < sizeof(T)) return false;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return true;
  }
  std::optional<std::string_view> text(size_t size) {
    if (left() < size) return std::nullopt;
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  bool skip(std::string_view wanted) {
    if (!bytes_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  /// The text up to the next line end, which is skipped; nothing at the end of the bytes.
  std::optional<std::string_view> line() {
    if (left() == 0) return std::nullopt;
    const size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
    std::string_view found = bytes_.substr(at_, end - at_);
    at_ = std::min(end + 1, bytes_.size());
    if (found.ends_with('\r')) found.remove_suffix(1);
    return found;
  }
  /// A decimal number.
  template <typename T>
  bool number(T& value) {
    const char* const last = bytes_.data() + bytes_.size();
    const auto [end, code] = std::from_chars(bytes_.data() + at_, last, value);
    if (code != std::errc()) return false;
    at_ = static_cast<size_t>(end - bytes_.data());
    return true;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace espalier::model
