// The labels of a model and their numbers.
#pragma once

#include <cstdint>
#include <optional>
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
class LabelSet {
 public:
  size_t size() const { return names_.size(); }
  const std::string& name(Label label) const { return names_[label]; }
  const std::vector<std::string>& names() const { return names_; }

  std::optional<Label> find(std::string_view name) const {
    const auto it = numbers_.find(name);
    return it == numbers_.end() ? std::nullopt : std::optional<Label>(it->second);
  }
  /// Number of the label, adding it if it is new. Precondition: fewer than 65,535 labels.
  Label add(std::string_view name) {
    if (const auto it = numbers_.find(name); it != numbers_.end()) return it->second;
    const Label number = static_cast<Label>(names_.size());
    names_.emplace_back(name);
    numbers_.emplace(names_.back(), number);
    return number;
  }
  bool operator==(const LabelSet& other) const { return names_ == other.names_; }

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, Label, TextHash, std::equal_to<>> numbers_;
};

}  // namespace espalier::data
