#include "espalier/tasks/chunk_features.h"

#include <libstemmer.h>

#include <algorithm>
#include <filesystem>

#include "espalier/base/hash.h"
#include "espalier/base/input.h"
#include "espalier/base/text.h"

namespace espalier::tasks {

namespace {

/// The views of a token; symbols follow, two each (whole and first character).
enum ViewNumber : size_t { kLower, kStem, kEnding, kCase, kFixedViews };

enum ChunkFeatureKind : uint64_t {
  kBeginRole = 0x91,
  kInsideRole,
  kEndRole,
  kRoleView,
  kNeighbour,
  kInList,
  kPair,
  kTriple,
  kWhole,
  kLength,
  kLengthBetween,
  kWholeBetween,
  kWholeInList,
  kConjoined,
  kAtEdge,
};

/// What conjunctions about a whole chunk are made of; tags are the symbols of a column.
enum WholePart : uint8_t {
  kNoPart,
  kTags,  ///< all of the chunk's
  kLengthPart,
  kFirstTag,
  kLastTag,
  kTagBefore,
  kTagAfter,
  kTwoBefore,
  kTwoAfter,
  kFirstWord,
  kLastWord,
  kWordBefore,
  kWordAfter,
};
struct WholeConjunction {
  std::string_view name;
  WholePart parts[5];
};
constexpr WholeConjunction kWholeConjunctions[] = {
    {"all and the first word", {kTags, kFirstWord}},
    {"all and the last word", {kTags, kLastWord}},
    {"all and the word before", {kTags, kWordBefore}},
    {"all and the word after", {kTags, kWordAfter}},
    {"all and the one before", {kTags, kTagBefore}},
    {"all and the one after", {kTags, kTagAfter}},
    {"all and two before", {kTags, kTwoBefore}},
    {"all and two after", {kTags, kTwoAfter}},
    {"first, last and length", {kFirstTag, kLastTag, kLengthPart}},
    {"first word, last and length", {kFirstWord, kLastTag, kLengthPart}},
    {"first, last word and length", {kFirstTag, kLastWord, kLengthPart}},
    {"first word and last word", {kFirstWord, kLastWord}},
    {"first word and word after", {kFirstWord, kWordAfter}},
    {"word before and last word", {kWordBefore, kLastWord}},
    {"first and last, before and after", {kTagBefore, kFirstTag, kLastTag, kTagAfter}},
    {"first and last, before and after, length", {kTagBefore, kFirstTag, kLastTag, kTagAfter, kLengthPart}},
};
uint64_t salt(ChunkFeatureKind kind) { return kind * 0x9E3779B97F4A7C15ull; }
constexpr uint64_t kOutside = 0x0DDBA11;

}  // namespace

struct ChunkFeatures::Scratch::Buffers {
  struct StemmerDeleter {
    void operator()(sb_stemmer* s) const { sb_stemmer_delete(s); }
  };
  std::unique_ptr<sb_stemmer, StemmerDeleter> stemmer;
  size_t tokens = 0, views = 0;
  std::vector<uint64_t> hashes;          ///< tokens × views
  std::vector<std::string> lower, stem;  ///< per token
  std::string text;

  /// The first of the views that name a token's kind, every second one from there: its symbols, or its case
  /// pattern where it has none.
  size_t first_tag_view() const { return views > kFixedViews ? kFixedViews : kCase; }
  uint64_t view(ptrdiff_t t, size_t v) const {
    if (t < 0 || t >= static_cast<ptrdiff_t>(tokens)) return kOutside;
    return hashes[static_cast<size_t>(t) * views + v];
  }
};

ChunkFeatures::Scratch::Scratch() : buffers(std::make_unique<Buffers>()) {}
ChunkFeatures::Scratch::~Scratch() = default;
ChunkFeatures::Scratch::Scratch(Scratch&&) noexcept = default;
ChunkFeatures::Scratch& ChunkFeatures::Scratch::operator=(Scratch&&) noexcept = default;

Result<ChunkFeatureOptions::WordList> read_word_list(const std::string& path) {
  ChunkFeatureOptions::WordList list;
  list.name = std::filesystem::path(path).stem().string();
  ESPALIER_ASSIGN(Input input, Input::open(path));
  std::string lower;
  std::string_view line;
  while (true) {
    ESPALIER_ASSIGN(const bool more, input.next_line(line));
    if (!more) break;
    if (line.empty()) continue;
    to_lower(line, lower);
    list.entries.push_back(hash_bytes(lower));
  }
  if (list.entries.empty()) return fail("{}: the word list is empty", path);
  std::sort(list.entries.begin(), list.entries.end());
  list.entries.erase(std::unique(list.entries.begin(), list.entries.end()), list.entries.end());
  return list;
}

Result<ChunkFeatures> ChunkFeatures::make(ChunkFeatureOptions options, size_t longest) {
  if (!options.stemmer.empty()) {
    const std::unique_ptr<sb_stemmer, Scratch::Buffers::StemmerDeleter> stemmer(
        sb_stemmer_new(options.stemmer.c_str(), nullptr));
    if (!stemmer) {
      std::vector<std::string_view> known;
      for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) known.push_back(*name);
      return fail("there is no stemmer for '{}' (there are {})", options.stemmer, fmt::join(known, ", "));
    }
  }
  return ChunkFeatures(std::move(options), longest);
}

