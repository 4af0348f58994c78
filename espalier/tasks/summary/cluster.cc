#include "espalier/tasks/summary/cluster.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/json.h"
#include "espalier/base/text/text.h"
#include "espalier/data/formats/text_split.h"

namespace espalier::tasks {
namespace {

/// Subtrees of longer sentences would take too much memory.
constexpr uint32_t kLongestSentence = 5000;

bool has_letter_or_digit(std::string_view text) {
  for (const CodePoint c : CodePoints(text)) {
    const CharClass kind = char_class(c.value);
    if (kind <= CharClass::kLetterOther || kind == CharClass::kDigit || kind == CharClass::kNumberOther)
      return true;
  }
  return false;
}

/// Fills a cluster from JSON; messages say where in the line something is wrong.
class ClusterParser {
 public:
  explicit ClusterParser(data::TextSplitter& splitter) : splitter_(splitter) {}

  Result<Cluster> parse(const Json& object) {
    if (!object.is_object()) return fail("expected a JSON object with \"docs\"");
    ESPALIER_TRY(text_of(object, "id", out_.id));
    std::string query;
    ESPALIER_TRY(text_of(object, "query", query));
    ESPALIER_TRY(splitter_.split(query, [&](const std::vector<data::TextPiece>& tokens) {
      for (const data::TextPiece& token : tokens)
        if (has_letter_or_digit(token.text)) out_.query.emplace_back(token.text);
    }));
    if (const auto limit = object.find("limit"); limit != object.end() && !limit->is_null()) {
      if (!limit->is_number_unsigned() || *limit == 0)
        return fail("\"limit\" is {}; wanted a number of words, at least 1", limit->dump());
      out_.limit = limit->get<size_t>();
    }
    const auto documents = object.find("docs");
    if (documents == object.end() || !documents->is_array() || documents->empty())
      return fail("expected \"docs\" with at least one document");
    for (const Json& document : *documents) ESPALIER_TRY(add_document(document));
    if (const auto references = object.find("refs"); references != object.end() && !references->is_null()) {
      if (!references->is_array()) return fail("expected \"refs\" with a list of reference summaries");
      for (const Json& reference : *references) ESPALIER_TRY(add_reference(reference));
    }
    return std::move(out_);
  }

 private:
  static Status text_of(const Json& object, const char* key, std::string& out) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return {};
    if (found->is_number_integer()) {
      out = found->dump();
      return {};
    }
    if (!found->is_string()) return fail("expected text for \"{}\"", key);
    out = found->get<std::string>();
    return {};
  }

  Status add_document(const Json& document) {
    const size_t number = out_.documents.size() + 1;
    if (!document.is_object()) return fail("document {}: expected an object with \"sents\"", number);
    ClusterDocument made;
    if (const Status read = text_of(document, "id", made.id); !read.ok())
      return fail("document {}: {}", number, read.error().message);
    const auto sentences = document.find("sents");
    if (sentences == document.end() || !sentences->is_array())
      return fail("document {}: expected \"sents\" with its sentences", number);
    made.first = static_cast<uint32_t>(out_.sentences.size());
    const size_t tokens = out_.tokens.size();
    for (const Json& sentence : *sentences) {
      const Status added = add_sentence(sentence, made);
      if (!added.ok())
        return fail("document {}, sentence {}: {}", number, out_.sentences.size() - made.first + 1,
                    added.error().message);
    }
    made.last = static_cast<uint32_t>(out_.sentences.size());
    if (out_.tokens.size() == tokens) return fail("document {} is empty", number);
    out_.documents.push_back(std::move(made));
    return {};
  }

  Status add_sentence(const Json& sentence, const ClusterDocument& document) {
    ClusterSentence made;
    made.document = static_cast<uint32_t>(out_.documents.size());
    made.number = static_cast<uint32_t>(out_.sentences.size()) - document.first;
    made.first = static_cast<uint32_t>(out_.tokens.size());
    if (sentence.is_string()) {
      ESPALIER_TRY(add_text(sentence.get_ref<const std::string&>()));
    } else {
      ESPALIER_TRY(add_tokens(sentence, made));
    }
    made.last = static_cast<uint32_t>(out_.tokens.size());
    if (made.last - made.first > kLongestSentence)
      return fail("{} tokens; a sentence has at most {}", made.last - made.first, kLongestSentence);
    out_.sentences.push_back(made);
    return {};
  }

  void add_token(std::string text, bool joined) {
    ClusterToken made;
    made.word = has_letter_or_digit(text);
    made.text = std::move(text);
    made.joined = joined;
    made.sentence = static_cast<uint32_t>(out_.sentences.size());
    out_.tokens.push_back(std::move(made));
  }

