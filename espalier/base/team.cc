#include "espalier/base/team.h"

#include <algorithm>

#include "espalier/base/parallel.h"

namespace espalier {

namespace {
constexpr size_t kLongestMessage = size_t{1} << 16;
}  // namespace

Team::Team(Ranks* ranks, const Monitor& caller) : ranks_(ranks), caller_(caller), monitor_(caller) {
  if (ranks_ == nullptr || ranks_->size() == 1) return;
  rank_ = static_cast<size_t>(ranks_->rank());
  size_ = static_cast<size_t>(ranks_->size());
  monitor_.stop = &stop_;
  monitor_.cancelled = nullptr;
  monitor_.on_progress = [this](const Progress& progress) { report(progress); };
}

/// Tells the others where this rank is. Throws if one of them has left; notes whether one was asked to stop.
std::vector<Team::Header> Team::greet(Call call, uint64_t bytes, uint64_t number) const {
  const Header mine{static_cast<uint32_t>(call), caller_.stop_requested() ? 1u : 0u, bytes, number};
  std::vector<Header> all(size_);
  ranks_->gather(&mine, sizeof mine, all.data());
  if (call == Call::kEnd) return all;
  const auto left = [](const Header& header) { return header.call == static_cast<uint32_t>(Call::kEnd); };
  if (const auto one = std::find_if(all.begin(), all.end(), left); one != all.end()) {
    ranks_->over_ = true;
    const auto [host, message] = last_words(*ranks_, all, {});
    throw AnotherRankFailed(fmt::format("rank {} on {}: {}", one - all.begin(), host, message));
  }
  for (const Header& header : all) {
    ESPALIER_CHECK(header.call == mine.call);  // all ranks make the same calls
    if (header.stop != 0) stop_.store(true, std::memory_order_relaxed);
  }
  return all;
}

std::vector<size_t> Team::begin(Call call, uint64_t bytes) const {
  std::vector<size_t> sizes;
  for (const Header& header : greet(call, bytes)) sizes.push_back(header.bytes);
  return sizes;
}

std::vector<size_t> Team::begin_exchange(const std::vector<size_t>& sizes) const {
  ESPALIER_CHECK(sizes.size() == size_);
  greet(Call::kExchange, 0);
  std::vector<size_t> all(size_ * size_), from;
  ranks_->gather(sizes.data(), size_ * sizeof(size_t), all.data());
  for (size_t r = 0; r < size_; ++r) from.push_back(all[r * size_ + rank_]);
  return from;
}

void Team::gather_bytes(const void* mine, const std::vector<size_t>& sizes, void* all) const {
  if (std::any_of(sizes.begin(), sizes.end(), [](size_t bytes) { return bytes > 0; }))
    ranks_->gather_varied(mine, sizes, all);
}

void Team::exchange_bytes(const void* mine, const std::vector<size_t>& to, void* in,
                          const std::vector<size_t>& from) const {
  ranks_->exchange(mine, to, in, from);
}

void Team::share_bytes(void* bytes, size_t size) const {
  if (size > 0) ranks_->broadcast(bytes, size);
}

void Team::sum(std::span<int64_t> values) const {
  if (alone()) return;
  greet(Call::kSum, values.size_bytes());
  if (!values.empty()) ranks_->sum(values.data(), values.size());
}

void Team::max(std::span<uint8_t> values) const {
  if (alone()) return;
  // Each rank finds the largest of a range.
  std::vector<std::vector<uint8_t>> to(size_);
  for (size_t r = 0; r < size_; ++r) {
    const Range range = piece_of(values.size(), size_, r);
    to[r].assign(values.begin() + static_cast<ptrdiff_t>(range.first),
                 values.begin() + static_cast<ptrdiff_t>(range.last));
  }
  const Gathered<uint8_t> all = exchange(to);
  std::vector<uint8_t> largest(to[rank_].size(), 0);
  for (size_t r = 0; r < size_; ++r)
    for (size_t i = 0; i < largest.size(); ++i) largest[i] = std::max(largest[i], all[r][i]);
  const Gathered<uint8_t> merged = gather(largest);
  std::copy(merged.items.begin(), merged.items.end(), values.begin());
}

Status Team::agree(const Status& mine, uint64_t place) const {
  if (alone()) return mine;
  std::vector<std::byte> told;
  if (!mine.ok()) {
    put(told, place);
    put_text(told, mine.error().message);
  }
  const Gathered<std::byte> all = gather(told);
  Status first;
  uint64_t lowest = 0;
  for (size_t r = 0; r < size_; ++r) {
    MessageReader reader(all[r]);
    if (reader.done()) continue;
    const uint64_t at = reader.get<uint64_t>();
    if (!first.ok() && lowest <= at) continue;
    lowest = at;
    first = Error{reader.get_text()};
  }
  return first;
}

void Team::check_same(uint64_t number) const {
  if (alone()) return;
  const std::vector<Header> all = greet(Call::kCheck, 0, number);
  for (size_t r = 0; r < size_; ++r)
    if (all[r].number != all[0].number)
      throw AnotherRankFailed(
          fmt::format("rank {} computes other numbers than rank 0: its processor is of another kind, or its "
                      "files are not the same; train on machines of one kind",
                      r));
}

/// Where the ranks read their files they are not in step, so the slowest is shown; in training they are.
void Team::report(Progress progress) const {
  if (first() && progress.warning.empty() && !progress.round) {
    const std::vector<double> told = ranks_->told();
    size_t slowest = 0;
    for (size_t r = 1; r < told.size(); ++r)
      if (told[r] >= 0 && told[r] < progress.done) {
        progress.done = told[r];
        slowest = r;
      }
    if (slowest > 0) progress.phase += fmt::format(" on rank {}, the slowest,", slowest);
  }
  if (!first() && !progress.round) ranks_->tell(progress.done);
  caller_.report(progress);
}

/// The host and the message of the first rank that has ended. All ranks take part, those that are in the
/// middle of their work with nothing to say.
std::pair<std::string, std::string> Team::last_words(Ranks& ranks, const std::vector<Header>& all,
                                                     std::string_view mine) {
  std::vector<size_t> sizes;
  size_t total = 0;
  for (const Header& header : all) {
    sizes.push_back(header.call == static_cast<uint32_t>(Call::kEnd) ? header.bytes : 0);
    total += sizes.back();
  }
  std::string words(total, '\0');
  ranks.gather_varied(mine.data(), sizes, words.data());
  // Ranks that ended well have a host and no message.
  for (size_t r = 0, begin = 0; r < sizes.size(); begin += sizes[r++]) {
    const std::string one = words.substr(begin, sizes[r]);
    const size_t end = one.find('\0');
    if (end != std::string::npos && end + 1 < one.size()) return {one.substr(0, end), one.substr(end + 1)};
  }
  return {};
}

int end_together(Ranks& ranks, int status, std::string& message) {
  if (ranks.size() == 1 || ranks.over_) return status;
  const Team team(&ranks);
  std::string words = ranks.host();
  words += '\0';
  words += message.substr(0, kLongestMessage);
  const auto all = team.greet(Team::Call::kEnd, words.size(), static_cast<uint64_t>(status));
  ranks.over_ = true;
  int highest = status;
  for (const Team::Header& header : all)
    if (header.call == static_cast<uint32_t>(Team::Call::kEnd))
      highest = std::max(highest, static_cast<int>(header.number));
  message = Team::last_words(ranks, all, words).second;
  return highest;
}

}  // namespace espalier