void ChunkFeatures::look_at(const data::Sequence& sequence, Scratch::Buffers& b) const {
  const size_t T = sequence.length();
  const size_t symbols = options_.columns.empty() ? 0 : options_.columns.size() - 1;
  b.tokens = T;
  b.views = kFixedViews + 2 * symbols;
  b.hashes.assign(T * b.views, kOutside);
  if (b.lower.size() < T) b.lower.resize(T), b.stem.resize(T);
  if (options_.columns.empty()) return;
  if (!b.stemmer && !options_.stemmer.empty())
    b.stemmer.reset(sb_stemmer_new(options_.stemmer.c_str(), nullptr));
  for (size_t t = 0; t < T; ++t) {
    const std::string_view word = sequence.cell(t, options_.columns[0]);
    uint64_t* const h = b.hashes.data() + t * b.views;
    to_lower(word, b.lower[t]);
    h[kLower] = hash_bytes(b.lower[t]);
    std::string_view stem = b.lower[t];
    if (b.stemmer) {
      const auto* stemmed =
          sb_stemmer_stem(b.stemmer.get(), reinterpret_cast<const sb_symbol*>(b.lower[t].data()),
                          static_cast<int>(b.lower[t].size()));
      if (stemmed != nullptr)
        stem = {reinterpret_cast<const char*>(stemmed),
                static_cast<size_t>(sb_stemmer_length(b.stemmer.get()))};
    }
    b.stem[t] = stem;
    h[kStem] = hash_bytes(b.stem[t]);
    h[kEnding] =
        hash_bytes(std::string_view(b.lower[t]).substr(std::min(b.stem[t].size(), b.lower[t].size())));
    short_shape(word, b.text);
    h[kCase] = hash_bytes(b.text);
    for (size_t k = 0; k < symbols; ++k) {
      const std::string_view symbol = sequence.cell(t, options_.columns[k + 1]);
      h[kFixedViews + 2 * k] = hash_bytes(symbol);
      const size_t first = prefix_bytes(symbol, 1);
      h[kFixedViews + 2 * k + 1] = hash_bytes(symbol.substr(0, first == kNoSuchLength ? 0 : first));
    }
  }
}

