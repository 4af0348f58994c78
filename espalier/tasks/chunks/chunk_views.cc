#include "espalier/tasks/chunks/chunk_views.h"

#include <algorithm>

#include "espalier/base/hash.h"
#include "espalier/base/text/text.h"

namespace espalier::tasks {

namespace {
constexpr size_t kLongestAffix = 3;

/// Avoids the hashes with a special meaning.
uint64_t hash_of_view(std::string_view text) {
  const uint64_t hash = hash_bytes(text);
  return hash == ChunkViews::kAbsent || hash == ChunkViews::kOutside ? ~hash : hash;
}
}  // namespace

ChunkViews::ChunkViews() = default;
ChunkViews::~ChunkViews() = default;
ChunkViews::ChunkViews(ChunkViews&&) noexcept = default;
ChunkViews& ChunkViews::operator=(ChunkViews&&) noexcept = default;

size_t common_beginning(std::string_view word, std::string_view stem) {
  const auto parts = std::mismatch(word.begin(), word.end(), stem.begin(), stem.end());
  auto at = static_cast<size_t>(parts.first - word.begin());
  // Not inside a character.
  while (at > 0 && at < word.size() && (static_cast<unsigned char>(word[at]) & 0xC0) == 0x80) --at;
  return at;
}

void ChunkViews::list_views(const ChunkFeatureOptions& options) {
  views_.clear();
  tags_.clear();
  for (std::vector<size_t>& views : ways_) views.clear();
  if (options.columns.empty()) return;
  const auto add = [&](ChunkBase base, size_t number, std::string name) {
    const uint64_t key = hash_combine(static_cast<uint64_t>(base), hash_bytes(name));
    views_.push_back({base, number, key, std::move(name)});
  };
  add(ChunkBase::kWord, 0, "word");
  add(ChunkBase::kLower, 0, "low");
  if (!options.stemmer.empty()) {
    add(ChunkBase::kStem, 0, "stem");
    add(ChunkBase::kRest, 0, "rest");
  }
  add(ChunkBase::kCase, 0, "case");
  for (size_t n = 0; n < 2 * kLongestAffix; ++n)
    add(ChunkBase::kAffixes, n,
        fmt::format("{}{}", n < kLongestAffix ? "pre" : "suf", n % kLongestAffix + 1));
  for (size_t c = 1; c < options.columns.size(); ++c) {
    tags_.push_back(views_.size());
    add(ChunkBase::kSymbols, c, fmt::format("x{}", c));
    add(ChunkBase::kInitials, c, fmt::format("x{} first", c));
  }
  for (size_t l = 0; l < options.lists.size(); ++l) add(ChunkBase::kLists, l, "in " + options.lists[l].name);
  for (size_t v = 0; v < views_.size() && tags_.empty(); ++v)
    if (views_[v].base == ChunkBase::kCase) tags_.push_back(v);
  for (size_t way = 0; way < kChunkWays; ++way)
    for (size_t v = 0; v < views_.size(); ++v)
      if (options.meta.has(static_cast<ChunkWay>(way), views_[v].base)) ways_[way].push_back(v);
}

bool ChunkViews::text_of(size_t token, const View& view, std::string_view& text) const {
  const std::string_view word = sequence_->cell(token, options_->columns[0]);
  switch (view.base) {
    case ChunkBase::kWord:
      text = word;
      return true;
    case ChunkBase::kLower:
      text = lower_[token];
      return true;
    case ChunkBase::kStem:
      text = stem_[token];
      return true;
    case ChunkBase::kRest:
      text = std::string_view(lower_[token]).substr(common_beginning(lower_[token], stem_[token]));
      return true;
    case ChunkBase::kCase:
      short_shape(word, made_);
      text = made_;
      return true;
    case ChunkBase::kAffixes: {
      const size_t n = view.number % kLongestAffix + 1;
      const bool prefix = view.number < kLongestAffix;
      const size_t bytes = prefix ? prefix_bytes(word, n) : suffix_bytes(word, n);
      if (bytes == kNoSuchLength) return false;
      text = prefix ? word.substr(0, bytes) : word.substr(word.size() - bytes);
      return true;
    }
    case ChunkBase::kSymbols:
      text = sequence_->cell(token, options_->columns[view.number]);
      return true;
    case ChunkBase::kInitials: {
      const std::string_view symbol = sequence_->cell(token, options_->columns[view.number]);
      const size_t bytes = prefix_bytes(symbol, 1);
      text = symbol.substr(0, bytes == kNoSuchLength ? 0 : bytes);
      return bytes != kNoSuchLength;
    }
    case ChunkBase::kLists:
      text = "yes";
      return options_->lists[view.number].has(hash_bytes(lower_[token]));
  }
  return false;
}

void ChunkViews::look_at(const data::Sequence& sequence, const ChunkFeatureOptions& options) {
  if (language_ != options.stemmer) {
    language_ = options.stemmer;
    auto made = data::Stemmer::make(language_);
    ESPALIER_CHECK(made.ok());  // ChunkFeatures::make has seen to it
    stemmer_ = std::move(made).value();
  }
  options_ = &options;
  list_views(options);
  sequence_ = &sequence;
  tokens_ = sequence.length();
  hashes_.assign(tokens_ * views_.size(), kAbsent);
  if (views_.empty()) return;
  if (lower_.size() < tokens_) {
    lower_.resize(tokens_);
    stem_.resize(tokens_);
  }
  for (size_t t = 0; t < tokens_; ++t) {
    to_lower(sequence.cell(t, options.columns[0]), lower_[t]);
    if (!stemmer_.leaves_words()) stem_[t] = stemmer_.stem(lower_[t]);
    std::string_view text;
    for (size_t v = 0; v < views_.size(); ++v)
      if (text_of(t, views_[v], text)) hashes_[t * views_.size() + v] = hash_of_view(text);
  }
}

std::string ChunkViews::text(ptrdiff_t token, size_t view) const {
  if (token < 0 || token >= static_cast<ptrdiff_t>(tokens_)) return "^";
  std::string_view text;
  return text_of(static_cast<size_t>(token), views_[view], text) ? std::string(text) : "-";
}

std::string ChunkViews::phrase(size_t first, size_t length) const {
  std::string joined;
  for (size_t i = 0; i < length; ++i) joined += (i > 0 ? " " : "") + lower_[first + i];
  return joined;
}

}  // namespace espalier::tasks
