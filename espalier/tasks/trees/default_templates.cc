// The features that a parser has where no template is given. Tested in templates_test.cc.
#include "espalier/tasks/trees/templates.h"

namespace espalier::tasks {

std::string_view default_tree_templates() {
  return R"([moves]
# single words
s0.word
s0.lemma
s0.tag
s0.fine
s0.feats
s0.word s0.tag
s1.word
s1.lemma
s1.tag
s1.fine
s1.feats
s1.word s1.tag
b0.word
b0.lemma
b0.tag
b0.fine
b0.feats
b0.word b0.tag
b1.word
b1.tag
b1.fine
b1.word b1.tag
b2.word
b2.tag
b2.fine
s2.tag
s2.word
# pairs
s0.word s0.tag b0.word b0.tag
s0.word s0.tag b0.word
s0.word b0.word b0.tag
s0.word s0.tag b0.tag
s0.tag b0.word b0.tag
s0.word b0.word
s0.lemma b0.lemma
s0.tag b0.tag
s0.fine b0.fine
s0.feats b0.feats
s0.lemma b0.tag
s0.tag b0.lemma
s0.word s0.tag s1.word s1.tag
s0.word s1.word s1.tag
s0.word s0.tag s1.tag
s0.tag s1.word s1.tag
s0.word s1.word
s0.lemma s1.lemma
s0.tag s1.tag
s0.fine s1.fine
s0.feats s1.feats
s0.lemma s1.tag
s0.tag s1.lemma
s1.tag b0.tag
s1.word b0.word
s1.fine b0.fine
b0.tag b1.tag
b0.word b1.word
b0.tag b1.word
b0.word b1.tag
b0.fine b1.fine
s0.tag s2.tag
# three words
s0.tag b0.tag b1.tag
s0.fine b0.fine b1.fine
s0.word b0.tag b1.tag
b0.tag b1.tag b2.tag
b0.fine b1.fine b2.fine
s0.tag s1.tag b0.tag
s0.fine s1.fine b0.fine
s0.word s1.tag b0.tag
s0.tag s1.word b0.tag
s0.tag s1.tag b0.word
s0.tag s1.tag s2.tag
s0.tag s1.tag b0.tag b1.tag
s0.tag b0.tag b1.tag b2.tag
# distance
s0.word distance
s0.tag distance
b0.word distance
b0.tag distance
s0.word b0.word distance
s0.tag b0.tag distance
s0.tag s1.tag distance
# how many children
s0.word s0.right
s0.tag s0.right
s0.word s0.left
s0.tag s0.left
s1.tag s1.right
s1.word s1.right
s1.tag s1.left
b0.word b0.left
b0.tag b0.left
# children
s0.l.word
s0.l.tag
s0.l.rel
s0.r.word
s0.r.tag
s0.r.rel
s1.l.tag
s1.l.rel
s1.r.word
s1.r.tag
s1.r.rel
b0.l.word
b0.l.tag
b0.l.rel
s0.l2.tag
s0.l2.rel
s0.r2.tag
s0.r2.rel
b0.l2.tag
b0.l2.rel
s1.r2.rel
s0.tag s0.l.tag s0.l2.tag
s0.tag s0.r.tag s0.r2.tag
s1.tag s1.r.tag s1.r2.tag
b0.tag b0.l.tag b0.l2.tag
s0.tag s0.l.tag b0.tag
s0.tag s0.r.tag b0.tag
s0.tag b0.tag b0.l.tag
s0.tag s1.tag s0.l.tag
s0.tag s1.tag s0.r.tag
s0.tag s1.tag s1.r.tag
s0.tag s1.tag s1.l.tag
s0.tag s0.r.rel b0.tag
s0.tag s0.l.rel b0.tag
s0.tag b0.tag b0.l.rel
s0.tag s1.tag s1.r.rel
s0.tag s1.tag s0.l.rel
s0.tag s1.tag s0.r.rel
s0.word s0.lefts
s0.tag s0.lefts
s0.word s0.rights
s0.tag s0.rights
s1.tag s1.rights
s1.word s1.rights
s1.tag s1.lefts
b0.word b0.lefts
b0.tag b0.lefts

[relations]
side
dep.word side
dep.lemma side
dep.tag side
dep.fine side
dep.feats side
dep.word dep.tag side
head.word side
head.lemma side
head.tag side
head.fine side
head.feats side
head.word head.tag side
dep.tag head.tag side
dep.fine head.fine side
dep.feats head.feats side
dep.word head.tag side
dep.tag head.word side
dep.lemma head.lemma side
dep.word head.word side
dep.fine head.lemma side
dep.lemma head.fine side
dep.tag head.tag distance side
dep.tag head.tag head.l.rel side
dep.tag head.tag head.r.rel side
dep.tag head.tag head.lefts
dep.tag head.tag head.rights side
dep.tag head.lemma head.rights side
dep.tag dep.l.word side
dep.tag dep.l.tag head.tag side
dep.tag dep.r.tag head.tag side
dep.tag dep.lefts side
dep.tag dep.rights side
dep.tag dep.lefts head.tag side
dep.l.lemma head.lemma side
dep.l.lemma head.tag side
b0.tag dep.tag head.tag side
b0.word dep.tag side
b1.tag b0.tag dep.tag side
s1.tag dep.tag head.tag side
)";
}

}  // namespace espalier::tasks