/// Calls emit(hash, [&] { return name; }) for everything beside the template's features.
template <typename Emit>
void ChunkFeatures::meta_of_block(const Scratch::Buffers& b, size_t T, uint32_t block,
                                  const Emit& emit) const {
  if (!options_.meta || options_.columns.empty()) return;
  const auto view_name = [&](size_t v) {
    constexpr const char* kNames[] = {"low", "stem", "ending", "case"};
    if (v < kFixedViews) return std::string(kNames[v]);
    return fmt::format("x{}{}", (v - kFixedViews) / 2 + 1, (v - kFixedViews) % 2 == 1 ? " first" : "");
  };
  const bool stems = !options_.stemmer.empty();
  const auto useful = [&](size_t v) { return stems || (v != kStem && v != kEnding); };
  const auto at = [](size_t t) { return static_cast<ptrdiff_t>(t); };
  if (block < 3 * T) {  // begin, inside, end
    const size_t role = block / T, t = block % T;
    constexpr const char* kRoles[] = {"begin", "inside", "end"};
    for (size_t v = 0; v < b.views; ++v) {
      if (v == kLower || v == kCase || (v >= kFixedViews && (v - kFixedViews) % 2 == 0) || !useful(v))
        continue;
      emit(hash_combine(hash_combine(salt(kRoleView), role * 64 + v), b.view(at(t), v)),
           [&] { return fmt::format("{} {}", kRoles[role], view_name(v)); });
    }
    if (role != 1 && stems) {
      const ptrdiff_t neighbour = role == 0 ? at(t) - 1 : at(t) + 1;
      emit(hash_combine(hash_combine(salt(kNeighbour), role), b.view(neighbour, kStem)),
           [&] { return std::string(role == 0 ? "stem before" : "stem after"); });
    }
    // Words and tags on both sides of the chunk's edges.
    for (size_t v = b.first_tag_view(); role != 1 && v < b.views; v += 2) {
      const auto edge = [&](size_t number, std::initializer_list<std::pair<int, size_t>> parts) {
        uint64_t h = hash_combine(hash_combine(salt(kAtEdge), role * 8 + number), v);
        for (const auto& [offset, which] : parts) h = hash_combine(h, b.view(at(t) + offset, which));
        emit(h, [&] {
          std::string text = kRoles[role];
          for (const auto& [offset, which] : parts) text += fmt::format(" {}[{}]", view_name(which), offset);
          return text;
        });
      };
      if (role == 0) {
        edge(0, {{-1, kLower}, {0, v}});
        edge(1, {{-2, v}, {-1, v}, {0, v}, {1, v}});
        edge(2, {{-1, v}, {0, v}, {1, v}, {2, v}});
      } else {
        edge(0, {{0, v}, {1, kLower}});
        edge(1, {{0, kLower}, {1, kLower}, {2, v}});
        edge(2, {{0, v}, {1, v}, {2, v}, {3, v}});
      }
    }
    for (size_t l = 0; l < options_.lists.size(); ++l) {
      const auto& entries = options_.lists[l].entries;
      if (std::binary_search(entries.begin(), entries.end(), b.view(at(t), kLower)))
        emit(hash_combine(hash_combine(salt(kInList), role), hash_bytes(options_.lists[l].name)),
             [&] { return fmt::format("{} in list {}", kRoles[role], options_.lists[l].name); });
    }
    return;
  }
  if (block < 5 * T) {  // pairs and triples
    const bool triple = block >= 4 * T;
    const size_t t = block % T, n = triple ? 3 : 2;
    if (t + n > T) return;
    for (size_t v = 0; v < b.views; ++v) {
      if (v == kEnding || (triple && v == kLower) || !useful(v)) continue;
      uint64_t h = hash_combine(salt(triple ? kTriple : kPair), v);
      for (size_t i = 0; i < n; ++i) h = hash_combine(h, b.view(at(t + i), v));
      emit(h, [&] { return fmt::format("{} of {}", triple ? "triple" : "pair", view_name(v)); });
    }
    return;
  }
  const size_t t = (block - 5 * T) / longest_, length = (block - 5 * T) % longest_ + 1;
  if (t + length > T) return;
  emit(hash_combine(salt(kLength), length), [&] { return fmt::format("length {}", length); });
  for (size_t v = 0; v < b.views; ++v) {
    if (v == kEnding || !useful(v)) continue;
    uint64_t h = hash_combine(hash_combine(salt(kWhole), v), length);
    for (size_t i = 0; i < length; ++i) h = hash_combine(h, b.view(at(t + i), v));
    emit(h, [&] { return "whole " + view_name(v); });
    if (v < kFixedViews || (v - kFixedViews) % 2 == 1) continue;
    const uint64_t around = hash_combine(b.view(at(t) - 1, v), b.view(at(t + length), v));
    emit(hash_combine(hash_combine(hash_combine(salt(kLengthBetween), v), length), around),
         [&] { return fmt::format("length {} between {}", length, view_name(v)); });
    emit(hash_combine(hash_combine(salt(kWholeBetween), h), around),
         [&] { return fmt::format("whole {} and around it", view_name(v)); });
  }
  for (size_t v = b.first_tag_view(); v < b.views; v += 2) {
    uint64_t tags = length;
    for (size_t i = 0; i < length; ++i) tags = hash_combine(tags, b.view(at(t + i), v));
    const auto part = [&](WholePart p) -> uint64_t {
      switch (p) {
        case kNoPart:
          return 0;
        case kTags:
          return tags;
        case kLengthPart:
          return length;
        case kFirstTag:
          return b.view(at(t), v);
        case kLastTag:
          return b.view(at(t + length) - 1, v);
        case kTagBefore:
          return b.view(at(t) - 1, v);
        case kTagAfter:
          return b.view(at(t + length), v);
        case kTwoBefore:
          return hash_combine(b.view(at(t) - 1, v), b.view(at(t) - 2, v));
        case kTwoAfter:
          return hash_combine(b.view(at(t + length), v), b.view(at(t + length) + 1, v));
        case kFirstWord:
          return b.view(at(t), kLower);
        case kLastWord:
          return b.view(at(t + length) - 1, kLower);
        case kWordBefore:
          return b.view(at(t) - 1, kLower);
        case kWordAfter:
          return b.view(at(t + length), kLower);
      }
      return 0;
    };
    for (size_t c = 0; c < std::size(kWholeConjunctions); ++c) {
      uint64_t h = hash_combine(hash_combine(salt(kConjoined), c), v);
      for (const WholePart p : kWholeConjunctions[c].parts)
        if (p != kNoPart) h = hash_combine(h, part(p));
      emit(h, [&] { return fmt::format("{}, {}", view_name(v), kWholeConjunctions[c].name); });
    }
  }
  if (options_.lists.empty()) return;
  std::string joined;
  for (size_t i = 0; i < length; ++i) joined += (i > 0 ? " " : "") + b.lower[t + i];
  const uint64_t text = hash_bytes(joined);
  for (const auto& list : options_.lists)
    if (std::binary_search(list.entries.begin(), list.entries.end(), text))
      emit(hash_combine(salt(kWholeInList), hash_bytes(list.name)),
           [&] { return "whole in list " + list.name; });
}