  Status add_text(const std::string& text) {
    size_t end = 0;  // of the token before
    return splitter_.split(text, [&](const std::vector<data::TextPiece>& tokens) {
      for (const data::TextPiece& token : tokens) {
        add_token(std::string(token.text), token.byte > 0 && token.byte == end);
        end = token.byte + token.text.size();
      }
    });
  }

  Status add_tokens(const Json& sentence, ClusterSentence& made) {
    if (!sentence.is_object()) return fail("expected text, or an object with \"tokens\"");
    const auto tokens = sentence.find("tokens");
    if (tokens == sentence.end() || !tokens->is_array())
      return fail("expected \"tokens\" with a list of texts");
    for (const Json& token : *tokens) {
      if (!token.is_string() || token.get_ref<const std::string&>().empty())
        return fail("a token is not a text of at least one character");
      const auto& text = token.get_ref<const std::string&>();
      add_token(text, out_.tokens.size() > made.first && !has_letter_or_digit(text));
    }
    const size_t n = tokens->size();
    const auto list = [&](const char* name) -> Result<const Json*> {
      const auto found = sentence.find(name);
      if (found == sentence.end() || found->is_null()) return static_cast<const Json*>(nullptr);
      if (!found->is_array() || found->size() != n)
        return fail("expected \"{}\" with {}, one per token", name, counted(n, "value"));
      return &*found;
    };
    ESPALIER_ASSIGN(const Json* const tags, list("tags"));
    ESPALIER_ASSIGN(const Json* const heads, list("heads"));
    ESPALIER_ASSIGN(const Json* const relations, list("relations"));
    for (size_t i = 0; i < n; ++i) {
      ClusterToken& token = out_.tokens[made.first + i];
      if (tags != nullptr && !(*tags)[i].is_string()) return fail("\"tags\": value {} is not text", i + 1);
      if (relations != nullptr && !(*relations)[i].is_string())
        return fail("\"relations\": value {} is not text", i + 1);
      if (tags != nullptr) token.tag = (*tags)[i].get<std::string>();
      if (relations != nullptr) token.relation = (*relations)[i].get<std::string>();
      if (heads == nullptr) continue;
      const Json& head = (*heads)[i];
      if (!head.is_number_unsigned() || head.get<uint64_t>() > n || head.get<uint64_t>() == i + 1)
        return fail("\"heads\": value {} is {}; wanted the number of another token, from 1 to {}, or 0",
                    i + 1, json_text(head), n);
      token.head = head.get<uint32_t>();
    }
    made.tagged = tags != nullptr;
    made.parsed = heads != nullptr;
    return heads == nullptr ? Status() : check_tree(made.first, n);
  }

  /// Follows each word to a root; words that were followed before are known to reach one.
  Status check_tree(size_t first, size_t n) const {
    size_t root = 0;
    for (size_t i = 1; i <= n; ++i) {
      if (out_.tokens[first + i - 1].head != 0) continue;
      if (root != 0)
        return fail("\"heads\": token {} is a second root (head 0); token {} is one already", i, root);
      root = i;
    }
    std::vector<size_t> seen(n + 1, 0);  // the walk that met a word, from 1
    for (size_t walk = 1; walk <= n; ++walk) {
      size_t at = walk;
      for (; at != 0 && seen[at] == 0; at = out_.tokens[first + at - 1].head) seen[at] = walk;
      if (at != 0 && seen[at] == walk) return fail("\"heads\": token {} is its own ancestor", at);
    }
    return {};
  }

  Status add_reference(const Json& reference) {
    const size_t number = out_.references.size() + 1;
    const auto sentences = reference.is_object() ? reference.find("sents") : reference.end();
    if (!reference.is_object() || sentences == reference.end() || !sentences->is_array() ||
        sentences->empty())
      return fail("reference {}: expected an object with \"sents\", at least one", number);
    std::vector<std::string> made;
    for (const Json& sentence : *sentences) {
      if (!sentence.is_string()) return fail("reference {}: a sentence is not text", number);
      made.push_back(sentence.get<std::string>());
    }
    out_.references.push_back(std::move(made));
    return {};
  }

  data::TextSplitter& splitter_;
  Cluster out_;
};

}  // namespace

bool Cluster::parsed() const {
  return std::all_of(sentences.begin(), sentences.end(),
                     [](const ClusterSentence& s) { return s.parsed || s.last - s.first < 2; });
}

