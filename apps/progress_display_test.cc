#include "apps/progress_display.h"

#include <gmock/gmock.h>

#include "apps/terminal.h"

namespace espalier::apps {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Progress halfway() {
  Progress progress;
  progress.phase = "training";
  progress.done = 5;
  progress.total = 10;
  progress.round = 5;
  progress.objective = 0.25;
  progress.dev_score = 93.456;
  return progress;
}

TEST(ProgressBar, ShowsPhaseShareRoundMeasuresAndTimeLeft) {
  const std::string bar = progress_bar(halfway(), 30, 200);
  EXPECT_THAT(bar, StartsWith("training [############............]  50%"));
  EXPECT_THAT(bar, HasSubstr("pass 5"));
  EXPECT_THAT(bar, HasSubstr("objective 0.25"));
  EXPECT_THAT(bar, HasSubstr("dev 93.46"));
  EXPECT_THAT(bar, EndsWith("30 s left"));
}

TEST(ProgressBar, NeverWiderThanTheTerminal) {
  for (size_t width = 1; width < 100; ++width)
    EXPECT_LE(display_width(progress_bar(halfway(), 30, width)), width);
}

TEST(ProgressBar, GivesUpLengthBeforeItGivesUpNumbers) {
  const std::string bar = progress_bar(halfway(), 30, 79);
  EXPECT_LE(display_width(bar), 79u);
  EXPECT_THAT(bar, HasSubstr("dev 93.46"));
  EXPECT_THAT(bar, EndsWith("30 s left"));
}

TEST(ProgressBar, ForecastsNothingFromNothing) {
  Progress progress = halfway();
  progress.done = 0;
  EXPECT_THAT(progress_bar(progress, 30, 200), Not(HasSubstr("left")));
  EXPECT_THAT(progress_bar(halfway(), 0.1, 200), Not(HasSubstr("left")));
  progress.done = 12;  // more than there should be
  EXPECT_THAT(progress_bar(progress, 30, 200), HasSubstr("100%"));
}

TEST(ProgressBar, CountsWhereTheTotalIsUnknown) {
  Progress progress;
  progress.phase = "reading";
  progress.done = 12000;
  EXPECT_EQ(progress_bar(progress, 2, 200), "reading  12,000  2.0 s");
}

TEST(ProgressLine, SaysWhatItsNumbersAre) {
  Progress progress = halfway();
  progress.objective_name = "loss per token";
  progress.dev_measure = "F1";
  EXPECT_EQ(progress_line(progress, 30), "training  pass 5  loss per token 0.25  dev F1 93.46  30 s");
}

TEST(ProgressLine, HasWhatALogNeeds) {
  EXPECT_EQ(progress_line(halfway(), 30), "training  pass 5  objective 0.25  dev 93.46  30 s");
}

}  // namespace
}  // namespace espalier::apps
