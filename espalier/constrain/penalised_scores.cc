#include "espalier/constrain/penalised_scores.h"

namespace espalier::constrain {

void subtract_label_penalties(const Compiled& compiled, const std::vector<double>& row_penalties,
                              size_t length, size_t stride, float* node) {
  const LocalPenalties& local = compiled.local();
  const size_t K = local.labels;
  if (length == 0) return;
  for (size_t t = 0; t < length && !row_penalties.empty(); ++t)
    for (size_t y = 0; y < K; ++y) node[t * stride + y] -= static_cast<float>(row_penalties[t * K + y]);
  if (!local.edges) return;
  for (size_t y = 0; y < K; ++y) {
    node[y] -= static_cast<float>(local.start[y]);
    node[(length - 1) * stride + y] -= static_cast<float>(local.end[y]);
  }
}

void subtract_pair_penalties(const LocalPenalties& local, size_t stride, float* pairs) {
  const size_t K = local.labels;
  for (size_t i = 0; i < K; ++i)
    for (size_t j = 0; j < K; ++j) pairs[i * stride + j] -= static_cast<float>(local.pair[i * K + j]);
}

void PenalisedScores::assign(const Compiled& compiled, const Instance& instance, const Scores& scores) {
  const size_t T = instance.length, K = scores.labels, S = scores.stride;
  const LocalPenalties& local = compiled.local();
  node.assign(scores.node, scores.node + T * S);
  subtract_label_penalties(compiled, compiled.row_penalties(instance), T, S, node.data());
  view = {T, K, S, node.data(), scores.trans, scores.edge};
  if (scores.edge != nullptr) {
    if (!local.pairs) return;
    edge.assign(scores.edge, scores.edge + T * K * S);
    for (size_t t = 1; t < T; ++t) subtract_pair_penalties(local, S, edge.data() + t * K * S);
    view.edge = edge.data();
    return;
  }
  if (scores.trans != nullptr && !local.pairs) return;
  if (scores.trans != nullptr) {
    trans.assign(scores.trans, scores.trans + K * S);
  } else {
    trans.assign(K * S, 0.0f);
  }
  subtract_pair_penalties(local, S, trans.data());
  view.trans = trans.data();
}

}  // namespace espalier::constrain