Result<Cluster> parse_cluster(std::string_view line, const std::string& where) {
  thread_local auto splitter = data::TextSplitter::make(TextSplit::words);
  if (!splitter.ok()) return splitter.error();
  const Json object = try_parse_json(line);
  auto parsed = ClusterParser(*splitter).parse(object);
  if (!parsed.ok()) return fail("{}: {}", where, parsed.error().message);
  return parsed;
}

void cluster_sequence(const Cluster& cluster, std::string_view line, uint64_t line_number,
                      data::Sequence& out) {
  constexpr size_t kCells = 4;
  out.clear(kCells);
  std::string number;
  for (const ClusterSentence& sentence : cluster.sentences) {
    const std::string sentence_number = fmt::format_int(sentence.number).str();
    const std::string document_number = fmt::format_int(sentence.document).str();
    for (uint32_t t = sentence.first; t < sentence.last; ++t) {
      out.begin_row({}, line_number);
      out.add_cell(cluster.tokens[t].text);
      out.add_cell(document_number);
      out.add_cell(sentence_number);
      out.add_cell(number = fmt::format_int(t - sentence.first).str());
    }
  }
  out.add_comment(std::string(line));
}

Cluster cluster_of(const data::Sequence& sequence) {
  ESPALIER_CHECK(!sequence.comments().empty());
  auto parsed = parse_cluster(sequence.comments().front(), "cluster");
  ESPALIER_CHECK(parsed.ok());  // it was parsed when it was read
  return std::move(parsed).value();
}

std::vector<bool> shown_tokens(const Cluster& cluster, const std::vector<bool>& chosen) {
  std::vector<bool> shown = chosen;
  for (const ClusterSentence& sentence : cluster.sentences) {
    const auto in = [&](uint32_t t) { return chosen[t] && cluster.tokens[t].word; };
    bool any = false;
    for (uint32_t t = sentence.first; t < sentence.last; ++t) any = any || in(t);
    uint32_t last_word = sentence.first;
    for (uint32_t t = sentence.first; t < sentence.last; ++t)
      if (cluster.tokens[t].word) last_word = t;
    for (uint32_t t = sentence.first; t < sentence.last; ++t) {
      if (cluster.tokens[t].word) continue;
      if (t > last_word) {
        shown[t] = any;
        continue;
      }
      bool before = true, after = false;
      for (uint32_t b = t; b-- > sentence.first;)
        if (cluster.tokens[b].word) {
          before = in(b);
          break;
        }
      for (uint32_t a = t + 1; a < sentence.last; ++a)
        if (cluster.tokens[a].word) {
          after = in(a);
          break;
        }
      shown[t] = before && after;
    }
  }
  return shown;
}

std::vector<std::string> summary_sentences(const Cluster& cluster, const std::vector<bool>& chosen) {
  const std::vector<bool> shown = shown_tokens(cluster, chosen);
  std::vector<std::string> out;
  for (const ClusterSentence& sentence : cluster.sentences) {
    std::string text;
    for (uint32_t t = sentence.first; t < sentence.last; ++t) {
      if (!shown[t]) continue;
      const ClusterToken& token = cluster.tokens[t];
      // A mark goes with the word before it, also where words between were left out.
      const bool joined = token.joined && (shown[t - 1] || !token.word);
      if (!text.empty() && !joined) text.push_back(' ');
      text += token.text;
    }
    if (!text.empty()) out.push_back(std::move(text));
  }
  return out;
}

Json summary_json(const Cluster& cluster, const std::vector<bool>& chosen) {
  const std::vector<bool> shown = shown_tokens(cluster, chosen);
  Json out = Json::object();
  if (!cluster.id.empty()) out["id"] = cluster.id;
  std::string text;
  for (const std::string& sentence : summary_sentences(cluster, chosen))
    text += (text.empty() ? "" : " ") + sentence;
  out["summary"] = text;
  size_t words = 0;
  Json sources = Json::array();
  for (uint32_t t = 0; t < cluster.tokens.size(); ++t) {
    if (!shown[t]) continue;
    const ClusterToken& token = cluster.tokens[t];
    const ClusterSentence& sentence = cluster.sentences[token.sentence];
    words += token.word;
    Json source = {{"text", token.text}};
    const std::string& id = cluster.documents[sentence.document].id;
    if (id.empty()) {
      source["document"] = sentence.document;
    } else {
      source["document"] = id;
    }
    source["sentence"] = sentence.number;
    source["token"] = t - sentence.first;
    sources.push_back(std::move(source));
  }
  out["words"] = words;
  out["sources"] = std::move(sources);
  return out;
}

}  // namespace espalier::tasks
