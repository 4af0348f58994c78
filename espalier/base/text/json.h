// JSON values, read and written by code that is compiled once: nlohmann's parser and writer are templates
// that cost seconds in every source that uses them.
//
// parse_json() and try_parse_json() read a text, json_text() writes one. To build or look into a value,
// include <nlohmann/json.hpp> as well. Linear in the text, but an object's keys are searched one after the
// other.
#pragma once

#include <cstdint>
#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace espalier {

/// Keys stay in the order in which they were added.
using Json = nlohmann::ordered_json;

/// Throws Json::exception, or Json::parse_error with the place, where the text is not one JSON value.
Json parse_json(std::string_view text);
/// The same, without exceptions: is_discarded() says that the text is not one JSON value.
Json try_parse_json(std::string_view text);
/// Whether the text is one JSON value.
bool is_json(std::string_view text);

/// The first whole number in the text of a JSON value that has more than 64 bits, or nothing: parsing makes a
/// fraction of it and loses its last digits.
std::string_view oversized_integer(std::string_view json);
/// The text of the last member of this name, as it was written, in a text that is one JSON object; nothing if
/// it has none.
std::string_view json_member(std::string_view object, std::string_view name);

/// A whole number within these bounds, from 0 if none is given; throws Json::exception if the value is
/// anything else. For the types of numbers, and everything else, call json_as (json_as.h).
uint64_t whole_number_up_to(const Json& value, uint64_t most);
int64_t whole_number_between(const Json& value, int64_t least, int64_t most);

/// What an exception of nlohmann's says, without its number: "key 'pred' not found".
std::string_view json_problem(const std::exception& problem);

/// On one line, or with every level indented. Text that is not UTF-8 gets replacement characters.
std::string json_text(const Json& value, int indent = -1);

}  // namespace espalier
