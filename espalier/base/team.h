// The ranks that train one model together (espalier/public/ranks.h), as the library calls them. Every call
// begins with an exchange of a few bytes, so that a rank that fails, or is asked to stop, is noticed by all
// at the same point of their work: nobody waits for a rank that has left. A team of one costs nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/public/ranks.h"

namespace espalier {

/// Thrown where the work cannot go on because another rank has ended; the message is that rank's.
/// model::train makes an Error of it.
class AnotherRankFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What every rank gave, by rank.
template <typename T>
struct Gathered {
  std::vector<T> items;
  std::vector<size_t> begin{0};

  size_t ranks() const { return begin.size() - 1; }
  std::span<const T> operator[](size_t rank) const {
    return {items.data() + begin[rank], begin[rank + 1] - begin[rank]};
  }
};

class Team {
 public:
  /// One rank.
  Team() = default;
  /// Null: one rank. The monitor is the caller's; monitor() is the one to work with.
  explicit Team(Ranks* ranks, const Monitor& caller = {});
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  bool alone() const { return size_ == 1; }
  size_t rank() const { return rank_; }
  size_t size() const { return size_; }
  bool first() const { return rank_ == 0; }

  /// The caller's monitor, except that it asks to stop on all ranks at the same call of the functions below,
  /// and that the progress it reports is that of the slowest rank.
  const Monitor& monitor() const { return monitor_; }

  /// Everybody's items.
  template <typename T>
  Gathered<T> gather(std::span<const T> mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    Gathered<T> out;
    std::vector<size_t> sizes{mine.size_bytes()};
    if (!alone()) sizes = begin(Call::kGather, mine.size_bytes());
    for (const size_t bytes : sizes) out.begin.push_back(out.begin.back() + bytes / sizeof(T));
    out.items.resize(out.begin.back());
    if (alone()) {
      std::copy(mine.begin(), mine.end(), out.items.begin());
    } else {
      gather_bytes(mine.data(), sizes, out.items.data());
    }
    return out;
  }
  template <typename T>
  Gathered<T> gather(const std::vector<T>& mine) const {
    return gather(std::span<const T>(mine));
  }
  /// Rank r gets to[r]; what each rank has sent to this one.
  template <typename T>
  Gathered<T> exchange(const std::vector<std::vector<T>>& to) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::byte> mine;
    std::vector<size_t> sizes;
    for (const std::vector<T>& items : to) {
      sizes.push_back(items.size() * sizeof(T));
      const auto* bytes = reinterpret_cast<const std::byte*>(items.data());
      mine.insert(mine.end(), bytes, bytes + sizes.back());
    }
    Gathered<T> out;
    const std::vector<size_t> from = alone() ? sizes : begin_exchange(sizes);
    for (const size_t bytes : from) out.begin.push_back(out.begin.back() + bytes / sizeof(T));
    out.items.resize(out.begin.back());
    if (alone()) {
      out.items = to[0];
    } else {
      exchange_bytes(mine.data(), sizes, out.items.data(), from);
    }
    return out;
  }
  /// Every value becomes its sum over all ranks.
  void sum(std::span<int64_t> values) const;
  int64_t sum(int64_t value) const {
    sum(std::span(&value, 1));
    return value;
  }
  /// Every value becomes the largest of any rank.
  void max(std::span<uint8_t> values) const;
  /// Rank 0's items become everybody's.
  template <typename T>
  void share(std::vector<T>& items) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (alone()) return;
    items.resize(begin(Call::kShare, items.size() * sizeof(T)).front() / sizeof(T));
    share_bytes(items.data(), items.size() * sizeof(T));
  }
  /// The error of the rank with the lowest `place`, on all ranks; success if no rank has one.
  Status agree(const Status& mine, uint64_t place = 0) const;
  /// Ends the work on all ranks unless all have the same number: their processors round differently.
  void check_same(uint64_t number) const;

 private:
  friend int end_together(Ranks& ranks, int status, std::string& message);
  enum class Call : uint32_t { kGather = 1, kExchange, kSum, kShare, kCheck, kEnd };
  struct Header {
    uint32_t call;
    uint32_t stop;
    uint64_t bytes;
    uint64_t number;  ///< what all ranks must agree on: the status, at the end
  };

  static std::pair<std::string, std::string> last_words(Ranks& ranks, const std::vector<Header>& all,
                                                        std::string_view mine);
  std::vector<Header> greet(Call call, uint64_t bytes, uint64_t number = 0) const;
  std::vector<size_t> begin(Call call, uint64_t bytes) const;
  std::vector<size_t> begin_exchange(const std::vector<size_t>& sizes) const;
  void gather_bytes(const void* mine, const std::vector<size_t>& sizes, void* all) const;
  void exchange_bytes(const void* mine, const std::vector<size_t>& to, void* in,
                      const std::vector<size_t>& from) const;
  void share_bytes(void* bytes, size_t size) const;
  void report(Progress progress) const;

  Ranks* ranks_ = nullptr;
  size_t rank_ = 0, size_ = 1;
  Monitor caller_, monitor_;
  mutable std::atomic<bool> stop_{false};
};

/// Appends an item's bytes, for messages of mixed contents.
template <typename T>
void put(std::vector<std::byte>& out, const T& item) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* bytes = reinterpret_cast<const std::byte*>(&item);
  out.insert(out.end(), bytes, bytes + sizeof item);
}
template <typename T>
void put_all(std::vector<std::byte>& out, const T* items, size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* bytes = reinterpret_cast<const std::byte*>(items);
  out.insert(out.end(), bytes, bytes + count * sizeof(T));
}
inline void put_text(std::vector<std::byte>& out, std::string_view text) {
  put(out, static_cast<uint64_t>(text.size()));
  put_all(out, text.data(), text.size());
}

/// Reads back what put wrote. Messages come from the same program, so that a wrong one is a defect.
class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }
  template <typename T>
  T get() {
    T item;
    get_all(&item, 1);
    return item;
  }
  template <typename T>
  void get_all(T* items, size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    ESPALIER_CHECK(bytes_.size() >= count * sizeof(T));
    if (count > 0) std::memcpy(items, bytes_.data(), count * sizeof(T));
    bytes_ = bytes_.subspan(count * sizeof(T));
  }
  std::string get_text() {
    std::string text(get<uint64_t>(), '\0');
    get_all(text.data(), text.size());
    return text;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace espalier
