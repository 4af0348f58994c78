#include "espalier/linear/token_rows.h"

#include <algorithm>
#include <utility>

namespace espalier::linear {

void TokenRows::add(std::vector<std::pair<uint32_t, float>>& row, data::Label label) {
  std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0 && row[i].first == row[i - 1].first) {
      values.back() += row[i].second;
    } else {
      features.push(row[i].first);
      values.push_back(row[i].second);
    }
  }
  features.close();
  gold.push_back(label);
}

Result<TokenRows> collect_labelled_tokens(const Dataset& data, size_t labels) {
  TokenRows rows;
  std::vector<std::pair<uint32_t, float>> row;
  for (size_t s = 0; s < data.sequences(); ++s) {
    if (s < data.weight.size() && data.weight[s] != 1.0f)
      return fail("sequence {} has weight {}; liblinear and libsvm support no weights other than 1", s + 1,
                  data.weight[s]);
    for (uint64_t t = data.sequence_begin[s]; t < data.sequence_begin[s + 1]; ++t) {
      if (data.gold[t] == data::kNoLabel) continue;
      if (data.gold[t] >= labels)
        return fail("label number {} where there are {} labels", data.gold[t], labels);
      row.clear();
      for (uint64_t i = data.state.begin[t]; i < data.state.begin[t + 1]; ++i)
        row.emplace_back(data.state.values[i], data.state_values.empty() ? 1.0f : data.state_values[i]);
      rows.add(row, data.gold[t]);
    }
  }
  if (rows.gold.empty()) return fail("no labelled token to train a classifier on");
  return rows;
}

std::mutex& packaged_classifier_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace espalier::linear
