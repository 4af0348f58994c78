// json_as, the values in JSON that came from outside. Tested in json_test.cc.
#pragma once

#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <vector>

#include "espalier/base/text/json.h"

namespace espalier {

template <typename T>
struct IsVectorOfIntegers : std::false_type {};
template <std::integral T>
struct IsVectorOfIntegers<std::vector<T>> : std::true_type {};

/// A value as a C++ type; throws Json::exception if it is none of that type. nlohmann's get takes −1 for the
/// largest unsigned number, 2.7 for 2, and anything for 1e60.
template <typename T>
T json_as(const Json& value) {
  if constexpr (IsVectorOfIntegers<T>::value) {
    T numbers;
    for (const Json& one : value.get_ref<const Json::array_t&>())
      numbers.push_back(json_as<typename T::value_type>(one));
    return numbers;
  } else if constexpr (std::same_as<T, bool> || !std::integral<T>) {
    return value.get<T>();
  } else if constexpr (std::unsigned_integral<T>) {
    return static_cast<T>(whole_number_up_to(value, std::numeric_limits<T>::max()));
  } else {
    return static_cast<T>(
        whole_number_between(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
}

/// The member of an object, or a default where it has none.
template <typename T>
T json_member_or(const Json& object, const char* name, T otherwise) {
  const auto found = object.find(name);
  return found == object.end() ? otherwise : json_as<T>(*found);
}

}  // namespace espalier
