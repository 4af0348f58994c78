// Expected failures are values: a Result holds what was asked for or an Error that says what was wrong.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace espalier {

/// What went wrong, in words for the person at the keyboard: which file and line, what was found, what was
/// wanted.
struct Error {
  std::string message;
};

/// Builds an Error from a format string: `return fail("{}:{}: expected {} columns", file, line, n);`
template <typename... Args>
Error fail(fmt::format_string<Args...> format, Args&&... args) {
  return Error{fmt::format(format, std::forward<Args>(args)...)};
}

/// A broken precondition: a defect in the calling code, never bad input.
class ContractViolation : public std::logic_error {
  using std::logic_error::logic_error;
};

/// Checked in every build. Throws ContractViolation; the library itself never aborts.
#define ESPALIER_CHECK(condition)                                                       \
  do {                                                                                  \
    if (!(condition)) [[unlikely]]                                                      \
      throw ::espalier::ContractViolation(                                              \
          ::fmt::format("{}:{}: contract broken: {}", __FILE__, __LINE__, #condition)); \
  } while (false)

/// A value of type T, or the Error that stands in its place.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// Precondition: ok().
  T& value() & {
    ESPALIER_CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    ESPALIER_CHECK(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    ESPALIER_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Precondition: !ok().
  const Error& error() const& {
    ESPALIER_CHECK(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    ESPALIER_CHECK(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

/// Success, or the Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : failed_(true), error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !failed_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const& {
    ESPALIER_CHECK(failed_);
    return error_;
  }
  Error&& error() && {
    ESPALIER_CHECK(failed_);
    return std::move(error_);
  }

 private:
  bool failed_ = false;
  Error error_;
};

#define ESPALIER_JOIN_(a, b) a##b
#define ESPALIER_JOIN(a, b) ESPALIER_JOIN_(a, b)

/// Returns the error of a Status or Result to the caller, or goes on.
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
