// espalier-mpi: the verbs of the command that several processes can share, for `mpirun -n 16 espalier-mpi
// train …`. A program of its own, so that the command needs no MPI. Tested in mpi_test.sh.
#include "apps/command.h"
#include "apps/mpi_crew.h"
#include "apps/mpi_ranks.h"
#include "apps/verbs/compare_run.h"
#include "apps/verbs/reproduce_run.h"

int main(int argc, char** argv) {
  using namespace espalier::apps;
  static constexpr AddVerb kVerbs[] = {add_train,         add_cv,   add_compare_run,
                                       add_reproduce_run, add_help, add_version};
  MpiRanks ranks(argc, argv);
  set_ranks(&ranks, [&] { return ranks.use_of_all(); });
  set_crew_maker([&](size_t per_machine) { return std::make_unique<MpiCrew>(ranks, per_machine); });
  return run_command(argc, argv, kVerbs);
}
