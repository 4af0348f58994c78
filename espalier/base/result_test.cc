#include "espalier/base/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace espalier {
namespace {

using ::testing::HasSubstr;

Result<int> half(int n) {
  if (n % 2 != 0) return fail("{} is odd", n);
  return n / 2;
}

Status must_be_even(int n) {
  ESPALIER_TRY(half(n));
  return {};
}

Result<std::string> quarter_in_words(int n, int& steps) {
  ESPALIER_ASSIGN(const int first, half(n));
  ++steps;
  ESPALIER_ASSIGN(const int second, half(first));
  ++steps;
  ESPALIER_TRY(must_be_even(second));
  ++steps;
  return std::to_string(second);
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = half(8);
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(*good, 4);
  EXPECT_EQ(good.value(), 4);
  const Result<int> bad = half(7);
  EXPECT_FALSE(bad.ok());
  EXPECT_FALSE(static_cast<bool>(bad));
  EXPECT_EQ(bad.error().message, "7 is odd");
}

TEST(Result, PointsAtItsValue) {
  const Result<std::string> text = std::string("fine");
  EXPECT_TRUE(text.ok());
  EXPECT_EQ(text->size(), 4u);
}

template <typename Call>
std::string failure_of(const Call& call) {
  try {
    call();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "nothing thrown";
}

TEST(Result, TakingTheValueOfAnErrorThrowsItsMessage) {
  Result<int> bad = half(7);
  EXPECT_EQ(failure_of([&] { (void)bad.value(); }), "7 is odd");
  EXPECT_EQ(failure_of([&] { (void)std::as_const(bad).value(); }), "7 is odd");
  EXPECT_EQ(failure_of([&] { (void)half(7).value(); }), "7 is odd");
  EXPECT_EQ(failure_of([&] { (void)*half(7); }), "7 is odd");
  EXPECT_EQ(failure_of([&] { must_be_even(3).value(); }), "3 is odd");
  EXPECT_EQ(failure_of([&] { must_be_even(4).value(); }), "nothing thrown");
}

TEST(Result, TakingTheErrorOfAValueIsABrokenContract) {
  EXPECT_THROW((void)half(8).error(), ContractViolation);
  const Result<int> good = half(8);
  EXPECT_THROW((void)good.error(), ContractViolation);
  EXPECT_THROW((void)Status().error(), ContractViolation);
}

Result<std::vector<std::string>> words() { return std::vector<std::string>{"one", "two"}; }

TEST(Result, WhatATemporaryHeldLivesAsLongAsALoopOverIt) {
  std::string all;
  for (const std::string& word : words().value()) all += word;
  for (const std::string& word : *words()) all += word;
  EXPECT_EQ(all, "onetwoonetwo");
}

TEST(Result, HandsOutWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Result, CopiesMovesAndAssignmentsLeaveNothingBehind) {
  const auto held = std::make_shared<int>(7);
  using Shared = Result<std::shared_ptr<int>>;
  {
    Shared value = held;
    const Shared copy = value;
    EXPECT_EQ(held.use_count(), 3);
    Shared error = Error{"a message that is too long to be stored inside a string"};
    const Shared copied_error = error;
    std::swap(value, error);
    ASSERT_FALSE(value.ok());
    EXPECT_EQ(value.error().message, copied_error.error().message);
    EXPECT_EQ(*error, held);
    EXPECT_EQ(held.use_count(), 3);
    error = copied_error;
    EXPECT_EQ(held.use_count(), 2);
    value = copy;
    value = value.value();
    EXPECT_EQ(*value, held);
    EXPECT_EQ(held.use_count(), 3);
  }
  EXPECT_EQ(held.use_count(), 1);
}
TEST(Result, IsCopiedIfItsValueCanBe) {
  static_assert(std::is_copy_constructible_v<Result<std::string>>);
  static_assert(!std::is_copy_constructible_v<Result<std::unique_ptr<int>>>);
  static_assert(std::is_nothrow_move_constructible_v<Result<std::unique_ptr<int>>>);
}

TEST(Status, IsSuccessUnlessGivenAnError) {
  EXPECT_TRUE(Status().ok());
  EXPECT_TRUE(must_be_even(4).ok());
  const Status bad = must_be_even(3);
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().message, "3 is odd");
}

TEST(Macros, TheFirstErrorReturnsAtOnce) {
  int steps = 0;
  EXPECT_EQ(*quarter_in_words(8, steps), "2");
  EXPECT_EQ(steps, 3);
  steps = 0;
  EXPECT_EQ(quarter_in_words(6, steps).error().message, "3 is odd");
  EXPECT_EQ(steps, 1);
  steps = 0;
  EXPECT_EQ(quarter_in_words(4, steps).error().message, "1 is odd");
  EXPECT_EQ(steps, 2);
}

TEST(Check, ABrokenConditionNamesItselfAndItsPlace) {
  const int n = 3;
  EXPECT_NO_THROW(ESPALIER_CHECK(n == 3));
  try {
    ESPALIER_CHECK(n == 4);
    FAIL() << "nothing thrown";
  } catch (const ContractViolation& e) {
    EXPECT_THAT(e.what(), HasSubstr("result_test.cc:"));
    EXPECT_THAT(e.what(), HasSubstr("n == 4"));
  }
}

}  // namespace
}  // namespace espalier
