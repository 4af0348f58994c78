// Public: Result and Status, the return types of every function that can fail.
//
// A Result<T> holds a T or an Error; a Status holds nothing or an Error. Test with ok(), or call value(),
// which throws a Failure with the error's message if there is no value:
//
//   es::Tagger tagger = es::Tagger::open("chunks.model").value();     // throws if the file is damaged
//   if (auto tagger = es::Tagger::open(path); !tagger.ok()) show(tagger.error().message);
//
// Needs only the standard library. The library itself never throws for an expected failure (a missing file, a
// damaged model, an option out of range). It throws a ContractViolation for a broken precondition, which is a
// defect in the calling code or in the library.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

/// Marks the symbols that the shared library exports.
#if defined(__GNUC__)
#define ESPALIER_PUBLIC __attribute__((visibility("default")))
#else
#define ESPALIER_PUBLIC
#endif

namespace espalier {

/// What went wrong, in words for the user: which file and line, what was found, what was expected.
struct Error {
  std::string message;
};

/// Thrown by value() if there is an error instead of a value; what() is the error's message.
class ESPALIER_PUBLIC Failure : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A broken precondition: a defect in the calling code, never bad input.
class ESPALIER_PUBLIC ContractViolation : public std::logic_error {
  using std::logic_error::logic_error;
};

namespace detail {
[[noreturn]] inline void throw_failure(const Error& error) { throw Failure(error.message); }
[[noreturn]] inline void throw_no_error() {
  throw ContractViolation("contract broken: error() was called on a result without an error");
}
}  // namespace detail

/// A value of type T, or an Error.
///
/// A union instead of a std::variant: there are hundreds of kinds of results, and compilers take several
/// times as long for the latter.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)), ok_(true) {}       // NOLINT(google-explicit-constructor)
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT(google-explicit-constructor)
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : ok_(other.ok_) {
    if (ok_) {
      new (&value_) T(std::move(other.value_));
    } else {
      new (&error_) Error(std::move(other.error_));
    }
  }
  Result(const Result& other) requires std::is_copy_constructible_v<T> : ok_(other.ok_) {
    if (ok_) {
      new (&value_) T(other.value_);
    } else {
      new (&error_) Error(other.error_);
    }
  }
  /// Copies or moves into the parameter first; what follows cannot fail.
  Result& operator=(Result other) noexcept {
    static_assert(std::is_nothrow_move_constructible_v<T>);
    this->~Result();
    return *new (this) Result(std::move(other));
  }
  ~Result() {
    if (ok_) {
      value_.~T();
    } else {
      error_.~Error();
    }
  }

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }

  /// Throws Failure if there is an error.
  T& value() & {
    if (!ok_) [[unlikely]]
      detail::throw_failure(error_);
    return value_;
  }
  const T& value() const& {
    if (!ok_) [[unlikely]]
      detail::throw_failure(error_);
    return value_;
  }
  /// Returns by value, so that the range in `for (auto& x : f().value())` lives as long as the loop.
  T value() && {
    if (!ok_) [[unlikely]]
      detail::throw_failure(error_);
    return std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Precondition: !ok().
  const Error& error() const& {
    if (ok_) [[unlikely]]
      detail::throw_no_error();
    return error_;
  }
  Error error() && {
    if (ok_) [[unlikely]]
      detail::throw_no_error();
    return std::move(error_);
  }

 private:
  union {
    T value_;
    Error error_;
  };
  bool ok_;
};

/// Success, or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : failed_(true), error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !failed_; }
  explicit operator bool() const { return ok(); }
  /// Throws Failure if there is an error.
  void value() const {
    if (failed_) [[unlikely]]
      detail::throw_failure(error_);
  }
  /// Precondition: !ok().
  const Error& error() const& {
    if (!failed_) [[unlikely]]
      detail::throw_no_error();
    return error_;
  }
  Error error() && {
    if (!failed_) [[unlikely]]
      detail::throw_no_error();
    return std::move(error_);
  }

 private:
  bool failed_ = false;
  Error error_;
};

}  // namespace espalier
