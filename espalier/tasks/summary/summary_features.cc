#include "espalier/tasks/summary/summary_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "espalier/base/hash.h"
#include "espalier/base/text/text.h"

namespace espalier::tasks {
namespace {

enum class Family : uint8_t {
  // Of the sentence.
  kPosition,
  kPositionValue,
  kLength,
  kDocumentLength,
  kQuoted,
  kPronouns,
  kAttributions,
  kTopic,
  kRatio,
  kRatioRank,
  kSpread,
  kSpreadRank,
  kPairs,
  kPairRank,
  kQuery,
  kTitle,
  // Of the word.
  kWord,
  kStem,
  kTag,
  kRelation,
  kTagRelation,
  kParent,
  kDepth,
  kWordQuoted,
  kWordTopic,
  kWordRatio,
  kWordSpread,
  kWordQuery,
  kCapital,
  kPairBefore,
  kPairAfter,
  // Of the subtree.
  kSubtreeSize,
  kSubtreeRatio,
  kSubtreeSpread,
  kSubtreeQuery,
  kSubtreePronouns,
  kSubtreeAttributions,
  // Of the summary so far.
  kNewTopic,
  kNewSpread,
  kNewPairs,
  kNewPairsBin,
  kSeen,
  kSeenBin,
  kSummaryModel,
  kSameDocument,
  kFollows,
  kLeftPair,
  kRightPair,
  kBrokenPair,
  kPairGain,
  kLeftKind,
  kRightKind,
  kInSentence,
  kSentenceShare,
  kWordSeen,
  kWordNewTopic,
  kStart,
};

constexpr std::string_view kFamilyNames[] = {"position of the sentence",
                                             "early sentence",
                                             "words of the sentence",
                                             "sentences of the document",
                                             "quotation marks",
                                             "pronouns in the sentence",
                                             "attribution in the sentence",
                                             "sentence under the topic",
                                             "sentence under the topic, against general language",
                                             "its tenth",
                                             "sentence's words in other documents",
                                             "its tenth",
                                             "sentence's pairs in other documents",
                                             "its tenth",
                                             "sentence under the query",
                                             "words of the title",
                                             "word",
                                             "stem",
                                             "tag",
                                             "relation",
                                             "tag and relation",
                                             "parent's tag and relation",
                                             "depth in the tree",
                                             "word in quotation marks",
                                             "word under the topic",
                                             "word under the topic, against general language",
                                             "word in other documents",
                                             "word under the query",
                                             "capital letter",
                                             "pair with the word before",
                                             "pair with the word after",
                                             "words of the subtree",
                                             "subtree under the topic",
                                             "subtree's words in other documents",
                                             "subtree under the query",
                                             "pronouns in the subtree",
                                             "attribution in the subtree",
                                             "new words under the topic",
                                             "new words in other documents",
                                             "new pairs in other documents",
                                             "their range",
                                             "words that are in already",
                                             "their range",
                                             "under the summary so far",
                                             "sentences of its document",
                                             "sentence before is in",
                                             "pair with the left neighbour",
                                             "pair with the right neighbour",
                                             "pair that it breaks",
                                             "pairs gained",
                                             "left neighbour",
                                             "right neighbour",
                                             "words of its sentence in",
                                             "share of its sentence in",
                                             "stem is in already",
                                             "new word under the topic",
                                             "starts a sentence"};
static_assert(std::size(kFamilyNames) == static_cast<size_t>(Family::kStart) + 1);

/// Which of the upper ends a number does not exceed.
template <size_t N>
uint32_t range_of(uint32_t value, const uint32_t (&ends)[N]) {
  return static_cast<uint32_t>(std::lower_bound(std::begin(ends), std::end(ends), value) - std::begin(ends));
}
constexpr uint32_t kLengths[] = {4, 8, 12, 16, 22, 30, 45};
constexpr uint32_t kSentencePlaces[] = {0, 1, 2, 3, 5, 9};
constexpr uint32_t kFew[] = {0, 1, 2};
constexpr uint32_t kDepths[] = {0, 1, 2, 3, 5};
constexpr uint32_t kCounts[] = {0, 1, 3, 6, 12};

/// What numbers are multiplied by, so that they differ between the pieces of a cluster by about as much as
/// flags do: penalties of weights would otherwise forbid the use of small ones.
constexpr auto kScales = [] {
  using enum Family;
  std::array<double, static_cast<size_t>(kStart) + 1> out{};
  out.fill(1);
  const auto set = [&](double scale, std::initializer_list<Family> those) {
    for (const Family family : those) out[static_cast<size_t>(family)] = scale;
  };
  set(20, {kNewTopic, kNewPairs});
  set(10, {kTopic, kNewSpread});
  set(5, {kRatio, kSpread, kPairs, kWordTopic, kWordNewTopic, kPairBefore, kPairAfter, kLeftPair, kRightPair,
          kBrokenPair, kPairGain});
  set(3, {kSeen, kSummaryModel, kWordRatio, kSubtreeRatio, kWordSpread, kSubtreeSpread});
  set(2, {kPositionValue});
  return out;
}();
double scale_of(Family family) { return kScales[static_cast<size_t>(family)]; }

uint64_t family_hash(Family family, uint32_t group) {
  return hash_combine(0x5EED + group, static_cast<uint64_t>(family));
}

/// Receives features; `group` tells the features of pieces that start a sentence from those that grow one.
struct HashedOut {
  search::FeatureSink* sink;
  uint32_t group;
  void flag(Family family, uint64_t value) { sink->add(hash_combine(family_hash(family, group), value)); }
  void text(Family family, std::string_view value) { flag(family, hash_bytes(value)); }
  void real(Family family, double value) {
    if (value != 0) sink->add(family_hash(family, group), value * scale_of(family));
  }
};
struct NamedOut {
  std::vector<NamedSummaryFeature>* list;
  uint32_t group;
  std::string name(Family family) const {
    return std::string(group == 1 ? "start: " : "") + std::string(kFamilyNames[static_cast<size_t>(family)]);
  }
  void flag(Family family, uint64_t value) {
    list->push_back(
        {fmt::format("{}={}", name(family), value), hash_combine(family_hash(family, group), value), 1});
  }
  void text(Family family, std::string_view value) {
    list->push_back({fmt::format("{}={}", name(family), value),
                     hash_combine(family_hash(family, group), hash_bytes(value)), 1});
  }
  void real(Family family, double value) {
    if (value != 0)
      list->push_back({fmt::format("{} ({:.2f})", name(family), value), family_hash(family, group),
                       value * scale_of(family)});
  }
};

}  // namespace

SummaryFeatures::SummaryFeatures(const SummaryInput& input, const Cluster& cluster)
    : input_(input), cluster_(cluster) {
  const size_t groups = cluster.documents.size() == 1 ? cluster.sentences.size() : cluster.documents.size();
  least_spread_ = 1 / static_cast<float>(std::max<size_t>(1, groups));
  search::FeatureSink sink;
  fixed_begin_.push_back(0);
  for (uint32_t p = 0; p < input.pieces.size(); ++p) {
    sink.clear();
    HashedOut out{&sink, input.unit == SummaryUnit::kWord && input.pieces[p].parent == kNoPiece ? 1u : 0u};
    visit_static(p, out);
    fixed_.insert(fixed_.end(), sink.entries().begin(), sink.entries().end());
    fixed_begin_.push_back(static_cast<uint32_t>(fixed_.size()));
  }
}

float SummaryFeatures::pair_weight(uint32_t pair) const {
  return pair == kNoPiece ? 0 : std::max(0.0f, input_.pairs[pair].spread - least_spread_ * 0.999f);
}

template <typename Out>
void SummaryFeatures::visit_static(uint32_t p, Out& out) const {
  const SummaryPiece& piece = input_.pieces[p];
  const SentenceStatistics& sentence = input_.sentences[piece.sentence];
  const ClusterSentence& where = cluster_.sentences[piece.sentence];
  const ClusterDocument& document = cluster_.documents[where.document];
  out.flag(Family::kPosition, range_of(where.number, kSentencePlaces));
  out.real(Family::kPositionValue, 1 / (1.0 + where.number));
  out.flag(Family::kLength, range_of(sentence.last - sentence.first, kLengths));
  out.flag(Family::kDocumentLength, range_of(document.last - document.first, kLengths));
  if (sentence.quoted) out.flag(Family::kQuoted, 1);
  out.flag(Family::kPronouns, range_of(sentence.pronouns, kFew));
  out.flag(Family::kAttributions, range_of(sentence.attributions, kFew));
  out.real(Family::kTopic, sentence.topic);
  out.real(Family::kRatio, sentence.ratio);
  out.flag(Family::kRatioRank, sentence.ratio_rank);
  out.real(Family::kSpread, sentence.spread);
  out.flag(Family::kSpreadRank, sentence.spread_rank);
  out.real(Family::kPairs, sentence.pair_spread);
  out.flag(Family::kPairRank, sentence.pair_rank);
  out.real(Family::kQuery, sentence.query);
  out.real(Family::kTitle, sentence.title);
  if (input_.unit == SummaryUnit::kSentence) return;

  const SummaryWord& word = input_.words[p];
  const ClusterToken& token = cluster_.tokens[word.token];
  const StemStatistics& stem = input_.stems[word.stem];
  std::string lower;
  to_lower(token.text, lower);
  out.text(Family::kWord, lower);
  out.flag(Family::kStem, stem.hash);
  out.text(Family::kTag, token.tag);
  out.text(Family::kRelation, token.relation);
  out.text(Family::kTagRelation, token.tag + " " + token.relation);
  uint32_t depth = 0;
  for (uint32_t a = piece.parent; a != kNoPiece; a = input_.pieces[a].parent) ++depth;
  if (piece.parent != kNoPiece) {
    const ClusterToken& parent = cluster_.tokens[input_.words[piece.parent].token];
    out.text(Family::kParent, parent.tag + " " + token.relation);
  }
  out.flag(Family::kDepth, range_of(depth, kDepths));
  if (input_.quoted[p] != 0) out.flag(Family::kWordQuoted, 1);
  out.real(Family::kWordTopic, stem.topic);
  out.real(Family::kWordRatio, stem.ratio);
  out.real(Family::kWordSpread, stem.spread);
  out.real(Family::kWordQuery, stem.query);
  const CharClass kind = char_class(code_point_at(token.text, 0).value);
  if (kind == CharClass::kUpper || kind == CharClass::kTitle) out.flag(Family::kCapital, 1);
  if (p > sentence.first) out.real(Family::kPairBefore, pair_weight(input_.words[p - 1].pair));
  if (p + 1 < sentence.last) out.real(Family::kPairAfter, pair_weight(word.pair));

  const auto under = input_.words_under(p);
  const auto size = static_cast<uint32_t>(under.size());
  uint32_t pronouns = 0, attributions = 0;
  double ratio = 0, spread = 0, query = 0;
  for (const uint32_t w : under) {
    const StemStatistics& one = input_.stems[input_.words[w].stem];
    ratio += one.ratio;
    spread += one.spread;
    query += one.query;
    pronouns += input_.word_kind[w] == 1;
    attributions += input_.word_kind[w] == 2;
  }
  out.flag(Family::kSubtreeSize, range_of(size, kLengths));
  out.real(Family::kSubtreeRatio, ratio / size);
  out.real(Family::kSubtreeSpread, spread / size);
  out.real(Family::kSubtreeQuery, query / size);
  out.flag(Family::kSubtreePronouns, range_of(pronouns, kFew));
  out.flag(Family::kSubtreeAttributions, range_of(attributions, kFew));
}

SummaryFeatures::Novelty SummaryFeatures::novelty(const SummaryContext& context,
                                                  std::span<const uint32_t> words) const {
  Novelty out;
  const float n = static_cast<float>(std::max<size_t>(1, words.size()));
  const float summary_words = static_cast<float>(context.words) + 1;
  for (size_t i = 0; i < words.size(); ++i) {
    const SummaryWord& word = input_.words[words[i]];
    const StemStatistics& stem = input_.stems[word.stem];
    const uint16_t count = context.stem_count[word.stem];
    if (count == 0) {
      out.topic += stem.topic;
      out.spread += std::max(0.0f, stem.spread - least_spread_);
    } else {
      out.seen += 1;
    }
    out.summary += static_cast<float>(count) / summary_words;
    const bool neighbours = i + 1 < words.size() && words[i + 1] == words[i] + 1;
    if (neighbours && context.pair_count[word.pair] == 0) out.pairs += pair_weight(word.pair);
  }
  out.topic /= n;
  out.spread /= n;
  out.pairs /= n;
  out.seen /= n;
  out.summary /= n;
  return out;
}

template <typename Out>
void SummaryFeatures::visit_dynamic(const SummaryContext& context, uint32_t p, Out& out) const {
  const SummaryPiece& piece = input_.pieces[p];
  const ClusterSentence& where = cluster_.sentences[piece.sentence];
  const Novelty fresh = novelty(context, input_.words_under(p));
  out.real(Family::kNewTopic, fresh.topic);
  out.real(Family::kNewSpread, fresh.spread);
  out.real(Family::kNewPairs, fresh.pairs);
  out.flag(Family::kNewPairsBin, static_cast<uint64_t>(std::min(7.0f, 20 * fresh.pairs)));
  out.real(Family::kSeen, fresh.seen);
  out.flag(Family::kSeenBin, static_cast<uint64_t>(5 * fresh.seen));
  out.real(Family::kSummaryModel, 10 * fresh.summary);
  const uint16_t of_document = context.document_sentences[where.document];
  out.flag(Family::kSameDocument, range_of(of_document, kFew));
  if (where.number > 0 && context.sentence_words[piece.sentence - 1] > 0) out.flag(Family::kFollows, 1);
  if (input_.unit == SummaryUnit::kSentence) return;

  const SentenceStatistics& sentence = input_.sentences[piece.sentence];
  const SummaryWord& word = input_.words[p];
  const uint32_t left = context.left[p], right = context.right[p];
  // 0: none in this sentence; 1: the neighbour in the source; 2: another word of the sentence.
  const auto kind = [&](uint32_t other, uint32_t beside) {
    return other == kNoPiece || input_.pieces[other].sentence != piece.sentence ? 0u
           : other == beside                                                    ? 1u
                                                                                : 2u;
  };
  const uint32_t left_kind = kind(left, p - 1), right_kind = kind(right, p + 1);
  out.flag(Family::kLeftKind, left_kind);
  out.flag(Family::kRightKind, right_kind);
  float gained = 0;
  const auto weigh = [&](Family family, uint32_t first, uint32_t second, float sign) {
    const uint32_t pair = input_.pair_of(input_.words[first].stem, input_.words[second].stem);
    if (pair == kNoPiece) return;
    const float weight = pair_weight(pair);
    out.real(family, weight);
    if (context.pair_count[pair] == (sign > 0 ? 0 : 1)) gained += sign * weight;
  };
  if (left_kind != 0) weigh(Family::kLeftPair, left, p, 1);
  if (right_kind != 0) weigh(Family::kRightPair, p, right, 1);
  if (left_kind != 0 && right_kind != 0) weigh(Family::kBrokenPair, left, right, -1);
  out.real(Family::kPairGain, gained);
  const uint16_t count = context.sentence_words[piece.sentence];
  out.flag(Family::kInSentence, range_of(count, kCounts));
  out.real(Family::kSentenceShare, count / static_cast<double>(sentence.last - sentence.first));
  const bool seen = context.stem_count[word.stem] > 0;
  if (seen) out.flag(Family::kWordSeen, 1);
  if (!seen) out.real(Family::kWordNewTopic, input_.stems[word.stem].topic);
  if (piece.parent == kNoPiece) out.flag(Family::kStart, 1);
}

void SummaryFeatures::add(const SummaryContext& context, uint32_t piece, search::FeatureSink& sink) const {
  for (uint32_t i = fixed_begin_[piece]; i < fixed_begin_[piece + 1]; ++i)
    sink.add(fixed_[i].hash, fixed_[i].value);
  HashedOut out{&sink,
                input_.unit == SummaryUnit::kWord && input_.pieces[piece].parent == kNoPiece ? 1u : 0u};
  visit_dynamic(context, piece, out);
}

std::vector<NamedSummaryFeature> SummaryFeatures::named(const SummaryContext& context, uint32_t piece) const {
  std::vector<NamedSummaryFeature> list;
  NamedOut out{&list, input_.unit == SummaryUnit::kWord && input_.pieces[piece].parent == kNoPiece ? 1u : 0u};
  visit_static(piece, out);
  visit_dynamic(context, piece, out);
  return list;
}

}  // namespace espalier::tasks
