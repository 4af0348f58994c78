// Scratch objects of a predictor, kept for the next call: their buffers have grown to size by then.
//
// take() returns one that is free, or makes one; give it back when done. Any number of threads may use a
// pool; it holds about as many objects as were in use at once. A thread gets the one that it used last, if
// that is free: its memory is in the cache of the thread's processor, and threads that exchanged theirs from
// sequence to sequence would take half as long again for each. Each of the first threads has a place of its
// own, in a cache line of its own, so threads do not wait for each other there. Tested in
// scratch_pool_test.cc.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "espalier/data/predictor.h"

namespace espalier::model {

class ScratchPool {
 public:
  using Scratch = data::Predictor::Scratch;

  /// The predictor must outlive the pool.
  explicit ScratchPool(const data::Predictor& predictor) : predictor_(predictor) {}
  ~ScratchPool() {
    for (Place& place : places_) delete place.scratch.load(std::memory_order_relaxed);
  }
  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;

  std::unique_ptr<Scratch> take() {
    if (auto own = taken_from(mine())) return own;
    for (Place& place : places_)
      if (auto found = taken_from(place)) return found;
    {
      const std::lock_guard lock(mutex_);
      if (!more_.empty()) {
        auto scratch = std::move(more_.back());
        more_.pop_back();
        return scratch;
      }
    }
    return predictor_.make_scratch();
  }
  void give_back(std::unique_ptr<Scratch> scratch) {
    Scratch* nothing = nullptr;
    if (mine().scratch.compare_exchange_strong(nothing, scratch.get(), std::memory_order_release,
                                               std::memory_order_relaxed)) {
      static_cast<void>(scratch.release());
      return;
    }
    const std::lock_guard lock(mutex_);
    more_.push_back(std::move(scratch));
  }

 private:
  struct alignas(64) Place {
    std::atomic<Scratch*> scratch{nullptr};  ///< owned
  };

  /// What is there, if anything.
  static std::unique_ptr<Scratch> taken_from(Place& place) {
    if (place.scratch.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return std::unique_ptr<Scratch>(place.scratch.exchange(nullptr, std::memory_order_acquire));
  }
  /// The place of the calling thread. The seventeenth thread of the process shares that of the first.
  Place& mine() {
    static std::atomic<size_t> threads{0};
    static thread_local const size_t number = threads.fetch_add(1, std::memory_order_relaxed);
    return places_[number % places_.size()];
  }

  const data::Predictor& predictor_;
  std::array<Place, 16> places_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> more_;  ///< of threads that share a place
};

}  // namespace espalier::model
