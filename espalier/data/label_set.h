// The labels of a model and their numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace espalier::data {

using Label = uint16_t;
/// No label: an unlabelled token, or a label not seen in training.
inline constexpr Label kNoLabel = 0xFFFF;
/// The text of an unknown label (partial annotation).
inline constexpr std::string_view kUnknownLabelText = "_";

/// Maps label texts to 0 … size()−1, in order of first appearance, and back.
///
/// A set can be refined: a label then stands for a text together with a place in a segment (a character:
/// first, inside, last …), so several labels have the same text. This is how models learn in a finer scheme
/// than that of their data (label_scheme.h, segment_places). plain() has each text once, in the order of the
/// refined set; plain_number() leads from one to the other.
class LabelSet {
 public:
  size_t size() const { return names_.size(); }
  const std::string& name(Label label) const { return names_[label]; }
  const std::vector<std::string>& names() const { return names_; }

  /// In a refined set the first label of that text.
  std::optional<Label> find(std::string_view name) const {
    const auto it = numbers_.find(name);
    return it == numbers_.end() ? std::nullopt : std::optional<Label>(it->second);
  }
  /// Number of the label, adding it if it is new. Precondition: fewer than 65,535 labels, not refined.
  Label add(std::string_view name) {
    if (const auto it = numbers_.find(name); it != numbers_.end()) return it->second;
    const Label number = static_cast<Label>(names_.size());
    names_.emplace_back(name);
    numbers_.emplace(names_.back(), number);
    return number;
  }
  bool operator==(const LabelSet& other) const { return names_ == other.names_ && places_ == other.places_; }

  // Refined sets. All labels of one are added with a place.
  bool refined() const { return !places_.empty(); }
  const std::string& places() const { return places_; }  ///< of every label; empty unless refined
  std::optional<Label> find(std::string_view name, char place) const {
    for (size_t label = 0; label < places_.size(); ++label)
      if (places_[label] == place && names_[label] == name) return static_cast<Label>(label);
    return std::nullopt;
  }
  Label add(std::string_view name, char place) {
    if (const auto known = find(name, place)) return *known;
    const Label number = static_cast<Label>(names_.size());
    names_.emplace_back(name);
    places_.push_back(place);
    const auto [first, is_new] = numbers_.emplace(name, number);
    plain_.push_back(is_new ? plain_count_++ : plain_[first->second]);
    return number;
  }
  /// The number of a label's text in plain().
  Label plain_number(Label label) const { return refined() ? plain_[label] : label; }
  /// The same for every label; empty unless refined.
  std::span<const Label> plain_numbers() const { return plain_; }
  LabelSet plain() const {
    LabelSet out;
    for (const std::string& name : names_) out.add(name);
    return out;
  }

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, Label, TextHash, std::equal_to<>> numbers_;
  std::string places_;
  std::vector<Label> plain_;
  Label plain_count_ = 0;
};

}  // namespace espalier::data
