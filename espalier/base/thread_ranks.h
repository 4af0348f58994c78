// Ranks as threads of one process, for tests: run_ranks() calls a function on each. Header only; tested in
// team_test.cc.
#pragma once

#include <barrier>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/public/ranks.h"

namespace espalier {

class ThreadRanks final : public Ranks {
 public:
  /// What the ranks of a group share.
  struct Group {
    explicit Group(int ranks)
        : barrier(ranks), data(static_cast<size_t>(ranks)), sizes(static_cast<size_t>(ranks)) {}
    std::barrier<> barrier;
    std::vector<const void*> data;
    std::vector<const std::vector<size_t>*> sizes;
  };
  ThreadRanks(std::shared_ptr<Group> group, int rank)
      : group_(std::move(group)), rank_(rank), size_(static_cast<int>(group_->data.size())) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string host() const override { return "thread" + std::to_string(rank_); }
  void gather(const void* mine, size_t bytes, void* all) override {
    gather_varied(mine, std::vector<size_t>(static_cast<size_t>(size_), bytes), all);
  }
  void gather_varied(const void* mine, const std::vector<size_t>& sizes, void* all) override {
    together(mine, sizes, [&] {
      auto* to = static_cast<char*>(all);
      for (size_t r = 0; r < sizes.size(); to += sizes[r++])
        if (sizes[r] > 0) std::memcpy(to, group_->data[r], sizes[r]);
    });
  }
  void exchange(const void* mine, const std::vector<size_t>& to, void* received,
                const std::vector<size_t>& from) override {
    together(mine, to, [&] {
      auto* in = static_cast<char*>(received);
      for (size_t r = 0; r < from.size(); in += from[r++]) {
        const auto* out = static_cast<const char*>(group_->data[r]);
        for (int before = 0; before < rank_; ++before)
          out += (*group_->sizes[r])[static_cast<size_t>(before)];
        if (from[r] > 0) std::memcpy(in, out, from[r]);
      }
    });
  }
  void sum(int64_t* values, size_t count) override {
    std::vector<int64_t> total(count, 0);
    together(values, {}, [&] {
      for (const void* const one : group_->data)
        for (size_t i = 0; i < count; ++i) total[i] += static_cast<const int64_t*>(one)[i];
    });
    std::copy(total.begin(), total.end(), values);
  }
  void broadcast(void* data, size_t bytes) override {
    together(data, {}, [&] {
      if (rank_ > 0) std::memcpy(data, group_->data[0], bytes);
    });
  }
  void tell(double) override {}
  std::vector<double> told() override { return std::vector<double>(static_cast<size_t>(size_), -1.0); }

 private:
  template <typename Work>
  void together(const void* mine, const std::vector<size_t>& sizes, const Work& work) {
    const size_t own = static_cast<size_t>(rank_);
    group_->data[own] = mine;
    group_->sizes[own] = &sizes;
    group_->barrier.arrive_and_wait();
    work();
    group_->barrier.arrive_and_wait();
  }

  std::shared_ptr<Group> group_;
  int rank_, size_;
};

/// Calls work(ranks) on a thread for each rank, and end_together() after it, as programs do.
inline void run_ranks(int count, const std::function<void(Ranks&)>& work) {
  const auto group = std::make_shared<ThreadRanks::Group>(count);
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> thrown(static_cast<size_t>(count));
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(group, rank);
      std::string message;
      try {
        work(ranks);
      } catch (const std::exception& error) {
        thrown[static_cast<size_t>(rank)] = std::current_exception();
        message = error.what();
      }
      end_together(ranks, message.empty() ? 0 : 1, message);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& one : thrown)
    if (one != nullptr) std::rethrow_exception(one);
}

}  // namespace espalier
