#include "apps/mpi_ranks.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <numeric>
#include <thread>

namespace espalier::apps {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTellTag = 1;
/// MPI counts in int: what is longer goes in pieces.
constexpr size_t kMostBytes = size_t{1} << 30;

double processor_seconds(clockid_t whose) {
  timespec time{};
  ::clock_gettime(whose, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

MpiRanks::MpiRanks(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  told_.assign(static_cast<size_t>(size_), -1.0);
}

MpiRanks::~MpiRanks() {
  if (rank_ == 0) told();  // receives what is on its way
  if (tell_request_ != MPI_REQUEST_NULL) MPI_Cancel(&tell_request_);
  MPI_Finalize();
}

std::string MpiRanks::host() const {
  char name[MPI_MAX_PROCESSOR_NAME + 1] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return name;
}

void MpiRanks::begin_call() {
  if (rank_ == 0) told();
  std::fill(told_.begin(), told_.end(), -1.0);
}

/// Tests at once, then again after pauses that grow from microseconds to a millisecond: short waits, as
/// between batches, end promptly, and in long ones the processor is free.
void MpiRanks::wait(MPI_Request& request) {
  const auto start = Clock::now();
  const double used = processor_seconds(CLOCK_THREAD_CPUTIME_ID);
  auto shown = start;
  auto pause = std::chrono::microseconds(5);
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  while (done == 0) {
    const auto now = Clock::now();
    if (now - start < std::chrono::microseconds(50)) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 3 / 2 + std::chrono::microseconds(1), std::chrono::microseconds(1000));
    }
    if (rank_ == 0 && now - shown > std::chrono::milliseconds(300)) {
      shown = now;
      show_slowest();
    }
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  use_.waited += std::chrono::duration<double>(Clock::now() - start).count();
  looking_ += processor_seconds(CLOCK_THREAD_CPUTIME_ID) - used;
}

/// Rank 0 has read its files and others have not: the user sees how far the last of them is.
void MpiRanks::show_slowest() {
  if (!waiting_display()) return;
  const std::vector<double> all = told();
  size_t slowest = 0;
  for (size_t r = 1; r < all.size(); ++r)
    if (all[r] >= 0 && (slowest == 0 || all[r] < all[slowest])) slowest = r;
  if (slowest == 0) return;
  Progress progress;
  progress.phase = fmt::format("reading on rank {}, the slowest,", slowest);
  progress.done = all[slowest];
  waiting_display()(progress);
}

void MpiRanks::gather(const void* mine, size_t bytes, void* all) {
  begin_call();
  MPI_Request request;
  MPI_Iallgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE,
                 MPI_COMM_WORLD, &request);
  wait(request);
  use_.sent += bytes;
  use_.received += bytes * static_cast<size_t>(size_ - 1);
}

void MpiRanks::gather_varied(const void* mine, const std::vector<size_t>& sizes, void* all) {
  begin_call();
  const size_t most = *std::max_element(sizes.begin(), sizes.end()), ranks = sizes.size();
  const size_t total = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
  const auto* const from = static_cast<const std::byte*>(mine);
  auto* const to = static_cast<std::byte*>(all);
  const size_t piece = std::max<size_t>(1, kMostBytes / ranks);
  std::vector<std::byte> received;
  for (size_t done = 0; done < most; done += piece) {
    std::vector<int> counts, places;
    int next = 0;
    for (const size_t size : sizes) {
      counts.push_back(static_cast<int>(std::min(piece, size - std::min(size, done))));
      places.push_back(next);
      next += counts.back();
    }
    const bool in_one = most <= piece;
    if (!in_one) received.resize(static_cast<size_t>(next));
    MPI_Request request;
    MPI_Iallgatherv(from + done, counts[static_cast<size_t>(rank_)], MPI_BYTE, in_one ? to : received.data(),
                    counts.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
    wait(request);
    for (size_t r = 0, begin = 0; r < ranks && !in_one; begin += sizes[r++])
      std::copy_n(received.begin() + places[r], counts[r], to + begin + std::min(done, sizes[r]));
  }
  use_.sent += sizes[static_cast<size_t>(rank_)];
  use_.received += total - sizes[static_cast<size_t>(rank_)];
}

void MpiRanks::exchange(const void* mine, const std::vector<size_t>& to, void* received,
                        const std::vector<size_t>& from) {
  begin_call();
  const auto* out = static_cast<const std::byte*>(mine);
  auto* in = static_cast<std::byte*>(received);
  std::vector<MPI_Request> requests;
  for (size_t r = 0; r < from.size(); ++r)
    for (size_t done = 0; done < from[r]; done += kMostBytes) {
      MPI_Irecv(in, static_cast<int>(std::min(kMostBytes, from[r] - done)), MPI_BYTE, static_cast<int>(r), 0,
                MPI_COMM_WORLD, &requests.emplace_back());
      in += std::min(kMostBytes, from[r] - done);
    }
  for (size_t r = 0; r < to.size(); ++r)
    for (size_t done = 0; done < to[r]; done += kMostBytes) {
      MPI_Isend(out, static_cast<int>(std::min(kMostBytes, to[r] - done)), MPI_BYTE, static_cast<int>(r), 0,
                MPI_COMM_WORLD, &requests.emplace_back());
      out += std::min(kMostBytes, to[r] - done);
    }
  for (MPI_Request& request : requests) wait(request);
  const size_t own = static_cast<size_t>(rank_);
  use_.sent += std::accumulate(to.begin(), to.end(), size_t{0}) - to[own];
  use_.received += std::accumulate(from.begin(), from.end(), size_t{0}) - from[own];
}

void MpiRanks::sum(int64_t* values, size_t count) {
  begin_call();
  constexpr size_t kMost = kMostBytes / sizeof(int64_t);
  for (size_t done = 0; done < count; done += kMost) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values + done, static_cast<int>(std::min(kMost, count - done)), MPI_INT64_T,
                   MPI_SUM, MPI_COMM_WORLD, &request);
    wait(request);
  }
  use_.sent += count * sizeof(int64_t);
  use_.received += count * sizeof(int64_t);
}

