#include "espalier/report/measurements.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "espalier/base/deadline.h"
#include "espalier/base/files/atomic_file.h"
#include "espalier/base/hash.h"
#include "espalier/base/parallel.h"
#include "espalier/public/tools.h"

namespace espalier::report {
namespace {

constexpr size_t kCompareSamples = 2000;  // of the bootstrap: enough for p to three digits

/// A number that changes when the contents of a file do.
Result<uint64_t> fingerprint_of(const std::string& path, uint64_t seed) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("cannot read '{}'", path);
  std::string buffer(1 << 20, '\0');
  uint64_t hash = seed;
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), file.gcount() > 0)
    hash = hash_bytes(std::string_view(buffer.data(), static_cast<size_t>(file.gcount())), hash);
  return hash;
}

std::string share_text(int eighths) {
  return eighths == 8   ? "all data"
         : eighths == 4 ? "half of the data"
                        : fmt::format("1/{} of the data", 8 / eighths);
}

}  // namespace

Measurements::Measurements(Files train, CompareOptions options, std::vector<Candidate> candidates)
    : train_(std::move(train)),
      options_(std::move(options)),
      candidates_(std::move(candidates)),
      results_(candidates_.size()),
      failures_(candidates_.size()) {}

Result<Measurements> Measurements::open(const Files& train, const CompareOptions& options,
                                        std::vector<Candidate> candidates) {
  Measurements out(train, options, std::move(candidates));
  std::vector<std::string> paths = train.paths;
  for (const auto* more : {&options.dev, &options.test})
    if (*more) paths.insert(paths.end(), (*more)->paths.begin(), (*more)->paths.end());
  for (const std::string& path : paths) {
    ESPALIER_ASSIGN(out.fingerprint_, fingerprint_of(path, out.fingerprint_));
  }
  if (!options.work.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.work, error);
    if (error) return fail("cannot make the folder '{}': {}", options.work, error.message());
  }
  return out;
}

Trial Measurements::trial_of(size_t candidate, Part part) const {
  Trial trial;
  trial.train = train_;
  trial.candidate = candidates_[candidate];
  trial.feature_template = options_.feature_template;
  trial.template_name = options_.template_name;
  trial.feature_columns = options_.feature_columns;
  trial.seed = options_.seed;
  trial.threads = options_.threads;
  trial.folds = part.fold >= 0 ? options_.folds : 0;
  trial.fold = part.fold;
  trial.eighths = part.eighths;
  if (part.fold < 0) trial.test = options_.dev;
  return trial;
}

Result<TrialResult> Measurements::run_or_restore(const Trial& trial, double limit) {
  const std::string text = trial.to_json();
  const std::string key = fmt::format("{}\n{}\n{:016x}", text, version(), fingerprint_);
  const std::string file =
      options_.work.empty() ? "" : fmt::format("{}/{:016x}.json", options_.work, hash_bytes(key, 0));
  if (!file.empty()) {
    std::ifstream stored(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stored), {}};
    // A file that is damaged is measured again.
    if (auto result = TrialResult::from_json(bytes); result.ok()) return result;
  }
  if (!may_begin(trial)) return fail("stopped");
  std::string answer;
  if (options_.run_trial) {
    ESPALIER_ASSIGN(answer, options_.run_trial(text, limit));
  } else {
    // In this process, the limit is checked at the trial's own reports.
    std::atomic<bool> over{false};
    Monitor monitor;
    monitor.stop = options_.stop;
    monitor.cancelled = &over;
    const auto start = std::chrono::steady_clock::now();
    monitor.on_progress = [&](const Progress&) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      if (limit > 0 && spent.count() > limit) over = true;
    };
    auto result = run(trial, {}, monitor);
    if (over) return fail("gave up after {:.0f} s", limit);
    ESPALIER_ASSIGN(const TrialResult done, std::move(result));
    answer = done.to_json();
  }
  ESPALIER_ASSIGN(const TrialResult result, TrialResult::from_json(answer));
  {
    const std::lock_guard lock(*mutex_);
    ++done_;
  }
  if (!file.empty()) {
    ESPALIER_ASSIGN(AtomicFile out, AtomicFile::open(file));
    ESPALIER_TRY(out.write(answer));
    ESPALIER_TRY(out.commit());
  }
  return result;
}

