#include "espalier/data/synth/synth_grammar.h"

#include <map>
#include <optional>
#include <sstream>

#include "espalier/base/result.h"
#include "espalier/data/synth/synth_words.h"

namespace espalier::data {
namespace {

/// One rule per line: symbol, weight, expansion. `NP:…`, `VP:…` and the like are chunks, `PER:…`, `LOC:…`,
/// `ORG:…`, `MISC:…` entities; `TAG/words` is a word of that tag from a list below, `TAG=word` the word
/// itself. The numbers 1 and 2 in names are singular and plural. The first rule of a symbol terminates; deep
/// sentences use it.
constexpr std::string_view kRules = R"(
ROOT 10 S .=.
ROOT 3 S ,=, CC/cc S .=.
ROOT 3 PP ,=, S .=.
ROOT 3 NP:person VP:said SBAR S .=.
S 5 SUBJ1 PRED1
S 4 SUBJ2 PRED2
SUBJ1 5 NP:base1
SUBJ1 2 NP:pro1
SUBJ1 3 NP:base1 PP
SUBJ1 2 NP:base1 REL1
SUBJ1 2 NP:person
SUBJ1 2 NP:firm
SUBJ2 5 NP:base2
SUBJ2 2 NP:pro2
SUBJ2 3 NP:base2 PP
SUBJ2 2 NP:base2 REL2
SUBJ2 1 NP:person CC=and NP:person
REL1 2 NP:rel PRED1
REL1 1 NP:rel NP:pro2 VP:fin2
REL2 2 NP:rel PRED2
REL2 1 NP:rel NP:pro1 VP:fin1
NP:rel 2 WDT=that
NP:rel 1 WDT=which
PRED1 3 VP:fin1
PRED1 5 VP:fin1 OBJ
PRED1 3 VP:fin1 OBJ PP
PRED1 2 VP:fin1 PP
PRED1 2 VP:fin1 ADVP:adv
PRED1 2 VP:be1 ADJP:adj
PRED1 2 VP:fin1 VP:to OBJ
PRED2 3 VP:fin2
PRED2 5 VP:fin2 OBJ
PRED2 3 VP:fin2 OBJ PP
PRED2 2 VP:fin2 PP
PRED2 2 VP:fin2 ADVP:adv
PRED2 2 VP:be2 ADJP:adj
PRED2 2 VP:fin2 VP:to OBJ
OBJ 4 NP:base1
OBJ 3 NP:base2
OBJ 2 NP:proo
OBJ 1 NP:person
OBJ 1 NP:firm
OBJ 1 NP:base1 PP
PP 5 PP:prep NPANY
PP 3 PP:in NP:place
PP 1 PP:to NPANY
NPANY 3 NP:base1
NPANY 2 NP:base2
NPANY 1 NP:person
NPANY 1 NP:firm
PP:prep 1 IN/prep
PP:in 1 IN/in
PP:to 1 TO=to
SBAR 1 SBAR:that
SBAR:that 1 IN=that
ADVP:adv 3 RB/adv
ADVP:adv 1 RB/degree RB/adv
ADJP:adj 3 JJ/adj
ADJP:adj 1 RB/degree JJ/adj
VP:said 3 VBD/said
VP:said 1 RB/adv VBD/said
VP:to 3 TO=to VB/verb
VP:to 1 TO=to RB/adv VB/verb
VP:fin1 4 VBZ/verbs
VP:fin1 4 VBD/verbed
VP:fin1 1 RB/adv VBZ/verbs
VP:fin1 2 MD/modal ADVS VB/verb
VP:fin1 2 VBZ=has ADVS VBN/verbn
VP:fin1 2 VBZ=is ADVS VBG/verbing
VP:fin1 1 VBD=was ADVS VBN/verbn
VP:fin2 4 VBP/verb
VP:fin2 4 VBD/verbed
VP:fin2 1 RB/adv VBP/verb
VP:fin2 2 MD/modal ADVS VB/verb
VP:fin2 2 VBP=have ADVS VBN/verbn
VP:fin2 2 VBP=are ADVS VBG/verbing
VP:fin2 1 VBD=were ADVS VBN/verbn
VP:be1 2 VBZ=is
VP:be1 1 VBD=was
VP:be2 2 VBP=are
VP:be2 1 VBD=were
ADVS 5
ADVS 3 RB/adv
ADVS 1 RB/degree RB/adv
NP:base1 5 DT/det1 NN/noun
NP:base1 4 DT/det1 JJ/adj NN/noun
NP:base1 2 PRP$/poss NN/noun
NP:base1 1 PRP$/poss JJ/adj NN/noun
NP:base1 2 DT/det NN/same
NP:base1 1 DT/det JJ/adj NN/same
NP:base1 1 DT/det1 NN/noun NN/noun
NP:base1 1 DT/det1 VBN/verbn NN/noun
NP:base1 1 DT/det1 VBG/verbing NN/noun
NP:base1 1 DT/det1 MISC:people NN/noun
NP:base2 4 DT/det2 NNS/nouns
NP:base2 3 JJ/adj NNS/nouns
NP:base2 3 NNS/nouns
NP:base2 2 CD/number NNS/nouns
NP:base2 2 DT/det2 JJ/adj NNS/nouns
NP:base2 2 PRP$/poss NNS/nouns
NP:base2 2 DT/det NNS/same
NP:base2 1 DT/det JJ/adj NNS/same
NP:base2 1 DT/det2 NN/noun NNS/nouns
NP:base2 1 MISC:people NNS/nouns
NP:pro1 1 PRP/pro1
NP:pro2 1 PRP/pro2
NP:proo 1 PRP/proo
NP:person 1 PER:person
NP:firm 1 ORG:firm
NP:place 1 LOC:place
PER:person 4 NNP/first NNP/surname
PER:person 2 NNP/title NNP/surname
PER:person 2 NNP/surname
ORG:firm 3 NNP/surname NNP/firm
ORG:firm 2 NNP/place NNP/firm
ORG:firm 1 NNP/surname CC=& NNP/surname
ORG:firm 1 NNP/surname
LOC:place 5 NNP/place
LOC:place 1 NNP/compass NNP/place
MISC:people 1 JJ/people
)";

/// One list per line: name, kind of invented words (- for none), the percentage of invented words, the known
/// words.
constexpr std::string_view kLexicon = R"(
cc - 0 and or but
det - 0 the the any
det1 - 0 the the a this that every
det2 - 0 the the these those some all
poss - 0 his her its their our
pro1 - 0 he she it
pro2 - 0 they we
proo - 0 him her it them us
prep - 0 of of with on under near from for
in - 0 in in near at
modal - 0 can will may must would
degree - 0 very too quite almost
said - 0 said claimed reported denied noted
noun noun 50 play run work walk cost plan report change light can will house river meeting building right
nouns nouns 50 plays runs works walks costs plans reports changes lights houses rivers meetings buildings rights
same - 0 sheep fish deer series
verb verb 50 play run work walk cost plan report change light see like fish claim
verbs verbs 50 plays runs works walks costs plans reports changes lights sees likes claims
verbed verbed 55 played ran worked walked planned reported changed saw liked claimed noted
verbn verbed 55 played run worked walked planned reported changed seen liked claimed noted
verbing verbing 50 playing running working walking planning meeting building changing seeing
adj adjective 50 old new big light fast hard early daily right close
adv adverb 50 often never fast hard early daily right soon
number number 60 two three four five ten
first name 60 Maria Anna Jordan Chelsea Austin Victor
surname surname 75 Jordan Washington Lincoln Weller
title - 0 Mr. Mrs. Dr. President
place place 75 Jordan Washington Lincoln Austin Chelsea Paris
compass - 0 North South New
firm - 0 Corp. Inc. Bank Group
people demonym 70 German French Roman
)";

