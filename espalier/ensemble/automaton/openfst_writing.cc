#include "espalier/ensemble/automaton/openfst_writing.h"

#include <fst/fstlib.h>

namespace espalier::ensemble::openfst {

bool write_fst(const std::string& path, const PlainFst& from) {
  fst::StdVectorFst out;
  for (int s = 0; s < from.states; ++s) {
    out.AddState();
    out.SetFinal(s, fst::TropicalWeight(static_cast<float>(from.final_cost[static_cast<size_t>(s)])));
  }
  if (from.states > 0) out.SetStart(from.start);
  for (const PlainArc& arc : from.arcs)
    out.AddArc(arc.source, fst::StdArc(arc.label, arc.label, static_cast<float>(arc.cost), arc.target));
  return out.Write(path);
}

}  // namespace espalier::ensemble::openfst
