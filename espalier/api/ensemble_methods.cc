// The methods of ensembles for help texts. Not in espalier/combine, so that the command can list them without
// linking what learns. Declared in espalier/public/ensemble.h, tested in espalier/combine/ensemble_test.cc.
#include "espalier/ensemble/methods/method_table.h"
#include "espalier/public/ensemble.h"

namespace espalier {

std::vector<MethodInfo> ensemble_methods() {
  std::vector<MethodInfo> out;
  for (const ensemble::MethodInfo& info : ensemble::kMethods)
    out.push_back({std::string(info.name), std::string(info.summary)});
  return out;
}

}  // namespace espalier
