#include "espalier/tasks/spaces/chunk_space.h"

#include <algorithm>

namespace espalier::tasks {

using search::Action;

namespace {
enum ChunkEntry : uint64_t {
  kAfterType = 0x71,
  kAfterTwo,
  kAfterLength,
  kAfterWord,
  kAfterEnds,
  kAfterTag,
  kAfterFirst,
  kAfterTags,
  kAfterMore,
  kAfterAnyWord,
  kAfterWordPair,
  kAfterAllWords,
};
constexpr data::Label kNoType = data::kNoLabel;
uint64_t entry(ChunkEntry kind, uint64_t value) { return hash_combine(kind * 0x9E3779B97F4A7C15ull, value); }
}  // namespace

ChunkBlocks::What ChunkBlocks::what(uint32_t block) const {
  const size_t kind = block / tokens, t = block % tokens;
  if (kind < 3) return {kRole, kind, t, 1};
  if (kind < 5) return {kGram, 0, t, kind - 1};
  if (kind < 5 + longest) {
    const size_t i = block - 5 * tokens;
    return {kWholeChunk, 0, i / longest, i % longest + 1};
  }
  const size_t i = block - (5 + longest) * tokens;
  return {kPlace, i % (longest - 1) + 1, i / (longest - 1), 1};
}

ChunkSpace::ChunkSpace(const DecisionPlan& plan, const ChunkInput& input)
    : plan_(plan), input_(input), blocks_{input.length, plan.max_length, plan.places} {
  if (input.gold.empty()) return;
  gold_of_.resize(input.length);
  gold_begins_after_.assign(input.length + 1, 0);
  for (uint32_t i = 0; i < input.gold.size(); ++i) {
    const Chunk& chunk = input.gold[i];
    for (uint32_t t = 0; t < chunk.length; ++t) gold_of_[chunk.first + t] = i;
    if (chunk.type != 0) ++gold_begins_after_[chunk.first];
  }
  for (size_t t = input.length; t-- > 0;) gold_begins_after_[t] += gold_begins_after_[t + 1];
}

void ChunkSpace::actions(const State& s, std::vector<Action>& out) const {
  const size_t longest = std::min(plan_.max_length, input_.length - s.at);
  const uint32_t types = static_cast<uint32_t>(plan_.types.size());
  for (uint32_t m = 0; m < longest; ++m)
    for (uint32_t type = m == 0 ? 0 : 1; type < types; ++type)
      if (allowed(s, {m, type})) out.push_back({m, type});
}

ChunkSpace::State ChunkSpace::apply(const State& s, Action action) const {
  State next = s;
  const uint32_t length = action.candidate + 1;
  next.at = s.at + length;
  if (plan_.history > 0) push_label(next.types.data(), plan_.history, static_cast<data::Label>(action.label));
  next.last_begin = s.at;
  if (input_.legal != nullptr) next.legal = legal_after(s, action);
  if (action.label != 0) ++next.predicted;
  if (input_.gold.empty()) return next;
  const Chunk& here = gold_at(s.at);
  if (here == Chunk{s.at, length, action.label}) {
    if (action.label != 0) ++next.correct;
    return next;
  }
  for (uint32_t t = s.at; t < next.at; ++t) {
    const Chunk& gold = gold_at(t);
    const bool same = gold.type == action.label && (gold.type == 0 || (gold.first == t) == (t == s.at));
    if (!same) ++next.errors;
  }
  return next;
}

void ChunkSpace::features(const State& s, uint32_t candidate, search::FeatureSink& sink) const {
  blocks_.for_each_of(s.at, candidate + 1, [&](uint32_t block) { sink.block(block); });
  visit_entries<Entries::kAll>(s, candidate, [&](uint64_t hash, const auto&) { sink.add(hash); });
}

void ChunkSpace::shared_features(const State& s, search::FeatureSink& sink) const {
  sink.block(blocks_.begin(s.at));
  visit_entries<Entries::kShared>(s, 0, [&](uint64_t hash, const auto&) { sink.add(hash); });
}

void ChunkSpace::added_features(const State& s, uint32_t candidate, search::FeatureSink& sink) const {
  const size_t t = s.at + candidate;
  if (candidate == 0) return;
  sink.block(blocks_.inside(t));
  sink.block(blocks_.pair(t - 1));
  if (candidate > 1) sink.block(blocks_.triple(t - 2));
  if (blocks_.places) sink.block(blocks_.place(t, candidate));
}

void ChunkSpace::own_features(const State& s, uint32_t candidate, search::FeatureSink& sink) const {
  sink.block(blocks_.end(s.at + candidate));
  sink.block(blocks_.whole(s.at, candidate + 1));
  visit_entries<Entries::kOwn>(s, candidate, [&](uint64_t hash, const auto&) { sink.add(hash); });
}

template <ChunkSpace::Entries kWhich, typename Emit>
void ChunkSpace::visit_entries(const State& s, uint32_t candidate, const Emit& emit) const {
  const auto shared = [&](uint64_t hash, const auto& of) {
    if constexpr (kWhich != Entries::kOwn) emit(hash, of);
  };
  const auto own = [&](uint64_t hash, const auto& of) {
    if constexpr (kWhich != Entries::kShared) emit(hash, of);
  };
  const auto name = [&](data::Label type) { return type == kNoType ? std::string("^") : plan_.types[type]; };
  const data::Label* const types = s.types.data();
  const data::Label last_type = plan_.history > 0 ? types[0] : kNoType;
  const uint64_t last = last_type;
  shared(entry(kAfterType, last), [&] { return "after " + name(last_type); });
  uint64_t gram = last;
  for (size_t n = 1; n < plan_.history; ++n) {
    gram = hash_combine(gram, types[n]);
    shared(entry(n == 1 ? kAfterTwo : kAfterMore, gram), [&] {
      std::string text = "after";
      for (size_t i = n + 1; i-- > 0;) text += " " + name(types[i]);
      return text;
    });
  }
  own(hash_combine(entry(kAfterLength, last), candidate),
      [&] { return fmt::format("{} words after {}", candidate + 1, name(last_type)); });
  if (input_.looks.empty() || plan_.history == 0) return;
  const TokenLook none{}, &first = input_.looks[s.at];
  const size_t end = s.at + candidate + 1;
  shared(hash_combine(entry(kAfterTag, last), first.tag),
         [&] { return "kind of the first word after " + name(last_type); });
  shared(hash_combine(entry(kAfterFirst, last), first.word),
         [&] { return "first word after " + name(last_type); });
  uint64_t tags = hash_combine(entry(kAfterTags, last), candidate);
  for (size_t t = s.at; t < end && kWhich != Entries::kShared; ++t)
    tags = hash_combine(tags, input_.looks[t].tag);
  own(tags, [&] { return "kinds of all words after " + name(last_type); });
  own(hash_combine(tags, (end < input_.length ? input_.looks[end] : none).tag),
      [&] { return "kinds of all words and the next after " + name(last_type); });
  if (kWhich == Entries::kOwn || last_type == kNoType) return;
  // The words of the previous chunk: the last; the first together with the length; each of the others, pairs,
  // and all of them.
  const auto word = [&](size_t t) { return input_.looks[t].word; };
  shared(hash_combine(entry(kAfterWord, last), word(s.at - 1)),
         [&] { return "last word of the " + name(last_type) + " before"; });
  shared(hash_combine(hash_combine(entry(kAfterEnds, last), word(s.last_begin)), s.at - s.last_begin), [&] {
    return fmt::format("first word and length {} of the {} before", s.at - s.last_begin, name(last_type));
  });
  if (!plan_.words_before || s.at - s.last_begin == 1) return;
  uint64_t all = entry(kAfterAllWords, last);
  for (size_t t = s.last_begin; t < s.at; ++t) {
    const size_t place = t - s.last_begin + 1;
    all = hash_combine(all, word(t));
    if (t + 1 == s.at) break;
    shared(hash_combine(entry(kAfterAnyWord, last), word(t)),
           [&] { return fmt::format("word {} of the {} before", place, name(last_type)); });
    shared(hash_combine(hash_combine(entry(kAfterWordPair, last), word(t)), word(t + 1)), [&] {
      return fmt::format("words {} and {} of the {} before", place, place + 1, name(last_type));
    });
  }
  shared(all, [&] { return fmt::format("all words of the {} before", name(last_type)); });
}

std::string ChunkSpace::entry_name(const State& s, uint32_t candidate, size_t i) const {
  std::string found;
  visit_entries<Entries::kAll>(s, candidate, [&](uint64_t, const auto& name) {
    if (i-- == 0) found = name();
  });
  return found;
}

double ChunkSpace::best_loss(const State& s) const {
  // Inside a gold chunk that began earlier, the next token cannot continue it.
  const bool cut = s.at < input_.length && gold_at(s.at).first < s.at;
  switch (plan_.loss) {
    case SequenceLoss::kHamming:
      return s.errors + (cut ? 1 : 0);
    case SequenceLoss::kZeroOne:
      return s.errors > 0 || cut ? 1 : 0;
    case SequenceLoss::kF1: {
      const double total = gold_begins_after_[0], rest = gold_begins_after_[s.at];
      if (total + s.predicted + rest == 0) return 0;
      return std::max(total, 1.0) * (1 - 2 * (s.correct + rest) / (total + s.predicted + rest));
    }
  }
  return 0;
}

void ChunkSpace::optimal_actions(const State& s, std::vector<Action>& out) const {
  const Chunk& gold = gold_at(s.at);
  if (gold.first == s.at) {
    out.push_back({gold.length - 1, gold.type});
  } else if (plan_.loss == SequenceLoss::kF1) {
    out.push_back({0, 0});  // the gold chunk is lost: outside (equation 18)
  } else {
    out.push_back({gold.first + gold.length - s.at - 1, gold.type});
  }
  if (allowed(s, out.back())) return;
  // Constraints forbid it after the earlier decisions: take outside, or else the first action they allow.
  out.back() = {0, 0};
  if (allowed(s, out.back())) return;
  std::vector<Action> left;
  actions(s, left);
  if (!left.empty()) out.back() = left.front();
}

Result<std::vector<constrain::Move>> chunk_moves(const DecisionPlan& plan) {
  if (plan.scheme == data::Scheme::kIob1 || plan.scheme == data::Scheme::kIoe1)
    return fail(
        "in {} a chunk's labels depend on its neighbours, so constraints are not supported in a search by "
        "chunks; use unit=word or another scheme",
        data::scheme_name(plan.scheme));
  std::vector<constrain::Move> moves;
  for (uint32_t type = 0; type < plan.types.size(); ++type) {
    const Chunk one[] = {{0, 1, type}}, three[] = {{0, 3, type}};
    constrain::Move move;
    move.single = move.first = move.middle = move.last = labels_of(plan, one, 1)[0];
    if (type > 0) {
      const std::vector<data::Label> labels = labels_of(plan, three, 3);
      move.first = labels[0];
      move.middle = labels[1];
      move.last = labels[2];
      move.longest = plan.max_length;
    }
    moves.push_back(move);
  }
  return moves;
}

std::vector<Chunk> chunks_of(const DecisionPlan& plan, std::span<const data::Label> labels, size_t longest,
                             size_t* cut) {
  std::vector<std::string_view> texts;
  for (const data::Label l : labels)
    texts.push_back(l == data::kNoLabel ? data::kUnknownLabelText : std::string_view(plan.labels.name(l)));
  std::vector<Chunk> chunks;
  uint32_t at = 0;
  const auto fill_up_to = [&](size_t t) {
    for (; at < t; ++at) chunks.push_back({at, 1, 0});
  };
  for (const data::Span& span : data::spans(texts, plan.scheme)) {
    fill_up_to(span.first);
    const auto type = static_cast<uint32_t>(std::find(plan.types.begin(), plan.types.end(), span.type) -
                                            plan.types.begin());
    if (span.last - span.first > longest && cut != nullptr) ++*cut;
    for (; at < span.last; at += chunks.back().length)
      chunks.push_back({at, static_cast<uint32_t>(std::min(longest, span.last - at)), type});
  }
  fill_up_to(labels.size());
  return chunks;
}

std::vector<data::Label> labels_of(const DecisionPlan& plan, std::span<const Chunk> chunks, size_t length) {
  std::vector<data::Span> segments;
  for (const Chunk& chunk : chunks)
    if (chunk.type != 0)
      segments.push_back({chunk.first, chunk.first + chunk.length, plan.types[chunk.type]});
  std::vector<data::Label> labels;
  for (const std::string& text : data::encode(segments, length, plan.scheme))
    labels.push_back(plan.labels.find(text).value());
  return labels;
}

void add_scheme_labels(DecisionPlan& plan) {
  data::LabelSet labels = plan.labels;
  for (size_t type = 1; type < plan.types.size(); ++type)
    for (const size_t length : {1, 2, 3}) {
      // Two segments in a row, for schemes in which adjacent segments get other labels.
      const data::Span twice[] = {{0, length, plan.types[type]}, {length, 2 * length, plan.types[type]}};
      for (const std::string& text : data::encode(twice, 2 * length, plan.scheme)) labels.add(text);
    }
  labels.add("O");
  const DecisionPlan fresh = DecisionPlan::of(std::move(labels), plan.scheme);
  plan.labels = fresh.labels;
  plan.tags = fresh.tags;
  plan.types = fresh.types;
  plan.column_begin = fresh.column_begin;
  plan.column_labels = fresh.column_labels;
}

}  // namespace espalier::tasks
