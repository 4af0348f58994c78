// Small clusters for the tests of summaries. Header only.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/base/text/json.h"
#include "espalier/tasks/summary/summary_space.h"

namespace espalier::tasks::testing_summaries {

/// Random documents whose words differ, with random trees, and references made of pairs of words of a
/// sentence.
inline Json random_cluster(uint64_t seed, size_t documents, size_t sentences, size_t words) {
  Random random(seed);
  Json out;
  std::vector<std::string> all;
  for (size_t d = 0; d < documents; ++d) {
    Json list = Json::array();
    for (size_t s = 0; s < sentences; ++s) {
      Json tokens = Json::array(), heads = Json::array();
      const size_t root = random.below(words);
      for (size_t w = 0; w < words; ++w) {
        all.push_back(fmt::format("w{}", all.size()));
        tokens.push_back(all.back());
        // A word hangs on one that is nearer to the root, so there are no cycles.
        size_t head = 0;
        if (w < root) head = w + 1 + random.below(root - w) + 1;
        if (w > root) head = root + random.below(w - root) + 1;
        heads.push_back(head);
      }
      list.push_back({{"tokens", tokens}, {"heads", heads}});
    }
    out["docs"].push_back({{"sents", list}});
  }
  for (int r = 0; r < 2; ++r) {
    std::string text;
    for (size_t i = 0; i + 1 < all.size(); ++i) {
      const size_t other = i + 1 + random.below(2);
      if (random.below(3) == 0 && other / words == i / words) text += all[i] + " " + all[other] + " x ";
    }
    out["refs"].push_back({{"sents", {text + "y"}}});
  }
  return out;
}

inline std::unique_ptr<SummaryInstance> make_instance(const Json& line, SummaryUnit unit, size_t limit,
                                                      size_t beam) {
  Cluster cluster = parse_cluster(line.dump(), "test").value();
  std::vector<eval::RougeText> references;
  eval::RougeWords words = eval::RougeWords::make("").value();
  for (const auto& reference : cluster.references) references.push_back(words.text(reference));
  SummaryInput input = make_summary_input(cluster, {unit, limit, ""}, WordCounts(), nullptr).value();
  auto out = std::make_unique<SummaryInstance>(std::move(cluster), std::move(input));
  out->oracle = std::make_unique<SummaryOracle>(out->input, references, beam);
  return out;
}

/// ROUGE-2's matches of some pieces, by the scorer of texts.
inline int64_t worth_of(const SummaryInstance& instance, const std::vector<uint32_t>& pieces) {
  eval::RougeWords words = eval::RougeWords::make("").value();
  const auto chosen = tokens_of_pieces(instance.input, instance.cluster, pieces);
  const eval::RougeText text = words.text(summary_sentences(instance.cluster, chosen));
  int64_t sum = 0;
  for (const auto& reference : instance.cluster.references)
    sum += static_cast<int64_t>(eval::ngram_overlap(text, words.text(reference), 2).common);
  return sum;
}

}  // namespace espalier::tasks::testing_summaries