enum class Layer { kNone, kChunk, kEntity };

struct Symbol {
  Layer layer = Layer::kNone;
  std::string type;  ///< of the chunk or entity
  // A word:
  std::string tag;
  std::string word;  ///< itself, or
  std::optional<size_t> word_list;
  // Anything else:
  struct Rule {
    double weight;
    std::vector<size_t> parts;
  };
  std::vector<Rule> rules;
  double total_weight = 0;
};

struct WordList {
  std::optional<WordKind> kind;
  double made_up = 0;
  std::vector<std::string> words;
};

class Grammar {
 public:
  Grammar() {
    std::istringstream lexicon{std::string(kLexicon)};
    for (std::string line; std::getline(lexicon, line);) add_list(line);
    std::istringstream rules{std::string(kRules)};
    for (std::string line; std::getline(rules, line);) add_rule(line);
    for (const Symbol& s : symbols_) ESPALIER_CHECK(!s.tag.empty() || !s.rules.empty());
    root_ = numbers_.at("ROOT");
  }

  void draw(Random& random, std::vector<SynthToken>& out) const { expand(root_, 0, random, out); }

 private:
  void add_list(const std::string& line) {
    std::istringstream fields(line);
    std::string name, kind;
    WordList list;
    if (!(fields >> name >> kind >> list.made_up)) return;
    list.made_up /= 100;
    if (kind != "-") {
      const auto parsed = parse_word_kind(kind);
      ESPALIER_CHECK(parsed.ok());
      list.kind = *parsed;
    }
    for (std::string word; fields >> word;) list.words.push_back(word);
    list_numbers_.emplace(name, lists_.size());
    lists_.push_back(std::move(list));
  }