void ChunkFeatures::extract(const data::Sequence& sequence, const data::HashedFeatures& tokens,
                            Scratch& scratch, data::HashedFeatures& out,
                            std::vector<TokenLook>& looks) const {
  Scratch::Buffers& b = *scratch.buffers;
  look_at(sequence, b);
  const size_t T = sequence.length();
  const size_t blocks = ChunkBlocks{T, longest_}.size();
  out.clear();
  const bool valued = !tokens.state_values.empty();
  for (uint32_t block = 0; block < blocks; ++block) {
    if (block < 3 * T) {
      const size_t t = block % T;
      const uint64_t role = salt(static_cast<ChunkFeatureKind>(kBeginRole + block / T));
      for (uint32_t i = tokens.state_begin[t]; i < tokens.state_begin[t + 1]; ++i) {
        out.state.push_back(hash_combine(role, tokens.state[i]));
        if (valued) out.state_values.push_back(tokens.state_values[i]);
      }
    }
    meta_of_block(b, T, block, [&](uint64_t hash, const auto&) {
      out.state.push_back(hash);
      if (valued) out.state_values.push_back(1.0f);
    });
    out.state_begin.push_back(static_cast<uint32_t>(out.state.size()));
  }
  looks.clear();
  if (options_.columns.empty()) return;
  for (size_t t = 0; t < T; ++t) {
    const auto at = static_cast<ptrdiff_t>(t);
    looks.push_back({b.view(at, kLower), b.view(at, b.first_tag_view())});
    for (size_t v = kFixedViews + 2; v < b.views; v += 2)
      looks.back().tag = hash_combine(looks.back().tag, b.view(at, v));
  }
}

std::string ChunkFeatures::name(const data::Sequence& sequence, const data::FeatureExtractor& extractor,
                                const data::HashedFeatures& tokens, Scratch& scratch, uint32_t block,
                                size_t slot) const {
  const size_t T = sequence.length();
  constexpr const char* kRoles[] = {"begin ", "inside ", "end "};
  if (block < 3 * T) {
    const size_t t = block % T, own = tokens.state_begin[t + 1] - tokens.state_begin[t];
    if (slot < own) return kRoles[block / T] + extractor.state_name(sequence, t, slot);
    slot -= own;
  }
  const Scratch::Buffers& b = *scratch.buffers;
  std::string result;
  size_t i = 0;
  meta_of_block(b, T, block, [&](uint64_t, const auto& name) {
    if (i++ == slot) result = name();
  });
  // What the views were is told by the words themselves.
  const size_t first = block < 5 * T ? block % T : (block - 5 * T) / longest_;
  const size_t last = block < 3 * T   ? first
                      : block < 4 * T ? first + 1
                      : block < 5 * T ? first + 2
                                      : first + (block - 5 * T) % longest_;
  for (size_t t = first; t <= last && t < T; ++t)
    result += (t == first ? ": " : " ") + std::string(sequence.cell(t, options_.columns[0]));
  return result;
}

}  // namespace espalier::tasks