/// Shows that the trial begins; false if the user wants no more.
bool Measurements::may_begin(const Trial& trial) {
  Progress progress;
  progress.phase = fmt::format("{}, {}", trial.candidate.name(), share_text(trial.eighths));
  if (trial.fold >= 0 && trial.folds > 0)
    progress.phase += fmt::format(", fold {} of {}", trial.fold + 1, trial.folds);
  const std::lock_guard lock(*mutex_);
  progress.done = static_cast<double>(done_);
  progress.total = static_cast<double>(std::max(planned_, done_ + 1));
  if (options_.on_progress && !options_.on_progress(progress)) stopped_ = true;
  if (options_.stop != nullptr && *options_.stop) stopped_ = true;
  return !stopped_;
}

bool Measurements::measure(size_t candidate, Part part, double limit) {
  {
    const std::lock_guard lock(*mutex_);
    if (results_[candidate].contains(part)) return true;
    if (stopped_) return false;
  }
  auto result = run_or_restore(trial_of(candidate, part), limit);
  const std::lock_guard lock(*mutex_);
  if (options_.stop != nullptr && *options_.stop) stopped_ = true;
  if (!result.ok()) {
    if (!stopped_) failures_[candidate] = result.error().message;
    return false;
  }
  spans_ = result->spans;
  results_[candidate].emplace(part, std::move(*result));
  return true;
}

size_t Measurements::at_once() const {
  return options_.run_trial ? std::max<size_t>(1, options_.trials_at_once) : 1;
}

void Measurements::measure_each(std::span<const Wanted> trials,
                                const std::function<double(size_t left)>& limit) {
  size_t next = 0;
  const auto work = [&] {
    for (;;) {
      Wanted one;
      double seconds = 0;
      {
        const std::lock_guard lock(*mutex_);
        while (next < trials.size() && !failures_[trials[next].candidate].empty()) ++next;
        if (stopped_ || next >= trials.size()) return;
        seconds = limit(trials.size() - next);
        if (seconds < 0) {
          next = trials.size();
          return;
        }
        one = trials[next++];
      }
      measure(one.candidate, one.part, seconds);
    }
  };
  std::vector<std::jthread> others;
  for (size_t i = 1; i < std::min(at_once(), trials.size()); ++i) others.emplace_back(work);
  work();
}

Result<TrialResult> Measurements::measure_on(size_t candidate, const Files& test) {
  Trial trial = trial_of(candidate, {8, -1});
  trial.test = test;
  return run_or_restore(trial, 0);
}

int Measurements::largest(size_t candidate) const {
  return results_[candidate].empty() ? 0 : results_[candidate].rbegin()->first.eighths;
}

std::vector<int> Measurements::folds(size_t candidate, int eighths) const {
  std::vector<int> out;
  for (const auto& [part, result] : results_[candidate])
    if (part.eighths == eighths) out.push_back(part.fold);
  return out;
}

std::vector<eval::SequenceStatistics> Measurements::pooled(size_t candidate, int eighths,
                                                           const std::vector<int>& folds) const {
  std::vector<eval::SequenceStatistics> out;
  for (const int fold : folds) {
    const auto& part = results_[candidate].at({eighths, fold}).statistics;
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

double Measurements::score(size_t candidate, int eighths, const std::vector<int>& folds) const {
  return eval::score(pooled(candidate, eighths, folds), metric());
}

std::optional<eval::BootstrapResult> Measurements::compare(size_t first, size_t second) const {
  for (int eighths = std::min(largest(first), largest(second)); eighths > 0; eighths /= 2) {
    const std::vector<int> a = folds(first, eighths), b = folds(second, eighths);
    std::vector<int> common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    if (common.empty()) continue;
    const Workers workers(options_.threads);
    const auto result =
        eval::paired_bootstrap(pooled(first, eighths, common), pooled(second, eighths, common), metric(),
                               Random(options_.seed), {kCompareSamples, 0.95}, &workers);
    if (result.ok()) return *result;
  }
  return std::nullopt;
}

}  // namespace espalier::report
