// The features of a classifier of roles (after Gildea and Jurafsky 2002, Xue and Palmer 2004):
// role_sequence() and is_passive() of roles.h. Tested in roles_test.cc.
#include <algorithm>

#include "espalier/base/text/text.h"
#include "espalier/tasks/structures/roles.h"

namespace espalier::tasks {

namespace {

std::string lower(std::string_view text) {
  std::string out;
  to_lower(text, out);
  return out;
}

bool is_be_or_get(const std::string& word) {
  static constexpr std::string_view kForms[] = {"be",   "am",   "is",    "are",    "was",
                                                "were", "been", "being", "get",    "gets",
                                                "got",  "'s",   "'re",   "gotten", "getting"};
  return std::find(std::begin(kForms), std::end(kForms), lower(word)) != std::end(kForms);
}

/// The path up to its highest point: how the candidate is attached in the tree.
std::string_view rising_part(std::string_view path) {
  return path.substr(0, std::min(path.find('!'), path.size()));
}

class RoleFeatures {
 public:
  explicit RoleFeatures(const RolePredicate& predicate)
      : p_(predicate),
        voice_(is_passive(predicate) ? "passive" : "active"),
        verb_pos_(predicate.pos[predicate.position]),
        layout_(layout()) {}

  void add_row(size_t i, data::Sequence& out) {
    const RoleCandidate& c = p_.candidates[i];
    out_ = &out;
    out.begin_row("", p_.line);
    out.add_cell(c.head_word);  // in the order of RoleCell
    out.add_cell(p_.sense);
    out.add_cell(p_.lemma);
    out.add_cell(c.label);
    out.add_cell(std::to_string(c.begin));
    out.add_cell(std::to_string(c.end));
    const std::string position = c.begin > p_.position ? "after" : c.end <= p_.position ? "before" : "around";
    const std::string hw = lower(c.head_word), first = lower(p_.tokens[c.begin]),
                      last = lower(p_.tokens[c.end - 1]);
    const std::string& hp = p_.pos[c.head];
    const std::string path(c.path), rising(rising_part(c.path));
    const std::string steps =
        std::to_string(std::count_if(path.begin(), path.end(), [](char x) { return x == '^' || x == '!'; }));
    const std::string before = c.begin > 0 ? lower(p_.tokens[c.begin - 1]) : "<s>";
    const std::string after = c.end < p_.tokens.size() ? lower(p_.tokens[c.end]) : "</s>";
    const std::string suffix = last.size() > 2 ? last.substr(last.size() - 2) : last;
    add("bias");
    add("hw", hw);
    add("hp", hp);
    add("lab", c.label);
    add("path", path);
    add("rise", rising);
    add("pos", position);
    add("voice", voice_, position);
    add("lemma", p_.lemma);
    add("sense", p_.sense);
    add("first", first);
    add("last", last);
    add("firstp", p_.pos[c.begin]);
    add("lastp", p_.pos[c.end - 1]);
    add("before", before);
    add("after", after);
    add("steps", steps, position);
    add("len", std::to_string(std::min<size_t>(c.end - c.begin, 8)));
    add("layout", layout_[i]);
    // Conjunctions.
    add("lab+hw", c.label, hw);
    add("lab+pos", c.label, position + voice_);
    add("lab+first", c.label, first);
    add("lab+last2", c.label, suffix);
    add("hw+pos", hw, position);
    add("path+voice", path, voice_);
    add("lemma+path", p_.lemma, path);
    add("lemma+lab", p_.lemma, c.label + position);
    add("lemma+hw", p_.lemma, hw);
    add("lemma+first", p_.lemma, first);
    add("sense+lab", p_.sense, c.label + position + voice_);
    add("sense+path", p_.sense, path);
    add("sense+rise", p_.sense, rising + position + voice_);
    add("sense+layout", p_.sense, layout_[i]);
    add("sense+first", p_.sense, c.label + first);
    add("layout+voice", layout_[i], voice_ + verb_pos_);
    add("vpos+lab", verb_pos_, c.label + position);
    add("first+last", first, last);
    if (c.label == "PP" && c.end > c.begin + 1) {  // the object of the preposition
      const std::string inner = lower(p_.tokens[c.end - 1]);
      add("pp", first, inner);
      add("pp+lemma", p_.lemma, first + "_" + p_.pos[c.end - 1]);
      add("pp+lastp", first, p_.pos[c.end - 1]);
    }
    out.set_label(c.role);
  }

 private:
  /// For each candidate, the labels of the clause's candidates around the predicate, with this one marked:
  /// the kind of frame it is part of. Only the nearest on the same level count.
  std::vector<std::string> layout() const {
    std::vector<std::string> out;
    for (size_t i = 0; i < p_.candidates.size(); ++i) {
      std::string text;
      bool verb = false;
      for (size_t j = 0; j < p_.candidates.size(); ++j) {
        const RoleCandidate& c = p_.candidates[j];
        if (!verb && c.begin > p_.position) {
          text += "v ";
          verb = true;
        }
        const bool noun =
            c.label == "NP" || c.label == "SBAR" || c.label == "S" || c.label == "PP" || c.label == "WHNP";
        if (j == i) {
          text += "* ";
        } else if (noun && c.path.size() < 24) {
          text += c.label + " ";
        }
      }
      if (!verb) text += "v";
      out.push_back(std::move(text));
    }
    return out;
  }

  void add(std::string_view name) { out_->add_attribute(name, 1); }
  void add(std::string_view name, std::string_view value) {
    text_.assign(name).append("=").append(value);
    out_->add_attribute(text_, 1);
  }
  void add(std::string_view name, std::string_view a, std::string_view b) {
    text_.assign(name).append("=").append(a).append("&").append(b);
    out_->add_attribute(text_, 1);
  }

  const RolePredicate& p_;
  std::string voice_, verb_pos_;
  std::vector<std::string> layout_;
  data::Sequence* out_ = nullptr;
  std::string text_;
};

}  // namespace

bool is_passive(const RolePredicate& predicate) {
  if (predicate.pos[predicate.position] != "VBN") return false;
  constexpr size_t kWindow = 5;
  for (size_t back = 1; back <= kWindow && back <= predicate.position; ++back) {
    const size_t i = predicate.position - back;
    if (is_be_or_get(predicate.tokens[i])) return true;
    const std::string& pos = predicate.pos[i];
    if (lower(predicate.tokens[i]) == "have" || lower(predicate.tokens[i]) == "has" ||
        lower(predicate.tokens[i]) == "had" || lower(predicate.tokens[i]) == "'ve")
      return false;
    // Adverbs, auxiliaries and the subject of a question may come between.
    if (pos.starts_with("RB") || pos.starts_with("VB") || pos == "MD" || pos.starts_with("PRP")) continue;
    // A participle after a noun modifies it: the book written by her.
    return pos.starts_with("NN");
  }
  return predicate.position == 0;
}

data::Sequence role_sequence(const RolePredicate& predicate) {
  data::Sequence out;
  out.clear(kRoleCells);
  RoleFeatures features(predicate);
  for (size_t i = 0; i < predicate.candidates.size(); ++i) features.add_row(i, out);
  return out;
}

}  // namespace espalier::tasks
