#include "espalier/model/parameters.h"

#include <algorithm>
#include <cmath>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"

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

/// A number within bounds, or an error that names the parameter.
Result<double> parse_within(std::string_view name, std::string_view text, Bounds bounds, bool whole) {
  const auto number = parse_number(text);
  if (!number.ok() || *number < bounds.least || *number > bounds.most ||
      (whole && *number != std::floor(*number)))
    return fail("parameter {}: '{}' is not a {} {}", name, text, whole ? "whole number" : "number",
                wanted(bounds));
  return *number;
}

/// "a,b,c": at least one number.
Result<std::vector<double>> parse_list(std::string_view name, std::string_view text, Bounds bounds) {
  std::vector<double> numbers;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    ESPALIER_ASSIGN(const double number, parse_within(name, item, bounds, false));
    numbers.push_back(number);
    if (item.size() == text.size()) return numbers;
    text.remove_prefix(item.size() + 1);
  }
}

std::string range_text(Bounds bounds) {
  if (bounds.most < 1e6) return fmt::format("{:g} to {:g}", bounds.least, bounds.most);
  return fmt::format("from {:g} up", bounds.least);
}

/// "name=value" in two.
Result<std::pair<std::string_view, std::string_view>> split(std::string_view setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string_view::npos) return fail("-p {}: expected name=value", setting);
  return std::pair(setting.substr(0, equals), setting.substr(equals + 1));
}

}  // namespace

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

void Entries::add(Parameter shown, Set set, ToText text) {
  shown.fallback = text(defaults_.get());
  entries_.push_back({std::move(shown), std::move(set), std::move(text)});
}

/// `parse` is (text) -> Result<Value>, `text` (const Value&) -> string.
template <typename Value, typename Parse, typename Text>
void Entries::add_field(Parameter shown, Field<Value> field, Parse parse, Text text) {
  add(
      std::move(shown),
      [field, parse](void* options, std::string_view setting) -> Status {
        std::optional<Value> value;
        if (!field.takes_auto || setting != "auto") {
          ESPALIER_ASSIGN(value, parse(setting));
        }
        field.put(static_cast<std::byte*>(options) + field.offset, std::move(value));
        return {};
      },
      [field, text](const void* options) {
        const auto value = field.get(static_cast<const std::byte*>(options) + field.offset);
        return value ? text(*value) : std::string("auto");
      });
}

void Entries::add_number(Parameter shown, Field<double> field, Bounds bounds, bool whole) {
  shown.range = range_text(bounds);
  const auto parse = [name = shown.name, bounds, whole](std::string_view text) {
    return parse_within(name, text, bounds, whole);
  };
  add_field(std::move(shown), field, parse, [](double value) { return text_of(value); });
}

void Entries::add_flag(Parameter shown, Field<int> field) {
  shown.range = "yes or no";
  const auto parse = [name = shown.name](std::string_view text) -> Result<int> {
    if (text == "yes") return 1;
    if (text == "no") return 0;
    return fail("parameter {}: '{}' is neither yes nor no", name, text);
  };
  add_field(std::move(shown), field, parse, [](int value) { return std::string(value != 0 ? "yes" : "no"); });
}

void Entries::add_choice(Parameter shown, Field<int> field, Choices choices) {
  Names names;
  if (field.takes_auto) names.push_back("auto");
  for (const auto& [name, value] : choices) names.push_back(name);
  shown.range = joined(names, ", ");
  const auto parse = [name = shown.name, range = shown.range, choices](std::string_view text) -> Result<int> {
    for (const auto& [known, value] : choices)
      if (known == text) return value;
    return fail("parameter {}: '{}' is none of {}", name, text, range);
  };
  add_field(std::move(shown), field, parse, [choices](int value) {
    for (const auto& [known, its_value] : choices)
      if (its_value == value) return std::string(known);
    return std::string("auto");
  });
}

void Entries::add_text(Parameter shown, Field<std::string> field) {
  shown.range = "text";
  add_field(
      std::move(shown), field, [](std::string_view text) -> Result<std::string> { return std::string(text); },
      [](const std::string& value) { return value; });
}

void Entries::add_list(Parameter shown, Field<std::vector<double>> field, Bounds bounds) {
  shown.range = "numbers, " + range_text(bounds);
  const auto parse = [name = shown.name, bounds](std::string_view text) {
    return parse_list(name, text, bounds);
  };
  add_field(std::move(shown), field, parse, [](const std::vector<double>& value) { return text_of(value); });
}

void Entries::only_where(Names names, Predicate holds, std::string_view what) {
  uses_.push_back({std::move(names), std::move(holds), what});
}

void Entries::clash(Predicate holds, std::string_view reason) {
  checks_.push_back(
      [holds = std::move(holds), reason](const void* options, const Situation& situation) -> Status {
        if (!holds(options, situation)) return {};
        return fail("{}", reason);
      });
}

void Entries::show_only(std::span<const std::string_view> basic) {
  for (Entry& entry : entries_)
    entry.shown.basic = std::find(basic.begin(), basic.end(), entry.shown.name) != basic.end();
}

std::vector<Parameter> Entries::parameters() const {
  std::vector<Parameter> all;
  for (const Entry& entry : entries_) all.push_back(entry.shown);
  return all;
}

const Entries::Entry* Entries::find(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (entry.shown.name == name) return &entry;
  return nullptr;
}

Error Entries::unknown(std::string_view learner, std::string_view name) const {
  Names names;
  for (const Entry& entry : entries_) names.push_back(entry.shown.name);
  const std::string near = nearest(name, names);
  return fail("learner {} has no parameter '{}'{}", learner, name,
              near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near));
}

Result<ParsedOptions> Entries::parse(std::string_view learner, std::span<const std::string> settings) const {
  ParsedOptions out;
  out.options = copy_(defaults_.get());
  for (const Entry& entry : entries_) out.texts.emplace(entry.shown.name, entry.shown.fallback);
  for (const std::string& setting : settings) {
    ESPALIER_ASSIGN(const auto pair, split(setting));
    const Entry* const entry = find(pair.first);
    if (entry == nullptr) return unknown(learner, pair.first);
    ESPALIER_TRY(entry->set(out.options.get(), pair.second));
    out.texts[std::string(pair.first)] = pair.second;
    if (pair.second == "auto") {
      out.given.erase(std::string(pair.first));
    } else {
      out.given.emplace(pair.first);
    }
  }
  return out;
}

Status Entries::check(const ParsedOptions& parsed, Situation situation) const {
  const void* const options = parsed.options.get();
  situation.given = parsed.given;
  for (const Use& use : uses_)
    for (const std::string_view name : use.names) {
      const Entry* const entry = find(name);
      ESPALIER_CHECK(entry != nullptr);
      if (entry->text(options) != entry->shown.fallback && !use.holds(options, situation))
        return fail("parameter {} is for {}", name, use.what);
    }
  for (const Check& check : checks_) ESPALIER_TRY(check(options, situation));
  return {};
}

}  // namespace espalier::model::parameter
