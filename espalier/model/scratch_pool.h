// Scratch objects of a predictor, kept for the next call: their buffers have grown to size by then.
//
// take() returns one that is free, or makes one; give it back when done. Any number of threads may use a
// pool; it holds as many objects as were in use at once. Tested in espalier/api/stream_test.cc and
// espalier/api/tagger_test.cc.
#pragma once

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
        auto scratch = std::move(free_.back());
        free_.pop_back();
        return scratch;
      }
    }
    return predictor_.make_scratch();
  }
  void give_back(std::unique_ptr<data::Predictor::Scratch> scratch) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(scratch));
  }

 private:
  const data::Predictor& predictor_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<data::Predictor::Scratch>> free_;
};

}  // namespace espalier::model
