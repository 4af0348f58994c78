// Public: Ranks, several processes that train one model together, each holding a share of the data.
//
// The program espalier-mpi implements it over MPI. A program with a transport of its own derives from Ranks,
// gives it to TrainOptions::ranks in every process, and calls train() in all of them with the same options:
//
//   MyRanks ranks;                              // knows its number and can reach the others
//   es::TrainOptions options;
//   options.ranks = &ranks;
//   es::Tagger tagger = es::train(es::Files{{"a.txt", "b.txt"}}, options).value();  // the same on every rank
//
// Each file is read by one rank, or by a few that share it. The model is the same bytes at any number of
// ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "espalier/public/result.h"

#pragma GCC visibility push(default)
namespace espalier {

class Team;

/// How a process reaches the others. All ranks make the same calls in the same order, from one thread; every
/// call returns when this rank has what it asked for. A rank that cannot be reached any more is the
/// implementation's affair: it ends the process, or throws.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;          ///< from 0
  virtual int size() const = 0;          ///< how many there are
  virtual std::string host() const = 0;  ///< the machine that this one runs on, for messages
  /// Everybody's `bytes` bytes from `mine`, in the order of the ranks, into `all`.
  virtual void gather(const void* mine, size_t bytes, void* all) = 0;
  /// The same where rank r gives sizes[r] bytes. Every rank knows all sizes.
  virtual void gather_varied(const void* mine, const std::vector<size_t>& sizes, void* all) = 0;
  /// Rank r gets the next to[r] bytes of `mine` and gives from[r] bytes, which go to `received` one after the
  /// other.
  virtual void exchange(const void* mine, const std::vector<size_t>& to, void* received,
                        const std::vector<size_t>& from) = 0;
  /// Every value becomes its sum over all ranks; two's complement, so that the order makes no difference.
  virtual void sum(int64_t* values, size_t count) = 0;
  /// Rank 0's bytes become everybody's.
  virtual void broadcast(void* data, size_t bytes) = 0;

  /// Tells rank 0 how far this rank is, while the others wait or work; may be dropped.
  virtual void tell(double done) = 0;
  /// On rank 0: the last that each other rank told; -1: nothing since the last call of the kinds above.
  virtual std::vector<double> told() = 0;

 private:
  friend class Team;
  friend int end_together(Ranks& ranks, int status, std::string& message);
  bool over_ = false;  ///< a rank has ended, and the others know
};

/// Called on every rank when the work is over or has failed, as the last call: returns the highest status of
/// any rank. `message` becomes that of the first rank that has one. A rank that fails alone, while the others
/// wait for it in the middle of their work, ends them, too: their functions return its message and its host
/// as their error.
int end_together(Ranks& ranks, int status, std::string& message);

}  // namespace espalier
#pragma GCC visibility pop
