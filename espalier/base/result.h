// How the library makes and passes on expected failures, which are values (espalier/public/result.h).
//
// `return fail("{}:{}: expected {} columns", file, line, n);` makes an Error. ESPALIER_TRY and
// ESPALIER_ASSIGN return an error to the caller. ESPALIER_CHECK throws when a precondition is broken.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "espalier/public/result.h"

namespace espalier {

/// Builds an Error from a format string: `return fail("{}:{}: expected {} columns", file, line, n);`
template <typename... Args>
Error fail(fmt::format_string<Args...> format, Args&&... args) {
  return Error{fmt::format(format, std::forward<Args>(args)...)};
}

/// Checked in every build. Throws ContractViolation; the library itself never aborts.
#define ESPALIER_CHECK(condition)                                                       \
  do {                                                                                  \
    if (!(condition)) [[unlikely]]                                                      \
      throw ::espalier::ContractViolation(                                              \
          ::fmt::format("{}:{}: contract broken: {}", __FILE__, __LINE__, #condition)); \
  } while (false)

#define ESPALIER_JOIN_(a, b) a##b
#define ESPALIER_JOIN(a, b) ESPALIER_JOIN_(a, b)

/// Returns the error of a Status or Result to the caller; otherwise continues.
#define ESPALIER_TRY(expression)                                      \
  do {                                                                \
    if (auto espalier_status_ = (expression); !espalier_status_.ok()) \
      return std::move(espalier_status_).error();                     \
  } while (false)

/// `ESPALIER_ASSIGN(auto file, open(path));` declares file, or returns the error to the caller.
#define ESPALIER_ASSIGN(declaration, expression)                         \
  auto ESPALIER_JOIN(espalier_result_, __LINE__) = (expression);         \
  if (!ESPALIER_JOIN(espalier_result_, __LINE__).ok())                   \
    return std::move(ESPALIER_JOIN(espalier_result_, __LINE__)).error(); \
  declaration = std::move(ESPALIER_JOIN(espalier_result_, __LINE__)).value()

}  // namespace espalier