void MpiRanks::broadcast(void* data, size_t bytes) {
  begin_call();
  auto* const begin = static_cast<std::byte*>(data);
  for (size_t done = 0; done < bytes; done += kMostBytes) {
    MPI_Request request;
    MPI_Ibcast(begin + done, static_cast<int>(std::min(kMostBytes, bytes - done)), MPI_BYTE, 0,
               MPI_COMM_WORLD, &request);
    wait(request);
  }
  (rank_ == 0 ? use_.sent : use_.received) += bytes;
}

void MpiRanks::tell(double done) {
  if (tell_request_ != MPI_REQUEST_NULL) {
    int sent = 0;
    MPI_Test(&tell_request_, &sent, MPI_STATUS_IGNORE);
    if (sent == 0) return;
  }
  telling_ = done;
  MPI_Isend(&telling_, 1, MPI_DOUBLE, 0, kTellTag, MPI_COMM_WORLD, &tell_request_);
}

std::vector<double> MpiRanks::told() {
  while (rank_ == 0) {
    int waiting = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kTellTag, MPI_COMM_WORLD, &waiting, &status);
    if (waiting == 0) break;
    MPI_Recv(&told_[static_cast<size_t>(status.MPI_SOURCE)], 1, MPI_DOUBLE, status.MPI_SOURCE, kTellTag,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return told_;
}

std::vector<RankUse> MpiRanks::use_of_all() {
  RankUse mine = use_;
  mine.worked = processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - looking_;
  std::vector<RankUse> all(static_cast<size_t>(size_));
  gather(&mine, sizeof mine, all.data());
  return all;
}

}  // namespace espalier::apps
