#include "espalier/tasks/chunks/chunk_features.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "espalier/base/hash.h"

namespace espalier::tasks {

namespace {

enum ChunkFeatureKind : uint64_t {
  kBeginRole = 0x91,
  kInsideRole,
  kEndRole,
  kRoleView,
  kPlaceView,
  kAroundView,
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
constexpr const char* kRoleNames[] = {"begin", "inside", "end"};

/// The parts of conjunctions about a whole chunk; tags are the symbols of one column.
enum WholePart : uint8_t {
  kNoPart,
  kTags,  ///< of all tokens of the chunk
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
constexpr size_t kWholeParts = kWordAfter + 1;
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
constexpr uint64_t salt(ChunkFeatureKind kind) { return kind * 0x9E3779B97F4A7C15ull; }

/// Conjunctions share their parts, so the hashes of each part are found once: one, or two of two tokens.
using PartHashes = uint64_t[kWholeParts][2];
constexpr size_t hashes_of(WholePart part) {
  return part == kNoPart ? 0 : part == kTwoBefore || part == kTwoAfter ? 2 : 1;
}

/// Adds the parts of conjunction c, which the compiler knows, to a hash.
template <size_t c, size_t... i>
uint64_t conjoined(uint64_t hash, const PartHashes& of, std::index_sequence<i...>) {
  const auto add = [&](auto part) {
    if constexpr (hashes_of(part()) > 0) hash = hash_combine(hash, of[part()][0]);
    if constexpr (hashes_of(part()) > 1) hash = hash_combine(hash, of[part()][1]);
  };
  (add(std::integral_constant<WholePart, kWholeConjunctions[c].parts[i]>()), ...);
  return hash;
}
/// Calls visit(c, hash) for all conjunctions of a view.
template <typename Visit, size_t... c>
void visit_conjunctions(uint64_t key, const PartHashes& of, const Visit& visit, std::index_sequence<c...>) {
  (visit(c, conjoined<c>(hash_combine(hash_combine(salt(kConjoined), c), key), of,
                         std::make_index_sequence<std::size(kWholeConjunctions[c].parts)>())),
   ...);
}

ptrdiff_t place(size_t t) { return static_cast<ptrdiff_t>(t); }

}  // namespace

Result<ChunkFeatures> ChunkFeatures::make(ChunkFeatureOptions options, size_t longest) {
  ESPALIER_TRY(data::Stemmer::make(options.stemmer));  // there is such a stemmer
  return ChunkFeatures(std::move(options), longest);
}

/// The n-grams that a way forms from `first` on: one per view that the way uses, except those without any
/// content.
template <typename Emit, typename Title>
void ChunkFeatures::visit_grams(const ChunkViews& views, ChunkWay way, uint64_t start, size_t first,
                                size_t length, const Emit& emit, const Title& title) const {
  for (const size_t v : views.of(way)) {
    uint64_t h = hash_combine(start, views.key(v));
    bool any = false;
    for (size_t t = first; t < first + length; ++t) {
      const uint64_t value = views.hash(place(t), v);
      any |= value != ChunkViews::kAbsent;
      h = hash_combine(h, value);
    }
    if (!any) continue;
    emit(h, [&] {
      std::string text = fmt::format("{} {}=", title(), views.name(v));
      for (size_t t = first; t < first + length; ++t)
        text += (t > first ? " " : "") + views.text(place(t), v);
      return text;
    });
  }
}

/// Features of a token in its role: begin, inside, end.
template <typename Emit>
void ChunkFeatures::visit_role(const ChunkViews& views, size_t role, size_t t, const Emit& emit) const {
  visit_grams(views, ChunkWay::kRoles, hash_combine(salt(kRoleView), role), t, 1, emit,
              [&] { return kRoleNames[role]; });
  if (role == 1) return;
  const int outwards = role == 0 ? -1 : 1;
  for (const size_t v : views.of(ChunkWay::kAround)) {
    for (const int distance : {outwards, 2 * outwards}) {
      const uint64_t value = views.hash(place(t) + distance, v);
      if (value == ChunkViews::kAbsent) continue;
      const uint64_t start = hash_combine(salt(kAroundView), static_cast<uint64_t>(distance + 2));
      emit(hash_combine(hash_combine(start, views.key(v)), value), [&] {
        return fmt::format("{} {}[{:+}]={}", kRoleNames[role], views.name(v), distance,
                           views.text(place(t) + distance, v));
      });
    }
  }
  if (!options_.meta.edges()) return;
  // Words and tags on both sides of the chunk's edges.
  const size_t low = views.lower();
  for (const size_t v : views.tags()) {
    const auto edge = [&](size_t number, std::initializer_list<std::pair<int, size_t>> parts) {
      uint64_t h = hash_combine(hash_combine(salt(kAtEdge), role * 8 + number), views.key(v));
      for (const auto& [offset, which] : parts) h = hash_combine(h, views.hash(place(t) + offset, which));
      emit(h, [&] {
        std::string text = kRoleNames[role];
        for (const auto& [offset, which] : parts)
          text +=
              fmt::format(" {}[{:+}]={}", views.name(which), offset, views.text(place(t) + offset, which));
        return text;
      });
    };
    if (role == 0) {
      edge(0, {{-1, low}, {0, v}});
      edge(1, {{-2, v}, {-1, v}, {0, v}, {1, v}});
      edge(2, {{-1, v}, {0, v}, {1, v}, {2, v}});
    } else {
      edge(0, {{0, v}, {1, low}});
      edge(1, {{0, low}, {1, low}, {2, v}});
      edge(2, {{0, v}, {1, v}, {2, v}, {3, v}});
    }
  }
}

/// Features of a chunk as a whole.
template <typename Emit>
void ChunkFeatures::visit_whole(const ChunkViews& views, size_t t, size_t length, const Emit& emit) const {
  emit(hash_combine(salt(kLength), length), [&] { return fmt::format("length={}", length); });
  visit_grams(views, ChunkWay::kWholes, hash_combine(salt(kWhole), length), t, length, emit,
              [] { return "whole"; });
  if (options_.meta.has(ChunkWay::kWholes, ChunkBase::kLists) && !options_.lists.empty()) {
    const std::string phrase = views.phrase(t, length);
    const uint64_t text = hash_bytes(phrase);
    for (const WordList& list : options_.lists)
      if (list.has(text))
        emit(hash_combine(salt(kWholeInList), hash_bytes(list.name)),
             [&] { return fmt::format("whole phrase in {}", list.name); });
  }
  if (!options_.meta.edges()) return;
  const ptrdiff_t first = place(t), last = place(t + length) - 1;
  const size_t low = views.lower();
  for (const size_t v : views.tags()) {
    uint64_t tags = length;
    for (ptrdiff_t i = first; i <= last; ++i) tags = hash_combine(tags, views.hash(i, v));
    const auto tags_text = [&] {
      std::string text;
      for (ptrdiff_t i = first; i <= last; ++i) text += (i > first ? " " : "") + views.text(i, v);
      return text;
    };
    PartHashes of;
    of[kTags][0] = tags;
    of[kLengthPart][0] = length;
    of[kFirstTag][0] = views.hash(first, v);
    of[kLastTag][0] = views.hash(last, v);
    of[kTagBefore][0] = of[kTwoBefore][1] = views.hash(first - 1, v);
    of[kTagAfter][0] = of[kTwoAfter][0] = views.hash(last + 1, v);
    of[kTwoBefore][0] = views.hash(first - 2, v);
    of[kTwoAfter][1] = views.hash(last + 2, v);
    of[kFirstWord][0] = views.hash(first, low);
    of[kLastWord][0] = views.hash(last, low);
    of[kWordBefore][0] = views.hash(first - 1, low);
    of[kWordAfter][0] = views.hash(last + 1, low);
    const auto text_of = [&](WholePart part) -> std::string {
      switch (part) {
        case kNoPart:
          return "";
        case kTags:
          return " " + tags_text();
        case kLengthPart:
          return fmt::format(" {}", length);
        case kFirstTag:
          return " " + views.text(first, v);
        case kLastTag:
          return " " + views.text(last, v);
        case kTagBefore:
          return " " + views.text(first - 1, v);
        case kTagAfter:
          return " " + views.text(last + 1, v);
        case kTwoBefore:
          return " " + views.text(first - 2, v) + " " + views.text(first - 1, v);
        case kTwoAfter:
          return " " + views.text(last + 1, v) + " " + views.text(last + 2, v);
        case kFirstWord:
          return " " + views.text(first, low);
        case kLastWord:
          return " " + views.text(last, low);
        case kWordBefore:
          return " " + views.text(first - 1, low);
        case kWordAfter:
          return " " + views.text(last + 1, low);
      }
      return "";
    };
    visit_conjunctions(
        views.key(v), of,
        [&](size_t c, uint64_t hash) {
          emit(hash, [&] {
            std::string text = fmt::format("{}, {}:", views.name(v), kWholeConjunctions[c].name);
            for (const WholePart part : kWholeConjunctions[c].parts) text += text_of(part);
            return text;
          });
        },
        std::make_index_sequence<std::size(kWholeConjunctions)>());
  }
  for (size_t v = 0; v < views.size(); ++v) {
    if (views.base(v) != ChunkBase::kSymbols) continue;
    const uint64_t around = hash_combine(views.hash(first - 1, v), views.hash(last + 1, v));
    const auto between = [&] { return views.text(first - 1, v) + " and " + views.text(last + 1, v); };
    emit(hash_combine(hash_combine(hash_combine(salt(kLengthBetween), views.key(v)), length), around),
         [&] { return fmt::format("length {} between {} {}", length, views.name(v), between()); });
    uint64_t h = hash_combine(hash_combine(salt(kWholeBetween), views.key(v)), length);
    for (ptrdiff_t i = first; i <= last; ++i) h = hash_combine(h, views.hash(i, v));
    emit(hash_combine(h, around), [&] {
      std::string text = fmt::format("whole {}=", views.name(v));
      for (ptrdiff_t i = first; i <= last; ++i) text += views.text(i, v) + " ";
      return text + "between " + between();
    });
  }
}

/// Calls emit(hash, [&] { return name; }) for all features of a block except the template's.
template <typename Emit>
void ChunkFeatures::meta_of_block(const ChunkViews& views, const ChunkBlocks::What& what,
                                  const Emit& emit) const {
  if (options_.meta.none() || options_.columns.empty()) return;
  if (what.first + what.length > views.tokens()) return;
  switch (what.kind) {
    case ChunkBlocks::kRole:
      return visit_role(views, what.number, what.first, emit);
    case ChunkBlocks::kGram:
      return visit_grams(views, what.length == 2 ? ChunkWay::kPairs : ChunkWay::kTriples,
                         salt(what.length == 2 ? kPair : kTriple), what.first, what.length, emit,
                         [&] { return what.length == 2 ? "pair" : "triple"; });
    case ChunkBlocks::kWholeChunk:
      return visit_whole(views, what.first, what.length, emit);
    case ChunkBlocks::kPlace:
      return visit_grams(views, ChunkWay::kPlaces, hash_combine(salt(kPlaceView), what.number), what.first, 1,
                         emit, [&] { return fmt::format("word {}", what.number + 1); });
  }
}

std::vector<uint64_t> ChunkFeatures::roles() { return {salt(kBeginRole), salt(kInsideRole), salt(kEndRole)}; }

void ChunkFeatures::extract(const data::Sequence& sequence, const data::HashedFeatures* tokens,
                            ChunkViews& views, data::HashedFeatures& out,
                            std::vector<TokenLook>& looks) const {
  views.look_at(sequence, options_);
  const size_t T = sequence.length();
  out.clear();
  const bool valued = tokens != nullptr && !tokens->state_values.empty();
  blocks_of(T).for_each([&](const ChunkBlocks::What& what) {
    if (what.kind == ChunkBlocks::kRole && tokens != nullptr) {
      const uint64_t role = salt(static_cast<ChunkFeatureKind>(kBeginRole + what.number));
      for (uint32_t i = tokens->state_begin[what.first]; i < tokens->state_begin[what.first + 1]; ++i) {
        out.state.push_back(hash_combine(role, tokens->state[i]));
        if (valued) out.state_values.push_back(tokens->state_values[i]);
      }
    }
    meta_of_block(views, what, [&](uint64_t hash, const auto&) {
      out.state.push_back(hash);
      if (valued) out.state_values.push_back(1);
    });
    out.state_begin.push_back(static_cast<uint32_t>(out.state.size()));
  });
  looks.clear();
  if (options_.columns.empty()) return;
  for (size_t t = 0; t < T; ++t) {
    TokenLook look{views.hash(place(t), views.lower()), 0};
    for (const size_t v : views.tags()) look.tag = hash_combine(look.tag, views.hash(place(t), v));
    looks.push_back(look);
  }
}

std::string ChunkFeatures::name(const data::Sequence& sequence, data::FeatureNames& of_token,
                                const data::HashedFeatures& tokens, const ChunkViews& views, uint32_t block,
                                size_t slot) const {
  const size_t T = sequence.length();
  if (block < 3 * T) {
    const size_t t = block % T, own = tokens.state_begin[t + 1] - tokens.state_begin[t];
    if (slot < own) {
      return fmt::format("{} {}", kRoleNames[block / T], of_token.state_name(slot));
    }
    slot -= own;
  }
  std::string result;
  size_t i = 0;
  meta_of_block(views, blocks_of(T).what(block), [&](uint64_t, const auto& name) {
    if (i++ == slot) result = name();
  });
  return result;
}

}  // namespace espalier::tasks
