// Arrays that may be larger than memory: they live in mapped temporary files, and pages that were not used
// lately leave the process where it would grow beyond a limit. Make a ScratchMemory and give it to a
// StoredVector as its allocator.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace espalier {

/// What ScratchMemory throws where a file cannot be made or the disk is full: a message for the user.
class ScratchFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Memory whose pages are those of files without a name. The disk space is reserved when memory is taken, so
/// that a full disk is an error then and not a signal later. A thread looks at the size of the process
/// two hundred times a second; where it comes near the limit, all pages are given back to the system, which
/// has them in its cache or on disk. Values never change by this. Thread-safe.
class ScratchMemory {
 public:
  /// `most_resident`: bytes of memory that the whole process may take.
  explicit ScratchMemory(size_t most_resident) : most_resident_(most_resident) {}
  ~ScratchMemory();
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

  /// Smaller blocks come from ordinary memory.
  static constexpr size_t kLeast = size_t{64} << 10;

  void* allocate(size_t bytes);
  void release(void* block, size_t bytes);
  /// Gives all pages back to the system now.
  void drop_pages();

 private:
  struct Block {
    void* begin;
    size_t bytes;
  };
  void watch();

  size_t most_resident_;
  std::mutex mutex_;
  std::vector<Block> blocks_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread watcher_;  ///< from the first block on
};

/// The allocator of arrays that may be in scratch memory. Without one: ordinary memory.
template <typename T>
struct StoredAllocator {
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  StoredAllocator() = default;
  StoredAllocator(std::shared_ptr<ScratchMemory> of)
      : memory(std::move(of)) {}  // NOLINT(google-explicit-constructor)
  template <typename U>
  StoredAllocator(const StoredAllocator<U>& other)
      : memory(other.memory) {}  // NOLINT(google-explicit-constructor)

  T* allocate(size_t n) {
    const size_t bytes = n * sizeof(T);
    return static_cast<T*>(mapped(bytes) ? memory->allocate(bytes) : ::operator new(bytes));
  }
  void deallocate(T* p, size_t n) {
    const size_t bytes = n * sizeof(T);
    if (mapped(bytes)) {
      memory->release(p, bytes);
    } else {
      ::operator delete(p);
    }
  }
  template <typename U>
  bool operator==(const StoredAllocator<U>& other) const {
    return memory == other.memory;
  }

  std::shared_ptr<ScratchMemory> memory;

 private:
  bool mapped(size_t bytes) const { return memory != nullptr && bytes >= ScratchMemory::kLeast; }
};

template <typename T>
using StoredVector = std::vector<T, StoredAllocator<T>>;

}  // namespace espalier
