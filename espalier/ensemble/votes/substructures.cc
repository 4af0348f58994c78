#include "espalier/ensemble/votes/substructures.h"

#include <algorithm>
#include <array>

#include "espalier/base/text/text.h"

namespace espalier::ensemble {
namespace {

constexpr std::array<std::string_view, 6> kKindNames = {"positions", "classes", "tokens",
                                                        "ngrams",    "spans",   "dimensions"};
constexpr Value kNo = 0, kYes = 1;

Value value_of(data::Label label) { return label == data::kNoLabel ? kAbsent : label; }

}  // namespace

Result<SubstructureOptions> parse_substructures(std::string_view text) {
  SubstructureOptions options;
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view detail = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const auto it = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (it == kKindNames.end())
    return fail(
        "unknown substructures '{}'; there are positions, classes, tokens, ngrams:2, ngrams:3, spans and "
        "dimensions:|",
        text);
  options.kind = static_cast<SubstructureKind>(it - kKindNames.begin());
  if (options.kind == SubstructureKind::kNgrams) {
    if (detail != "2" && detail != "3")
      return fail("substructures '{}': n-grams are ngrams:2 or ngrams:3", text);
    options.order = detail == "2" ? 2 : 3;
  } else if (options.kind == SubstructureKind::kDimensions) {
    if (detail.size() != 1)
      return fail(
          "substructures '{}': name the one character between the parts of a label, as in dimensions:|",
          text);
    options.separator = detail[0];
  } else if (!detail.empty()) {
    return fail("substructures '{}': nothing may follow the colon of {}", text, name);
  }
  return options;
}

std::string substructures_text(const SubstructureOptions& options) {
  std::string text(kKindNames[static_cast<size_t>(options.kind)]);
  if (options.kind == SubstructureKind::kNgrams) text += fmt::format(":{}", options.order);
  if (options.kind == SubstructureKind::kDimensions) text += fmt::format(":{}", options.separator);
  return text;
}

size_t position_class(size_t position, size_t length) {
  const size_t from_back = length - 1 - position;
  if (position < 3 && position <= from_back) return position;
  if (from_back < 3) return kPositionClasses - 1 - from_back;
  return 3;
}

std::string_view position_class_name(size_t position_class) {
  constexpr std::array<std::string_view, kPositionClasses> kNames = {
      "first", "second", "third", "middle", "third last", "second last", "last"};
  return kNames[position_class];
}

Substructures::Substructures(const SubstructureOptions& options, data::LabelSet& labels, data::Scheme scheme)
    : options_(options), labels_(labels), scheme_(scheme) {
  // Slots of spans go by the type's first label, so that a model's label set brings its slots back.
  for (const std::string& name : labels.names())
    if (const auto parts = data::parse_label(name); parts && parts->prefix != 'O') types_.add(parts->type);
}

uint32_t Substructures::slot_of_token(size_t position, size_t length) const {
  switch (options_.kind) {
    case SubstructureKind::kPositions:
      return static_cast<uint32_t>(position);
    case SubstructureKind::kTokens:
      return 0;
    default:
      return static_cast<uint32_t>(position_class(position, length));
  }
}

void Substructures::begin(size_t experts, bool gold) {
  experts_ = experts;
  has_gold_ = gold;
  slot_.clear();
  gold_.clear();
  votes_.clear();
  candidates_.clear();
}

VoteView Substructures::encode(const TokenVotes& tokens) {
  begin(tokens.experts, !tokens.gold.empty());
  switch (options_.kind) {
    case SubstructureKind::kNgrams:
      encode_ngrams(tokens);
      break;
    case SubstructureKind::kSpans:
      encode_spans(tokens);
      break;
    case SubstructureKind::kDimensions:
      encode_dimensions(tokens);
      break;
    default:
      encode_tokens(tokens);
  }
  ESPALIER_CHECK(tokens.probability.empty() || items_are_tokens());
  return {experts_, slot_, gold_, votes_, tokens.probability};
}

void Substructures::encode_tokens(const TokenVotes& tokens) {
  const size_t length = tokens.length();
  slot_.resize(length);
  for (size_t t = 0; t < length; ++t) slot_[t] = slot_of_token(t, length);
  if (has_gold_) {
    gold_.resize(length);
    std::transform(tokens.gold.begin(), tokens.gold.end(), gold_.begin(), value_of);
  }
  votes_.resize(tokens.votes.size());
  std::transform(tokens.votes.begin(), tokens.votes.end(), votes_.begin(), value_of);
}

Value Substructures::intern_ngram(const data::Label* last_first) {
  uint64_t key = 0;
  for (size_t i = 0; i < options_.order; ++i) key = key << 16 | last_first[i];
  const auto [it, fresh] = ngrams_.try_emplace(key, static_cast<Value>(ngrams_.size()));
  if (fresh) ngram_labels_.insert(ngram_labels_.end(), last_first, last_first + options_.order);
  return it->second;
}

void Substructures::encode_ngrams(const TokenVotes& tokens) {
  const size_t length = tokens.length(), n = options_.order;
  std::array<data::Label, 3> gram{};
  // label_at(t) of an expert or of gold; false where one of the labels is not known.
  const auto gram_at = [&](size_t t, auto&& label_at) {
    for (size_t i = 0; i < n; ++i) {
      gram[i] = i > t ? data::kNoLabel : label_at(t - i);
      if (i <= t && gram[i] == data::kNoLabel) return kAbsent;
    }
    return intern_ngram(gram.data());
  };
  for (size_t t = 0; t < length; ++t) {
    slot_.push_back(slot_of_token(t, length));
    if (has_gold_) gold_.push_back(gram_at(t, [&](size_t at) { return tokens.gold[at]; }));
    for (size_t j = 0; j < experts_; ++j)
      votes_.push_back(gram_at(t, [&](size_t at) { return tokens.label(at, j); }));
  }
}

void Substructures::encode_spans(const TokenVotes& tokens) {
  const size_t length = tokens.length();
  std::vector<std::string_view> texts(length);
  std::vector<data::Span> spans;
  // Who has which span; gold is one more voice, the last.
  std::vector<std::vector<Candidate>> found(experts_ + (has_gold_ ? 1 : 0));
  for (size_t j = 0; j < found.size(); ++j) {
    for (size_t t = 0; t < length; ++t) {
      const data::Label label = j < experts_ ? tokens.label(t, j) : tokens.gold[t];
      texts[t] = label == data::kNoLabel ? data::kUnknownLabelText : std::string_view(labels_.name(label));
    }
    data::spans(texts, scheme_, spans);
    for (const data::Span& span : spans)
      found[j].push_back(
          {static_cast<uint32_t>(span.first), static_cast<uint32_t>(span.last), types_.add(span.type)});
    for (const Candidate& candidate : found[j])
      if (std::find(candidates_.begin(), candidates_.end(), candidate) == candidates_.end())
        candidates_.push_back(candidate);
  }
  const auto has = [&](size_t j, const Candidate& candidate) {
    return std::find(found[j].begin(), found[j].end(), candidate) != found[j].end();
  };
  std::vector<uint8_t> silent(experts_);
  for (size_t j = 0; j < experts_; ++j) silent[j] = tokens.silent(j);
  for (const Candidate& candidate : candidates_) {
    slot_.push_back(candidate.type);
    if (has_gold_) gold_.push_back(has(experts_, candidate) ? kYes : kNo);
    for (size_t j = 0; j < experts_; ++j)
      votes_.push_back(silent[j] ? kAbsent : has(j, candidate) ? kYes : kNo);
  }
}

void Substructures::encode_dimensions(const TokenVotes& tokens) {
  // Labels are taken apart once; each part is a value of its dimension. A label with fewer parts than others
  // has empty ones in their place.
  for (size_t label = parts_of_.size(); label < labels_.size(); ++label) {
    std::vector<Value> parts;
    std::string_view rest = labels_.name(static_cast<data::Label>(label));
    while (true) {
      const size_t end = rest.find(options_.separator);
      parts.push_back(parts_.add(rest.substr(0, end)));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
    dimensions_ = std::max(dimensions_, parts.size());
    parts_of_.push_back(std::move(parts));
  }
  const Value none = parts_.add("");
  const auto part = [&](data::Label label, size_t d) {
    if (label == data::kNoLabel) return kAbsent;
    return d < parts_of_[label].size() ? parts_of_[label][d] : none;
  };
  const size_t length = tokens.length();
  for (size_t t = 0; t < length; ++t)
    for (size_t d = 0; d < dimensions_; ++d) {
      // Dimension first: dimensions that appear later do not renumber the slots of the others.
      slot_.push_back(static_cast<uint32_t>(d * kPositionClasses + position_class(t, length)));
      if (has_gold_) gold_.push_back(part(tokens.gold[t], d));
      for (size_t j = 0; j < experts_; ++j) votes_.push_back(part(tokens.label(t, j), d));
    }
}

void Substructures::assemble(size_t length, std::span<const ItemWinner> winners,
                             std::vector<data::Label>& out, std::vector<double>& confidence) {
  if (options_.kind == SubstructureKind::kSpans)
    assemble_spans(length, winners, out, confidence);
  else
    assemble_dimensions(length, winners, out, confidence);
}

void Substructures::assemble_spans(size_t length, std::span<const ItemWinner> winners,
                                   std::vector<data::Label>& out, std::vector<double>& confidence) {
  // The disjoint spans of largest Σ (share of yes − share of no): best[e] for tokens before e.
  struct Choice {
    double score = 0;
    size_t candidate = SIZE_MAX;
  };
  std::vector<Choice> best(length + 1);
  confidence.assign(length, 1);
  for (size_t e = 1; e <= length; ++e) {
    best[e] = {best[e - 1].score, SIZE_MAX};
    for (size_t c = 0; c < candidates_.size(); ++c) {
      if (candidates_[c].last != e) continue;
      const double yes = winners[c].value == kYes ? winners[c].share : 1 - winners[c].share;
      const double score = best[candidates_[c].first].score + 2 * yes - 1;
      if (score > best[e].score) best[e] = {score, c};
    }
  }
  for (size_t c = 0; c < candidates_.size(); ++c)  // how sure the least sure decision about a token is
    for (size_t t = candidates_[c].first; t < candidates_[c].last; ++t)
      confidence[t] = std::min(confidence[t], winners[c].share);
  std::vector<data::Span> chosen;
  for (size_t e = length; e > 0;) {
    const size_t c = best[e].candidate;
    if (c == SIZE_MAX) {
      --e;
      continue;
    }
    chosen.push_back({candidates_[c].first, candidates_[c].last,
                      types_.name(static_cast<data::Label>(candidates_[c].type))});
    e = candidates_[c].first;
  }
  std::reverse(chosen.begin(), chosen.end());
  out.clear();
  for (const std::string& label : data::encode(chosen, length, scheme_)) out.push_back(labels_.add(label));
}

void Substructures::assemble_dimensions(size_t length, std::span<const ItemWinner> winners,
                                        std::vector<data::Label>& out, std::vector<double>& confidence) {
  out.clear();
  confidence.assign(length, 1);
  std::string text;
  for (size_t t = 0; t < length; ++t) {
    text.clear();
    bool said = true;
    size_t last = 0;  // behind the last part that is not empty
    for (size_t d = 0; d < dimensions_; ++d) {
      const ItemWinner& winner = winners[t * dimensions_ + d];
      if (winner.value == kAbsent) {
        said = false;
        break;
      }
      if (d > 0) text.push_back(options_.separator);
      text += parts_.name(static_cast<data::Label>(winner.value));
      if (!parts_.name(static_cast<data::Label>(winner.value)).empty()) last = text.size();
      confidence[t] *= winner.share;
    }
    text.resize(last);
    out.push_back(said ? labels_.add(text) : data::kNoLabel);
  }
}

}  // namespace espalier::ensemble
