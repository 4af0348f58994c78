// Opens the input as the policy of a search task, which then decodes a small one.
#include <cstdint>
#include <vector>

#include "espalier/task.h"
#include "fuzz/doctored.h"

namespace {

/// Labels that follow from the number of the step.
struct CountingTask {
  struct State {
    uint32_t at = 0, before = 0;
  };
  size_t labels() const { return 2; }
  State initial() const { return {}; }
  bool is_goal(const State& s) const { return s.at == 4; }
  void actions(const State&, std::vector<espalier::Action>& out) const {
    out.push_back({0, 0});
    out.push_back({0, 1});
  }
  State apply(const State& s, espalier::Action a) const { return {s.at + 1, a.label}; }
  void features(const State& s, uint32_t, espalier::FeatureSink& out) const {
    out.add(s.at % 3);
    out.add("x=" + std::to_string(s.at % 3) + " after " + std::to_string(s.before));
  }
  double loss(const State&) const { return 0; }
};

void try_policy(const std::vector<std::byte>& bytes) {
  const auto policy = espalier::Policy::from_bytes(bytes, "input");
  if (!policy.ok()) return;
  (void)policy->decode(CountingTask()).ok();
  (void)policy->explain(CountingTask()).ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  espalier::fuzzing::with_doctored(data, size, try_policy);
  return 0;
}
