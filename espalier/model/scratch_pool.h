// Scratch objects of a predictor, kept for the next call: their buffers have grown to size by then.
//
// take() returns one that is free, or makes one; give it back when done. Any number of threads may use a
// pool; it holds as many objects as were in use at once. A thread gets the one that it used last, if that is
// free: its memory is in the cache of the thread's processor, and threads that exchanged theirs from sequence
// to sequence would take half as long again for each. Tested in scratch_pool_test.cc.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "espalier/data/predictor.h"

namespace espalier::model {

class ScratchPool {
 public:
  /// The predictor must outlive the pool.
  explicit ScratchPool(const data::Predictor& predictor) : predictor_(predictor) {}
  std::unique_ptr<data::Predictor::Scratch> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        const auto own = std::find_if(free_.begin(), free_.end(),
                                      [me = this_thread()](const Free& one) { return one.user == me; });
        if (own != free_.end()) std::swap(*own, free_.back());
        auto scratch = std::move(free_.back().scratch);
        free_.pop_back();
        return scratch;
      }
    }
    return predictor_.make_scratch();
  }
  void give_back(std::unique_ptr<data::Predictor::Scratch> scratch) {
    const std::lock_guard lock(mutex_);
    free_.push_back({this_thread(), std::move(scratch)});
  }

 private:
  struct Free {
    const void* user;  ///< the thread that used it last; one that has ended may have had the same address
    std::unique_ptr<data::Predictor::Scratch> scratch;
  };
  static const void* this_thread() {
    static thread_local const char here = 0;
    return &here;
  }

  const data::Predictor& predictor_;
  std::mutex mutex_;
  std::vector<Free> free_;
};

}  // namespace espalier::model
