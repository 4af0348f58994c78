#include "espalier/eval/attachment.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "espalier/base/text/format.h"
#include "espalier/base/text/json.h"
#include "espalier/eval/add_counts.h"

namespace espalier::eval {

std::string_view universal_relation(std::string_view relation) {
  return relation.substr(0, relation.find(':'));
}

bool is_content_relation(std::string_view relation) {
  static constexpr std::string_view kContent[] = {
      "nsubj",  "obj",        "iobj",       "csubj",  "ccomp",     "xcomp",    "obl",   "vocative",
      "expl",   "dislocated", "advcl",      "advmod", "discourse", "nmod",     "appos", "nummod",
      "acl",    "amod",       "conj",       "fixed",  "flat",      "compound", "list",  "parataxis",
      "orphan", "goeswith",   "reparandum", "root",   "dep"};
  return std::find(std::begin(kContent), std::end(kContent), universal_relation(relation)) !=
         std::end(kContent);
}

void AttachmentScores::Counts::add(const Counts& other) {
  words += other.words;
  heads += other.heads;
  labelled += other.labelled;
  universal += other.universal;
}

void AttachmentScores::add(std::span<const uint32_t> gold_heads,
                           std::span<const std::string_view> gold_relations, std::span<const uint32_t> heads,
                           std::span<const std::string_view> relations) {
  const size_t n = gold_heads.size();
  if (n == 0) return;
  Counts counts;
  counts.words = n;
  for (size_t w = 0; w < n; ++w) {
    const bool head = heads[w] == gold_heads[w];
    const bool labelled = head && relations[w] == gold_relations[w];
    const bool universal = head && universal_relation(relations[w]) == universal_relation(gold_relations[w]);
    counts.heads += head;
    counts.labelled += labelled;
    counts.universal += universal;
    const bool content = is_content_relation(gold_relations[w]);
    content_gold_ += content;
    content_found_ += is_content_relation(relations[w]);
    content_correct_ += content && universal;
    content_correct_full_ += content && labelled;
    Relation& gold = by_relation_[std::string(gold_relations[w])];
    ++gold.gold;
    gold.head += head;
    gold.correct += labelled;
    ++by_relation_[std::string(relations[w])].found;
  }
  ++trees_;
  exact_ += counts.labelled == n;
  all_.add(counts);
  const auto range = std::lower_bound(kLengths.begin(), kLengths.end(), n) - kLengths.begin();
  by_length_[static_cast<size_t>(range)].add(counts);
}

void AttachmentScores::merge(const AttachmentScores& other) {
  all_.add(other.all_);
  for (size_t i = 0; i < by_length_.size(); ++i) by_length_[i].add(other.by_length_[i]);
  for (const auto& [name, from] : other.by_relation_) {
    add_counts(by_relation_[name], from,
               {&Relation::gold, &Relation::found, &Relation::correct, &Relation::head});
  }
  using S = AttachmentScores;
  add_counts(*this, other,
             {&S::trees_, &S::exact_, &S::content_gold_, &S::content_found_, &S::content_correct_,
              &S::content_correct_full_});
}

std::string AttachmentScores::length_name(size_t range) {
  const size_t first = range == 0 ? 1 : kLengths[range - 1] + 1;
  return range == kLengths.size() ? fmt::format("{}+", first) : fmt::format("{}-{}", first, kLengths[range]);
}

Json AttachmentScores::to_json() const {
  Json out = {{"uas", uas()},      {"las", universal_las()}, {"clas", universal_clas()},
              {"full_las", las()}, {"full_clas", clas()},    {"exact_trees", exact_trees()}};
  auto& relations = out["by_relation"] = Json::object();
  for (const auto& [name, r] : by_relation_)
    relations[name] = {{"gold", r.gold},
                       {"found", r.found},
                       {"head_recall", percent(r.head, r.gold)},
                       {"precision", percent(r.correct, r.found)},
                       {"recall", percent(r.correct, r.gold)},
                       {"f1", percent(2 * r.correct, r.gold + r.found)}};
  auto& lengths = out["by_length"] = Json::object();
  for (size_t i = 0; i < by_length_.size(); ++i)
    if (by_length_[i].words > 0)
      lengths[length_name(i)] = {{"words", by_length_[i].words},
                                 {"uas", percent(by_length_[i].heads, by_length_[i].words)},
                                 {"las", percent(by_length_[i].universal, by_length_[i].words)},
                                 {"full_las", percent(by_length_[i].labelled, by_length_[i].words)}};
  return out;
}

std::string AttachmentScores::table() const {
  std::string out = fmt::format(
      "{} words in {} trees\n"
      "right head (UAS)                    {:6.2f} %\n"
      "right head and relation (LAS)       {:6.2f} %\n"
      "  with universal relations          {:6.2f} %\n"
      "content words (CLAS)                {:6.2f} %\n"
      "  with universal relations          {:6.2f} %\n"
      "trees without an error              {:6.2f} %\n\n",
      words(), trees(), uas(), las(), universal_las(), clas(), universal_clas(), exact_trees());
  out += "words per sentence    words     UAS     LAS\n";
  for (size_t i = 0; i < by_length_.size(); ++i)
    if (by_length_[i].words > 0)
      append_format(out, "{:<18} {:>8}  {:6.2f}  {:6.2f}\n", length_name(i), by_length_[i].words,
                    percent(by_length_[i].heads, by_length_[i].words),
                    percent(by_length_[i].labelled, by_length_[i].words));
  out += "\nrelation               gold    head  precision  recall      F1\n";
  std::vector<std::pair<std::string, Relation>> sorted(by_relation_.begin(), by_relation_.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.gold > b.second.gold; });
  for (const auto& [name, r] : sorted)
    append_format(out, "{:<18} {:>8}  {:6.2f}     {:6.2f}  {:6.2f}  {:6.2f}\n", name, r.gold,
                  percent(r.head, r.gold), percent(r.correct, r.found), percent(r.correct, r.gold),
                  percent(2 * r.correct, r.gold + r.found));
  return out;
}

}  // namespace espalier::eval
