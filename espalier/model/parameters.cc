#include "espalier/model/parameters.h"

#include <cmath>

#include "espalier/base/counted.h"
#include "espalier/base/format.h"
#include "espalier/base/text.h"

namespace espalier::model::parameter {

namespace {

/// 1e6 as "1,000,000".
std::string bound_text(double bound) {
  const bool many = bound >= 1e4 && bound <= 1e12 && bound == std::floor(bound);
  return many ? count_text(static_cast<size_t>(bound)) : fmt::format("{:g}", bound);
}

std::string wanted(Bounds bounds) {
  if (std::isinf(bounds.most)) return fmt::format("of at least {}", bound_text(bounds.least));
  return fmt::format("from {} to {}", bound_text(bounds.least), bound_text(bounds.most));
}

}  // namespace

Result<double> parse(std::string_view name, std::string_view text, Bounds bounds, bool whole) {
  const auto number = parse_number(text);
  if (!number.ok() || *number < bounds.least || *number > bounds.most ||
      (whole && *number != std::floor(*number)))
    return fail("parameter {}: '{}' is not a {} {}", name, text, whole ? "whole number" : "number",
                wanted(bounds));
  return *number;
}

Result<std::vector<double>> parse_list(std::string_view name, std::string_view text, Bounds bounds) {
  std::vector<double> numbers;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    ESPALIER_ASSIGN(const double number, parse(name, item, bounds, false));
    numbers.push_back(number);
    if (item.size() == text.size()) return numbers;
    text.remove_prefix(item.size() + 1);
  }
}

Result<bool> parse_flag(std::string_view name, std::string_view text) {
  if (text == "yes") return true;
  if (text == "no") return false;
  return fail("parameter {}: '{}' is neither yes nor no", name, text);
}

std::string text_of(double number) {
  std::string text = fmt::format("{}", number);
  if (const size_t exponent = text.find("e-0"); exponent != std::string::npos) text.erase(exponent + 2, 1);
  return text;
}

std::string text_of(const std::vector<double>& numbers) {
  std::vector<std::string> texts;
  for (const double number : numbers) texts.push_back(text_of(number));
  return joined(texts, ",");
}

std::string range_text(Bounds bounds) {
  if (bounds.most < 1e6) return fmt::format("{:g} to {:g}", bounds.least, bounds.most);
  return fmt::format("from {:g} up", bounds.least);
}

Error not_among(std::string_view name, std::string_view text, std::span<const std::string_view> names) {
  return fail("parameter {}: '{}' is none of {}", name, text, joined(names, ", "));
}

Error unknown(std::string_view learner, std::string_view name, std::span<const std::string_view> names) {
  const std::string near = nearest(name, names);
  return fail("learner {} has no parameter '{}'{}", learner, name,
              near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near));
}

Result<std::pair<std::string_view, std::string_view>> split(std::string_view setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string_view::npos) return fail("-p {}: expected name=value", setting);
  return std::pair(setting.substr(0, equals), setting.substr(equals + 1));
}

}  // namespace espalier::model::parameter
