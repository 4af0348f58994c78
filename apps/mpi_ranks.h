// The processes that mpirun has started, as Ranks. A rank that waits for others looks for their messages with
// pauses in between, so that it leaves its processor to them. Tested in mpi_test.sh.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "apps/command.h"
#include "espalier/espalier.h"

namespace espalier::apps {

class MpiRanks final : public Ranks {
 public:
  /// Begins and ends the process's use of MPI: make one, and end it on every rank.
  MpiRanks(int& argc, char**& argv);
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string host() const override;
  void gather(const void* mine, size_t bytes, void* all) override;
  void gather_varied(const void* mine, const std::vector<size_t>& sizes, void* all) override;
  void exchange(const void* mine, const std::vector<size_t>& to, void* received,
                const std::vector<size_t>& from) override;
  void sum(int64_t* values, size_t count) override;
  void broadcast(void* data, size_t bytes) override;
  void tell(double done) override;
  std::vector<double> told() override;

  /// What every rank has sent, received, waited for and worked so far. All ranks call it.
  std::vector<RankUse> use_of_all();

 private:
  void begin_call();
  void wait(MPI_Request& request);
  void show_slowest();

  int rank_ = 0, size_ = 1;
  RankUse use_;
  double looking_ = 0;        ///< processor time spent in waits
  std::vector<double> told_;  ///< on rank 0, by rank; -1: nothing
  double telling_ = 0;        ///< on other ranks: what is on its way to rank 0
  MPI_Request tell_request_ = MPI_REQUEST_NULL;
};

}  // namespace espalier::apps
