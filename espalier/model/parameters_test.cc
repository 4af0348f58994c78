#include "espalier/model/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/model/registry.h"

namespace espalier::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

enum class Colour { kRed, kGreen };

struct ToyBase {
  int count = 3;
};
struct ToyOptions : ToyBase {
  double rate = 1e-5;
  std::optional<double> size;
  std::optional<uint32_t> rows;
  bool open = true;
  Colour colour = Colour::kGreen;
  std::optional<Colour> back;
  std::string word;
  std::optional<std::string> prefix;
  std::vector<double> parts = {0.25, 0.5};
};

ParameterTable<ToyOptions> toy_table() {
  ParameterTable<ToyOptions> table;
  table.whole("count", &ToyOptions::count, {1, 10}, "how many");
  table.number("rate", &ToyOptions::rate, {0, 1}, "how fast");
  table.number("size", &ToyOptions::size, {0}, "how large", kAdvanced);
  table.whole("rows", &ToyOptions::rows, {0, 1e9}, "how many rows");
  table.flag("open", &ToyOptions::open, "whether it is");
  table.choice("colour", &ToyOptions::colour, {{"red", Colour::kRed}, {"green", Colour::kGreen}}, "which");
  table.choice("back", &ToyOptions::back, {{"red", Colour::kRed}, {"green", Colour::kGreen}}, "which behind");
  table.text("word", &ToyOptions::word, "any");
  table.text("prefix", &ToyOptions::prefix, "any");
  table.list("parts", &ToyOptions::parts, {0, 1}, "shares");
  table.only_where(
      {"size"}, [](const ToyOptions& o, const Situation&) { return o.open; }, "open=yes");
  table.clash([](const ToyOptions& o, const Situation&) { return o.colour == Colour::kRed && o.count > 5; },
              "red comes in fives at most");
  return table;
}

ParsedOptions parsed_settings(const std::vector<std::string>& settings) {
  auto result = toy_table().parse("toy", settings);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}
ToyOptions parsed(const std::vector<std::string>& settings) {
  return parsed_settings(settings).as<ToyOptions>();
}

std::string refused(std::vector<std::string> settings) {
  const auto result = toy_table().parse("toy", settings);
  return result.ok() ? "was accepted" : result.error().message;
}

TEST(ParameterTable, SettingsBecomeFieldsAndDefaultsStay) {
  const ToyOptions o = parsed({"count=7", "size=2.5", "rows=4", "open=no", "colour=red", "back=green",
                               "word=a=b", "prefix=x", "parts=1,0,0.5"});
  EXPECT_EQ(o.count, 7);
  EXPECT_EQ(o.rate, 1e-5);
  EXPECT_EQ(o.size, 2.5);
  EXPECT_EQ(o.rows, 4u);
  EXPECT_FALSE(o.open);
  EXPECT_EQ(o.colour, Colour::kRed);
  EXPECT_EQ(o.back, Colour::kGreen);
  EXPECT_EQ(o.word, "a=b");
  EXPECT_EQ(o.prefix, "x");
  EXPECT_EQ(o.parts, (std::vector<double>{1, 0, 0.5}));
  const ToyOptions automatic = parsed({"size=2", "size=auto", "back=red", "back=auto", "prefix=auto"});
  EXPECT_FALSE(automatic.size || automatic.back || automatic.prefix);
}

TEST(ParameterTable, TheTextsOfTheDefaultsGiveTheDefaultsBack) {
  const ParameterTable<ToyOptions> table = toy_table();
  std::vector<std::string> settings, fallbacks;
  for (const Parameter& p : table.parameters()) {
    settings.push_back(fmt::format("{}={}", p.name, p.fallback));
    fallbacks.push_back(p.fallback);
  }
  EXPECT_EQ(fallbacks, (std::vector<std::string>{"3", "1e-5", "auto", "auto", "yes", "green", "auto", "",
                                                 "auto", "0.25,0.5"}));
  const ToyOptions o = parsed(settings);
  EXPECT_EQ(o.rate, ToyOptions().rate);
  EXPECT_EQ(o.parts, ToyOptions().parts);
}

TEST(ParameterTable, TheTextsAreKeptAsTheyWereSet) {
  const std::vector<std::string> settings = {"rate=0.50", "count=4"};
  const auto result = toy_table().parse("toy", settings);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->texts.at("rate"), "0.50");
  EXPECT_EQ(result->texts.at("colour"), "green");
  EXPECT_EQ(result->texts.size(), toy_table().parameters().size());
}

