// Opens the input as an OpenFst file of path experts.
#include <cstdint>
#include <string>
#include <vector>

#include "espalier/ensemble/automaton/automaton.h"
#include "fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace espalier::ensemble;
  const std::vector<std::string> experts = {"first", "second", "third"};
  const auto automaton = ExpertAutomaton::open(espalier::fuzzing::scratch_file(data, size), experts);
  if (!automaton.ok()) return 0;
  openfst::Algorithms algorithms(automaton->plain());
  std::vector<double> cost, conditional, posterior;
  for (const ExpertAutomaton::Arc& arc : automaton->arcs()) cost.push_back(arc.prior_cost);
  algorithms.push(cost, conditional);
  automaton->posteriors(conditional, posterior);
  std::vector<int> path;
  algorithms.shortest_path(cost, path);
  return 0;
}
