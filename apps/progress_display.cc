#include "apps/progress_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "apps/terminal.h"

namespace espalier::apps {
namespace {

constexpr size_t kWidestBar = 24;
constexpr size_t kNarrowestBar = 6;
constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr auto kLineEvery = std::chrono::seconds(3);
// No forecast of the time left before this share of a phase is done and this much time has passed.
constexpr double kFirstForecast = 0.02;
constexpr double kFirstForecastSeconds = 1;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string bar(double part, size_t width) {
  const auto full = static_cast<size_t>(std::lround(part * static_cast<double>(width)));
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

void append_measures(const Progress& progress, std::string& out) {
  if (progress.round) append_format(out, "  pass {}", *progress.round);
  if (progress.objective)
    append_format(out, "  {} {:.5g}", progress.objective_name.empty() ? "objective" : progress.objective_name,
                  *progress.objective);
  if (progress.dev_score)
    append_format(out, "  dev {}{}{:.2f}", progress.dev_measure, progress.dev_measure.empty() ? "" : " ",
                  *progress.dev_score);
}

}  // namespace

std::string progress_bar(const Progress& progress, double seconds, size_t width) {
  std::string measures;
  if (progress.total <= 0) {
    if (progress.done > 0) measures += "  " + count_text(static_cast<size_t>(progress.done));
    append_measures(progress, measures);
    return cut(progress.phase + measures + "  " + duration_text(seconds), width);
  }
  const double part = std::clamp(progress.done / progress.total, 0.0, 1.0);
  measures = fmt::format(" {:3.0f}%", 100 * part);
  append_measures(progress, measures);
  if (part >= kFirstForecast && part < 1 && seconds >= kFirstForecastSeconds)
    measures += "  " + duration_text(seconds * (1 - part) / part) + " left";
  // The bar gets the room that the numbers leave.
  const size_t used =
      display_width(progress.phase) + display_width(measures) + std::string_view(" []").size();
  const size_t room = width > used ? width - used : 0;
  return cut(progress.phase + " " + bar(part, std::clamp(room, kNarrowestBar, kWidestBar)) + measures, width);
}

std::string progress_line(const Progress& progress, double seconds) {
  std::string out = progress.phase;
  append_measures(progress, out);
  out += "  " + duration_text(seconds);
  return out;
}

ProgressDisplay::ProgressDisplay(Mode mode)
    : mode_(is_silent() ? Mode::kQuiet : mode), width_(mode == Mode::kQuiet ? 0 : terminal_width()) {}

void ProgressDisplay::show(const Progress& progress) {
  if (mode_ == Mode::kQuiet) return;
  if (!progress.warning.empty()) {
    clear();
    say("espalier: warning: " + progress.warning);
    return;
  }
  const std::scoped_lock lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (progress.phase != phase_) {
    // The first report of a phase comes after some of it is done; the phase began at the last report of the
    // one before.
    phase_ = progress.phase;
    phase_start_ = reported_at_;
    drawn_at_ = {};
  }
  reported_at_ = now;
  if (width_ == 0) {
    if (mode_ == Mode::kAuto && progress.round_ended) {
      held_ = progress_line(progress, seconds_between(start_, now));
      if (now - said_at_ >= kLineEvery || progress.done >= progress.total) say_held(now);
    }
    return;
  }
  if (!progress.round_ended && now - drawn_at_ < kRedrawEvery) return;
  drawn_at_ = now;
  drawn_ = true;
  // One column is left free: a line that fills the last one wraps on some terminals.
  const std::string line = progress_bar(progress, seconds_between(phase_start_, now), width_ - 1);
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
}

void ProgressDisplay::say_held(Clock::time_point now) {
  if (held_.empty()) return;
  say(held_);
  held_.clear();
  said_at_ = now;
}

void ProgressDisplay::clear() {
  const std::scoped_lock lock(mutex_);
  say_held(Clock::now());  // the last round that ended is always told
  if (!drawn_) return;
  drawn_ = false;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

std::function<bool(const Progress&)> ProgressDisplay::callback() {
  return [this](const Progress& progress) {
    show(progress);
    return true;
  };
}

}  // namespace espalier::apps