TEST(ParameterTable, WhatCannotBeIsRefusedInWords) {
  EXPECT_EQ(refused({"cuont=3"}), "learner toy has no parameter 'cuont'; did you mean 'count'?");
  EXPECT_EQ(refused({"count"}), "-p count: expected name=value");
  EXPECT_EQ(refused({"count=11"}), "parameter count: '11' is not a whole number from 1 to 10");
  EXPECT_EQ(refused({"count=1.5"}), "parameter count: '1.5' is not a whole number from 1 to 10");
  EXPECT_EQ(refused({"count=auto"}), "parameter count: 'auto' is not a whole number from 1 to 10");
  EXPECT_EQ(refused({"size=-1"}), "parameter size: '-1' is not a number of at least 0");
  EXPECT_EQ(refused({"open=maybe"}), "parameter open: 'maybe' is neither yes nor no");
  EXPECT_EQ(refused({"back=blue"}), "parameter back: 'blue' is none of auto, red, green");
  EXPECT_EQ(refused({"parts=0.5,"}), "parameter parts: '' is not a number from 0 to 1");
  EXPECT_EQ(refused({"parts=0.5,2"}), "parameter parts: '2' is not a number from 0 to 1");
}

TEST(ParameterTable, IdleParametersAndContradictionsAreRefusedAndDefaultsNever) {
  const ParameterTable<ToyOptions> table = toy_table();
  const Situation situation{all_tasks().front()};
  const auto check = [&](std::vector<std::string> settings) {
    const Status status = table.check(parsed_settings(settings), situation);
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_EQ(check({}), "");
  EXPECT_EQ(check({"size=2"}), "");
  EXPECT_EQ(check({"open=no"}), "");
  EXPECT_EQ(check({"open=no", "size=auto"}), "");
  EXPECT_EQ(check({"open=no", "size=2"}), "parameter size is for open=yes");
  EXPECT_EQ(check({"colour=red", "count=6"}), "red comes in fives at most");
}

TEST(ParameterTable, RulesSeeWhatWasSetAlsoToItsDefault) {
  ParameterTable<ToyOptions> table = toy_table();
  table.clash([](const ToyOptions& o, const Situation& s) { return o.size && s.given.contains("count"); },
              "size counts by itself");
  const auto accepted = [&](const std::vector<std::string>& settings) {
    return table.check(parsed_settings(settings), Situation{all_tasks().front()}).ok();
  };
  EXPECT_TRUE(accepted({"size=2"}));
  EXPECT_TRUE(accepted({"count=3"}));
  EXPECT_FALSE(accepted({"size=2", "count=3"}));
  EXPECT_FALSE(accepted({"count=3", "size=2"}));
  EXPECT_TRUE(accepted({"size=2", "size=auto", "count=3"}));
  EXPECT_EQ(parsed_settings({"size=auto", "rows=1", "rows=auto", "count=3"}).given,
            (std::set<std::string, std::less<>>{"count"}));
}

TEST(ParameterTable, CodeForABaseAddsToTheSameTable) {
  const auto add_count = [](ParameterTable<ToyBase> table) {
    table.whole("again", &ToyBase::count, {1, 10}, "how many, too");
    table.clash([](const ToyBase& o, const Situation&) { return o.count == 9; }, "nine is not for toys");
  };
  const ParameterTable<ToyOptions> table = toy_table();
  add_count(table);
  EXPECT_EQ(table.parameters().back().fallback, "3");
  const std::vector<std::string> settings = {"again=9"};
  const auto result = table.parse("toy", settings);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->as<ToyOptions>().count, 9);
  EXPECT_FALSE(table.check(*result, Situation{all_tasks().front()}).ok());
}

TEST(ParameterTable, HelpShowsRangesAndAudience) {
  const std::vector<Parameter> all = toy_table().parameters();
  EXPECT_EQ(all[0].range, "1 to 10");
  EXPECT_EQ(all[2].range, "from 0 up");
  EXPECT_EQ(all[6].range, "auto, red, green");
  EXPECT_TRUE(all[0].basic);
  EXPECT_FALSE(all[2].basic);
}

}  // namespace
}  // namespace espalier::model
