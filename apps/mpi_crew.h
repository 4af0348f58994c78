// A crew on all ranks that mpirun has started: rank 0 sends jobs to ranks as they become free, and keeps some
// for itself. One thread of each rank makes all calls of MPI while the crew lives. Tested in mpi_test.sh.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apps/crew.h"

namespace espalier::apps {

class MpiCrew final : public Crew {
 public:
  /// On rank 0, the destructor tells the others that there is no more to do.
  MpiCrew(const Ranks& ranks, size_t per_rank);
  ~MpiCrew() override;
  MpiCrew(const MpiCrew&) = delete;
  MpiCrew& operator=(const MpiCrew&) = delete;

  size_t size() const override;
  Result<std::string> run(const ChildJob& job, const std::atomic<bool>* stop) override;
  void work() override;

 private:
  struct Letter {
    int rank, tag;
    std::string text;
  };
  Result<std::string> run_on(int rank, const ChildJob& job, const std::atomic<bool>* stop);
  void carry_letters();

  const int ranks_, rank_;
  const size_t per_rank_;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  std::vector<int> free_;               ///< a rank for each of its free places, the next one last
  std::deque<Letter> to_send_;          ///< by the thread below
  std::map<int, std::string> answers_;  ///< by the number of the job
  int last_job_ = 0;
  bool over_ = false;
  std::optional<std::thread> carrier_;  ///< on rank 0
};

}  // namespace espalier::apps
