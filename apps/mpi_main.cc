// espalier-mpi: the verbs of the command that several processes can share, for `mpirun -n 16 espalier-mpi
// train …`. A program of its own, so that the command needs no MPI. Tested in mpi_test.sh.
#include "apps/command.h"
#include "apps/mpi_ranks.h"

int main(int argc, char** argv) {
  using namespace espalier::apps;
  static constexpr AddVerb kVerbs[] = {add_train, add_cv, add_help, add_version};
  MpiRanks ranks(argc, argv);
  set_ranks(&ranks, [&] { return ranks.use_of_all(); });
  return run_command(argc, argv, kVerbs);
}