  void add_rule(const std::string& line) {
    std::istringstream fields(line);
    std::string name;
    Symbol::Rule rule;
    if (!(fields >> name >> rule.weight)) return;
    for (std::string part; fields >> part;) rule.parts.push_back(number(part));
    Symbol& symbol = symbols_[number(name)];
    symbol.total_weight += rule.weight;
    symbol.rules.push_back(std::move(rule));
  }

  size_t number(const std::string& name) {
    const auto [it, fresh] = numbers_.emplace(name, symbols_.size());
    if (!fresh) return it->second;
    Symbol symbol;
    if (const size_t equals = name.find('='); equals != name.npos) {
      symbol.tag = name.substr(0, equals);
      symbol.word = name.substr(equals + 1);
    } else if (const size_t slash = name.find('/'); slash != name.npos) {
      symbol.tag = name.substr(0, slash);
      symbol.word_list = list_numbers_.at(name.substr(slash + 1));
    } else if (const size_t colon = name.find(':'); colon != name.npos) {
      symbol.type = name.substr(0, colon);
      const bool entity =
          symbol.type == "PER" || symbol.type == "LOC" || symbol.type == "ORG" || symbol.type == "MISC";
      symbol.layer = entity ? Layer::kEntity : Layer::kChunk;
    }
    symbols_.push_back(std::move(symbol));
    return it->second;
  }

  void expand(size_t symbol_number, int depth, Random& random, std::vector<SynthToken>& out) const {
    constexpr int kDeep = 14;
    const Symbol& symbol = symbols_[symbol_number];
    if (!symbol.tag.empty()) {
      SynthToken token;
      token.word = symbol.word_list ? draw_word(lists_[*symbol.word_list], random) : symbol.word;
      token.tag = symbol.tag;
      out.push_back(std::move(token));
      return;
    }
    const size_t first = out.size();
    size_t chosen = 0;
    if (depth < kDeep) {
      double at = random.uniform() * symbol.total_weight;
      while (chosen + 1 < symbol.rules.size() && at >= symbol.rules[chosen].weight)
        at -= symbol.rules[chosen++].weight;
    }
    for (const size_t part : symbol.rules[chosen].parts) expand(part, depth + 1, random, out);
    if (symbol.layer == Layer::kNone) return;
    for (size_t t = first; t < out.size(); ++t) {
      std::string& label = symbol.layer == Layer::kChunk ? out[t].chunk : out[t].entity;
      label = (t == first ? "B-" : "I-") + symbol.type;
    }
  }

  static std::string draw_word(const WordList& list, Random& random) {
    if (list.kind && random.uniform() < list.made_up) return make_word(*list.kind, draw_rank(random));
    return list.words[random.below(list.words.size())];
  }

  std::vector<Symbol> symbols_;
  std::map<std::string, size_t> numbers_;
  std::vector<WordList> lists_;
  std::map<std::string, size_t> list_numbers_;
  size_t root_ = 0;
};

}  // namespace

std::vector<SynthToken> draw_sentence(Random& random) {
  static const Grammar grammar;
  std::vector<SynthToken> sentence;
  grammar.draw(random, sentence);
  std::string& first = sentence.front().word;
  if (first[0] >= 'a' && first[0] <= 'z') first[0] = static_cast<char>(first[0] - 'a' + 'A');
  return sentence;
}

}  // namespace espalier::data
