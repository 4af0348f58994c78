#include "research/page.h"

#include <gtest/gtest.h>

#include "espalier/base/files/temporary_directory.h"

namespace espalier::research {
namespace {

Report some_report() {
  Report report;
  report.set("data", "a < b");
  report.add("crf", "F1", 94.77, 93.5, 0.25);
  report.add("searn", "F1", std::nullopt, 94).printed().beside(94.36, "a table elsewhere");
  report.claim("searn above crf", true, "94 and 93.5", "never shown");
  report.claim("crf reaches 94.77", false, "93.5", "other features");
  report.check("weights are finite", true, "all");
  report.depart("fewer sentences");
  report.plots = {"somewhere/else/plot.svg", "not-there.svg"};
  return report;
}

TEST(ReportJson, SaysWhatIsPrintedAndWhereFiguresAreFrom) {
  const ReportJson json = report_json("an-experiment", some_report(), 1.5);
  EXPECT_EQ(json["rows"][0]["kind"], "ours");
  EXPECT_EQ(json["rows"][0]["seed"], 94.77);
  EXPECT_TRUE(json["rows"][0]["elsewhere"].is_null());
  EXPECT_EQ(json["rows"][1]["kind"], "printed");
  EXPECT_TRUE(json["rows"][1]["seed"].is_null());
  EXPECT_EQ(json["rows"][1]["elsewhere"], 94.36);
  EXPECT_EQ(json["rows"][1]["source"], "a table elsewhere");
  EXPECT_EQ(json["claims"][0]["cause"], "");
  EXPECT_EQ(json["claims"][1]["cause"], "other features");
  EXPECT_EQ(json["departures"][0], "fewer sentences");
}

TEST(ReportJson, IsKeptForTheSameSeedSizeAndCodeOnly) {
  const TemporaryDirectory folder;
  const ResultKey key{true, 3, "1.0", "c0de"};
  const std::string root = folder.root().string();
  ASSERT_TRUE(keep_result(root, report_json("a", some_report(), 1), key).ok());
  const auto kept = kept_result(root, "a", key);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ((*kept)["rows"], report_json("a", some_report(), 1)["rows"]);
  EXPECT_EQ((*kept)["plots"][0], "plot.svg");
  EXPECT_FALSE(kept_result(root, "b", key).has_value());
  EXPECT_FALSE(kept_result(root, "a", {false, 3, "1.0", "c0de"}).has_value());
  EXPECT_FALSE(kept_result(root, "a", {true, 4, "1.0", "c0de"}).has_value());
  EXPECT_FALSE(kept_result(root, "a", {true, 3, "1.0", "other"}).has_value());
  // Another version with the same code: what is printed along with the figures may differ, the figures do
  // not.
  EXPECT_TRUE(kept_result(root, "a", {true, 3, "1.1", "c0de"}).has_value());
  folder.write("a.json", folder.read("a.json").substr(0, 100));
  EXPECT_FALSE(kept_result(root, "a", key).has_value());
}

TEST(ResultsPage, HoldsTablesPlotsAndVerdictsAndNothingOutside) {
  const TemporaryDirectory folder;
  folder.write("plot.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0\"/></svg>");
  const std::vector<ReportJson> results = {report_json("an-experiment", some_report(), 1.5)};
  const std::vector<NotRun> missing = {{"another", "no corpus <here>"}};
  const std::string page = results_page(results, missing, folder.root().string());
  const auto has = [&](std::string_view text) { return page.find(text) != std::string::npos; };
  EXPECT_TRUE(has("a &lt; b"));
  EXPECT_TRUE(has("94.77") && has("93.5") && has("94.36<sup>1</sup>") && has("a table elsewhere"));
  EXPECT_TRUE(has("does not hold:</b> crf reaches 94.77: 93.5; probably because other features"));
  EXPECT_TRUE(has("1 of 2</td>"));
  EXPECT_TRUE(has("fewer sentences"));
  EXPECT_TRUE(has("data:image/svg+xml,%3Csvg xmlns=%22"));
  EXPECT_TRUE(has("not-there.svg"));
  EXPECT_TRUE(has("not run: no corpus &lt;here&gt;"));
  EXPECT_FALSE(has("src=\"http") || has("href=\"http") || has("<script"));
  EXPECT_FALSE(has("never shown"));
}

}  // namespace
}  // namespace espalier::research
