#include "espalier/tasks/summary/summary_input.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "espalier/base/hash.h"
#include "espalier/base/text/text.h"

namespace espalier::tasks {
namespace {

enum WordKind : uint8_t { kPlainWord, kPronoun, kAttribution };

/// English and French, the languages that summarisers were tried on; others go without.
WordKind kind_of_word(const std::string& lower) {
  static const std::unordered_set<std::string> pronouns = {
      "i",   "you",   "he",   "she",  "it",    "we",    "they", "me",    "him",  "her",
      "us",  "them",  "this", "that", "these", "those", "who",  "which", "his",  "its",
      "our", "their", "my",   "your", "je",    "tu",    "il",   "elle",  "nous", "vous",
      "ils", "elles", "ce",   "cela", "ceci",  "celui", "lui",  "leur",  "eux",  "ceux"};
  static const std::unordered_set<std::string> attributions = {
      "said",    "says",    "say",     "told",      "tells",    "reported",  "reports", "announced",
      "added",   "claimed", "claims",  "according", "stated",   "explained", "warned",  "confirmed",
      "denied",  "argued",  "noted",   "believes",  "believed", "dit",       "déclaré", "annoncé",
      "affirmé", "selon",   "indiqué", "expliqué",  "ajouté"};
  if (pronouns.contains(lower)) return kPronoun;
  return attributions.contains(lower) ? kAttribution : kPlainWord;
}

bool is_quote(const std::string& text) {
  return text == "\"" || text == "“" || text == "”" || text == "«" || text == "»" || text == "``" ||
         text == "''";
}

float clipped_log_ratio(double p, double q) {
  constexpr double kMost = 5;
  const double ratio = std::log(std::max(p, 1e-9) / std::max(q, 1e-9));
  return static_cast<float>(std::clamp(ratio, -kMost, kMost) / kMost);
}

/// The stem of a token as a whole: one hash, whatever ROUGE splits it into.
class TokenStems {
 public:
  static Result<TokenStems> make(const std::string& language) {
    TokenStems out;
    ESPALIER_ASSIGN(out.stemmer_, data::Stemmer::make(language));
    return out;
  }
  uint64_t hash(const std::string& text) {
    to_lower(text, lower_);
    return hash_bytes(stemmer_.stem(lower_));
  }
  const std::string& lower() const { return lower_; }

