// The options of `espalier reproduce`, which two programs parse: the command, for its help and for errors on
// the command line, and then the program that runs the experiments. Tested in reproduce_test.sh.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "apps/options.h"

namespace CLI {
class App;
}

namespace espalier::apps {

struct ReproduceFlags {
  std::string name, data, out;  ///< out: empty where not given
  bool list = false, all = false, quick = false, keep = false;
  uint64_t seed = 1;
  int threads = 0;
  OutputFlags output;
};

/// Adds the verb with its options and help. Parsing the command line fills the flags in, so the caller keeps
/// them until then.
[[nodiscard]] std::shared_ptr<ReproduceFlags> add_reproduce_options(CLI::App& app);

}  // namespace espalier::apps
