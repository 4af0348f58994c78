#include "espalier/data/formats/numpy_file.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "espalier/base/text/text.h"

namespace espalier::data {
namespace {

constexpr std::string_view kNumpyMagic = "\x93NUMPY";

template <typename T>
T number_at(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

double half_to_double(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

void append_code_point(uint32_t code, std::string& out) {
  if (code >= 0x110000 || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 63));
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  }
}

/// What follows 'key': in the header, a Python dictionary as text.
std::string_view value_of(std::string_view header, std::string_view key) {
  const size_t at = header.find(fmt::format("'{}':", key));
  if (at == header.npos) return {};
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

/// "(3, 4)", "(3,)" or "()".
bool parse_shape(std::string_view text, std::vector<size_t>& shape) {
  if (!text.starts_with('(')) return false;
  text.remove_prefix(1);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.starts_with(')')) return true;
    size_t extent = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (code != std::errc() || shape.size() == 8) return false;
    shape.push_back(extent);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  }
}

}  // namespace

double NumpyArray::number(size_t index) const {
  if (item_size == 2) return half_to_double(number_at<uint16_t>(elements, 2 * index));
  if (item_size == 4) return double{number_at<float>(elements, 4 * index)};
  return number_at<double>(elements, 8 * index);
}

std::string NumpyArray::text(size_t index) const {
  const std::string_view item = elements.substr(index * item_size, item_size);
  std::string out;
  if (kind == 'S') {
    out = item.substr(0, item.find('\0'));
    return out;
  }
  for (size_t at = 0; at + 4 <= item.size(); at += 4) {
    const auto code = number_at<uint32_t>(item, at);
    if (code == 0) break;
    append_code_point(code, out);
  }
  return out;
}

bool is_numpy(std::string_view bytes) { return bytes.starts_with(kNumpyMagic); }

Result<NumpyArray> parse_numpy(std::string_view bytes, const std::string& name) {
  if (!is_numpy(bytes) || bytes.size() < 12) return fail("{}: not an array of numpy", name);
  const int version = bytes[6];
  if (version < 1 || version > 3)
    return fail("{}: version {} of numpy's files is not supported", name, version);
  const size_t head = version == 1 ? 10 : 12;
  const size_t header_size = version == 1 ? number_at<uint16_t>(bytes, 8) : number_at<uint32_t>(bytes, 8);
  if (header_size > bytes.size() - head) return fail("{}: damaged: the header is cut off", name);
  const std::string_view header = bytes.substr(head, header_size);
  NumpyArray array;
  array.elements = bytes.substr(head + header_size);
  const std::string_view type = value_of(header, "descr");
  const std::string_view text =
      type.substr(0, std::min(type.find('\'', 1), type.size()));  // 'x without its end
  const bool known = text.size() >= 4 && (text[1] == '<' || (text[1] == '|' && text[2] == 'S'));
  size_t count = 0;
  if (known) std::from_chars(text.data() + 3, text.data() + text.size(), count);
  array.kind = known ? text[2] : '\0';
  const bool floats = array.kind == 'f' && (count == 2 || count == 4 || count == 8);
  const bool texts = (array.kind == 'U' || array.kind == 'S') && count > 0 && count < 100'000;
  if (!floats && !texts)
    return fail("{}: elements of type {} are not supported; save 32-bit floats (float32)", name,
                type.empty() ? "unknown" : text.substr(1));
  array.item_size = array.kind == 'U' ? 4 * count : count;
  if (!value_of(header, "fortran_order").starts_with("False"))
    return fail("{}: the array is in column order; save numpy.ascontiguousarray of it", name);
  if (!parse_shape(value_of(header, "shape"), array.shape)) return fail("{}: damaged: it has no shape", name);
  size_t elements = 1;
  for (const size_t extent : array.shape) {
    if (extent > 0 && elements > bytes.size() / extent)
      return fail("{}: damaged: the file is too short", name);
    elements *= extent;
  }
  if (elements * array.item_size != array.elements.size())
    return fail("{}: damaged: {} bytes of data, the header announces {}", name, array.elements.size(),
                elements * array.item_size);
  return array;
}

}  // namespace espalier::data
