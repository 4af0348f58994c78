#include "espalier/base/text/json.h"

#include <nlohmann/json.hpp>

namespace espalier {

Json parse_json(std::string_view text) { return Json::parse(text); }

Json try_parse_json(std::string_view text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

bool is_json(std::string_view text) { return Json::accept(text); }

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

std::string_view json_problem(const std::exception& problem) {
  const std::string_view text = problem.what();
  const size_t end = text.starts_with('[') ? text.find("] ") : std::string_view::npos;
  return end == std::string_view::npos ? text : text.substr(end + 2);
}

}  // namespace espalier