 private:
  data::Stemmer stemmer_;
  std::string lower_;
};

/// The tenth of the values that each one is in; 9: the highest.
std::vector<uint8_t> tenths(const std::vector<float>& values) {
  std::vector<uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
  std::vector<uint8_t> out(values.size());
  for (size_t i = 0; i < order.size(); ++i) out[order[i]] = static_cast<uint8_t>(10 * i / order.size());
  return out;
}

/// Fills in words, stems and pairs.
Status add_words(const Cluster& cluster, const std::string& stemmer,
                 std::vector<std::vector<uint32_t>>& by_document, SummaryInput& out) {
  ESPALIER_ASSIGN(TokenStems stems, TokenStems::make(stemmer));
  ESPALIER_ASSIGN(eval::RougeWords rouge, eval::RougeWords::make(stemmer));
  std::unordered_map<uint64_t, uint32_t> numbers;
  by_document.resize(cluster.documents.size());
  const bool one = cluster.documents.size() == 1;
  const double groups = static_cast<double>(one ? cluster.sentences.size() : cluster.documents.size());
  std::vector<uint32_t> stem_group, pair_group;  // the last document or sentence that had it, from 1
  bool quoted = false;
  uint32_t quoted_in = 0;
  out.sentences.resize(cluster.sentences.size());
  for (uint32_t s = 0; s < cluster.sentences.size(); ++s) {
    const ClusterSentence& sentence = cluster.sentences[s];
    const uint32_t group = (one ? s : sentence.document) + 1;
    if (quoted_in != sentence.document) quoted = false;
    quoted_in = sentence.document;
    out.sentences[s].first = static_cast<uint32_t>(out.words.size());
    for (uint32_t t = sentence.first; t < sentence.last; ++t) {
      const ClusterToken& token = cluster.tokens[t];
      if (is_quote(token.text)) {
        quoted = !quoted;
        out.sentences[s].quoted = true;
      }
      if (!token.word) continue;
      SummaryWord word;
      word.token = t;
      word.sentence = s;
      const uint64_t hash = stems.hash(token.text);
      const auto [at, added] = numbers.emplace(hash, static_cast<uint32_t>(numbers.size()));
      word.stem = at->second;
      if (added) {
        out.stems.push_back({.hash = hash});
        stem_group.push_back(0);
      }
      StemStatistics& stem = out.stems[word.stem];
      stem.document += 1;  // a count, for the time being
      if (stem_group[word.stem] != group) stem.spread += static_cast<float>(1 / groups);
      stem_group[word.stem] = group;
      const WordKind kind = kind_of_word(stems.lower());
      out.word_kind.push_back(kind);
      auto& counted = kind == kPronoun ? out.sentences[s].pronouns : out.sentences[s].attributions;
      if (kind != kPlainWord && counted < 255) ++counted;
      out.quoted.push_back(quoted);
      word.first_rouge = static_cast<uint32_t>(out.rouge.size());
      rouge.append(token.text, out.rouge);
      word.last_rouge = static_cast<uint32_t>(out.rouge.size());
      if (out.words.size() > out.sentences[s].first) {
        SummaryWord& before = out.words.back();
        const auto [pair, fresh] = out.pair_number.emplace(uint64_t{before.stem} << 32 | word.stem,
                                                           static_cast<uint32_t>(out.pairs.size()));
        if (fresh) {
          out.pairs.push_back({});
          pair_group.push_back(0);
        }
        before.pair = pair->second;
        if (pair_group[pair->second] != group)
          out.pairs[pair->second].spread += static_cast<float>(1 / groups);
        pair_group[pair->second] = group;
      }
      by_document[sentence.document].push_back(word.stem);
      out.words.push_back(word);
    }
    out.sentences[s].last = static_cast<uint32_t>(out.words.size());
  }
  return {};
}

Status add_models(const Cluster& cluster, const std::string& stemmer, const WordCounts& background,
                  const WordCounts* own, const std::vector<std::vector<uint32_t>>& by_document,
                  SummaryInput& out) {
  std::vector<double> general(out.stems.size()), query(out.stems.size(), 0.0);
  for (size_t s = 0; s < out.stems.size(); ++s)
    general[s] = background_probability(background, own, out.stems[s].hash);
  ESPALIER_ASSIGN(TokenStems stems, TokenStems::make(stemmer));
  std::unordered_map<uint64_t, double> in_query;
  for (const std::string& word : cluster.query) ++in_query[stems.hash(word)];
  const auto words = static_cast<double>(cluster.query.size());
  out.has_query = !cluster.query.empty();
  for (size_t s = 0; s < out.stems.size() && out.has_query; ++s)
    if (const auto found = in_query.find(out.stems[s].hash); found != in_query.end())
      query[s] = found->second / words;
  const std::vector<double> topic = topic_model(out.stems.size(), by_document, general, query);
  const double largest = topic.empty() ? 1 : *std::max_element(topic.begin(), topic.end());
  for (size_t s = 0; s < out.stems.size(); ++s) {
    StemStatistics& stem = out.stems[s];
    stem.topic = static_cast<float>(topic[s] / std::max(largest, 1e-12));
    stem.ratio = clipped_log_ratio(topic[s], general[s]);
    if (out.has_query) stem.query = clipped_log_ratio(query[s] + 0.1 * general[s], general[s]);
    stem.document = clipped_log_ratio(stem.document / static_cast<double>(out.words.size()), general[s]);
  }
  return {};
}

void add_sentence_scores(SummaryInput& out) {
  std::vector<float> ratio, spread, pair;
  for (SentenceStatistics& sentence : out.sentences) {
    const float n = static_cast<float>(std::max(1u, sentence.last - sentence.first));
    for (uint32_t w = sentence.first; w < sentence.last; ++w) {
      const StemStatistics& stem = out.stems[out.words[w].stem];
      sentence.topic += stem.topic / n;
      sentence.ratio += stem.ratio / n;
      sentence.query += stem.query / n;
      sentence.spread += stem.spread / n;
      if (w + 1 < sentence.last) sentence.pair_spread += out.pairs[out.words[w].pair].spread / n;
    }
    ratio.push_back(sentence.ratio);
    spread.push_back(sentence.spread);
    pair.push_back(sentence.pair_spread);
  }
  const std::vector<uint8_t> ratios = tenths(ratio), spreads = tenths(spread), pairs = tenths(pair);
  for (size_t s = 0; s < out.sentences.size(); ++s) {
    out.sentences[s].ratio_rank = ratios[s];
    out.sentences[s].spread_rank = spreads[s];
    out.sentences[s].pair_rank = pairs[s];
  }
}

void add_titles(const Cluster& cluster, SummaryInput& out) {
  std::vector<uint32_t> title_of(out.stems.size(), 0);  // the last document whose title has it, from 1
  for (size_t d = 0; d < cluster.documents.size(); ++d) {
    const ClusterDocument& document = cluster.documents[d];
    for (uint32_t s = document.first; s < document.last; ++s) {
      SentenceStatistics& sentence = out.sentences[s];
      for (uint32_t w = sentence.first; w < sentence.last; ++w) {
        uint32_t& last = title_of[out.words[w].stem];
        if (s == document.first) last = static_cast<uint32_t>(d) + 1;
        if (s != document.first && last == d + 1)
          sentence.title += 1 / static_cast<float>(sentence.last - sentence.first);
      }
    }
  }
}

void add_pieces(const Cluster& cluster, SummaryInput& out) {
  if (out.unit == SummaryUnit::kSentence) {
    for (uint32_t s = 0; s < out.sentences.size(); ++s) {
      SentenceStatistics& sentence = out.sentences[s];
      sentence.first_piece = static_cast<uint32_t>(out.pieces.size());
      if (sentence.first < sentence.last)
        out.pieces.push_back({.first = sentence.first, .last = sentence.last, .sentence = s});
      sentence.last_piece = static_cast<uint32_t>(out.pieces.size());
    }
    return;
  }
  // Piece w is word w. Its parent is the nearest ancestor that is a word.
  std::vector<uint32_t> word_of(cluster.tokens.size(), kNoPiece);
  for (uint32_t w = 0; w < out.words.size(); ++w) word_of[out.words[w].token] = w;
  for (uint32_t w = 0; w < out.words.size(); ++w) {
    const uint32_t s = out.words[w].sentence;
    SummaryPiece piece{.first = w, .last = w + 1, .sentence = s};
    const ClusterSentence& sentence = cluster.sentences[s];
    for (uint32_t head = cluster.tokens[out.words[w].token].head; head != 0 && piece.parent == kNoPiece;) {
      const uint32_t token = sentence.first + head - 1;
      piece.parent = word_of[token];
      head = cluster.tokens[token].head;
    }
    out.pieces.push_back(piece);
  }
  for (SentenceStatistics& sentence : out.sentences) {
    sentence.first_piece = sentence.first;
    sentence.last_piece = sentence.last;
  }
  std::vector<uint32_t> count(out.pieces.size() + 1, 0);
  for (const SummaryPiece& piece : out.pieces)
    if (piece.parent != kNoPiece) ++count[piece.parent + 1];
  std::partial_sum(count.begin(), count.end(), count.begin());
  out.children.resize(count.back());
  for (uint32_t p = 0; p < out.pieces.size(); ++p) {
    out.pieces[p].first_child = out.pieces[p].last_child = count[p];
  }
  for (uint32_t p = 0; p < out.pieces.size(); ++p)
    if (const uint32_t parent = out.pieces[p].parent; parent != kNoPiece)
      out.children[out.pieces[parent].last_child++] = p;
}

void add_subtrees(SummaryInput& out) {
  out.under_begin.push_back(0);
  for (uint32_t p = 0; p < out.pieces.size(); ++p) {
    const size_t begin = out.under.size();
    if (out.unit == SummaryUnit::kSentence) {
      for (uint32_t w = out.pieces[p].first; w < out.pieces[p].last; ++w) out.under.push_back(w);
    } else {
      out.under.push_back(p);
      for (size_t i = begin; i < out.under.size(); ++i) {
        const SummaryPiece& piece = out.pieces[out.under[i]];
        out.under.insert(out.under.end(), out.children.begin() + piece.first_child,
                         out.children.begin() + piece.last_child);
      }
      std::sort(out.under.begin() + static_cast<ptrdiff_t>(begin), out.under.end());
    }
    out.under_begin.push_back(static_cast<uint32_t>(out.under.size()));
  }
}

}  // namespace

Result<WordCounts> cluster_words(const Cluster& cluster, const std::string& stemmer) {
  ESPALIER_ASSIGN(TokenStems stems, TokenStems::make(stemmer));
  WordCounts out;
  for (const ClusterToken& token : cluster.tokens)
    if (token.word) out.add(stems.hash(token.text));
  return out;
}

Result<SummaryInput> make_summary_input(const Cluster& cluster, const SummaryInputOptions& options,
                                        const WordCounts& background, const WordCounts* own) {
  ESPALIER_CHECK(options.unit == SummaryUnit::kSentence || cluster.parsed());
  SummaryInput out;
  out.unit = options.unit;
  out.limit = options.limit;
  std::vector<std::vector<uint32_t>> by_document;
  ESPALIER_TRY(add_words(cluster, options.stemmer, by_document, out));
  ESPALIER_TRY(add_models(cluster, options.stemmer, background, own, by_document, out));
  add_sentence_scores(out);
  add_titles(cluster, out);
  add_pieces(cluster, out);
  add_subtrees(out);
  return out;
}

std::vector<bool> tokens_of_pieces(const SummaryInput& input, const Cluster& cluster,
                                   const std::vector<uint32_t>& pieces) {
  std::vector<bool> out(cluster.tokens.size(), false);
  for (const uint32_t p : pieces)
    for (uint32_t w = input.pieces[p].first; w < input.pieces[p].last; ++w) out[input.words[w].token] = true;
  return out;
}

}  // namespace espalier::tasks
