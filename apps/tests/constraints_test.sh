# Constraints: given when tagging, given when training, explained, and refused where they are wrong.
source "$(dirname "$0")/testing.sh"

chunk_data 60 1 >train.txt
chunk_data 30 2 >test.txt
# Words never seen and no tags: the local model has to guess, and its guesses need not fit together.
awk '{ if (NF) print "x" (NR % 7), "JJ", $3; else print }' test.txt >strange.txt
expect 0 "$espalier" train train.txt -m local.model --learner local -q
expect 0 "$espalier" train train.txt -m crf.model -q -p passes=3
printf 'scheme: valid iob2\n' >scheme.txt

# A scheme with the same prefixes, in which segments begin in another way, is not what the model learned.
printf 'valid iob1\n' >other.txt
expect 1 "$espalier" tag test.txt -m crf.model --constraints other.txt
says err "'valid iob1', but the labels that the model learned are iob2"
says err "other.txt:1: "
expect 1 "$espalier" eval test.txt -m crf.model --constraints other.txt
# ... in either direction, and for every kind of model
{ cat train.txt; for _ in 1 2 3; do printf 'the DT B-NP\ncat NN I-NP\nthe DT B-NP\ndog NN I-NP\n\n'; done; } >next.txt
for schemes in "iob1 iob2" "ioe1 ioe2" "ioe2 ioe1" "iob2 iob1"; do
  read -r own asked <<<"$schemes"
  expect 0 "$espalier" convert next.txt --scheme "$own" -o own.txt
  expect 0 "$espalier" convert test.txt --scheme "$own" -o own-test.txt
  echo "valid $asked" >asked.txt
  for learner in perceptron cascade searn; do
    expect 0 "$espalier" train own.txt -m own.model --learner $learner -q
    expect 1 "$espalier" eval own-test.txt -m own.model --constraints asked.txt
    says err "asked.txt:1: 'valid $asked', but the labels that the model learned are $own: say 'valid $own'"
  done
done
expect 0 "$espalier" train train.txt -m votes.model --learner committee -p size=small -q
expect 1 "$espalier" tag test.txt -m votes.model --constraints other.txt
says err "'valid iob1', but the labels that the model learned are iob2"
# names of constraints are repeated in messages, and have bounds
awk 'BEGIN {for (i = 0; i < 300; ++i) printf "x"; print ": valid iob2"}' >name.txt
expect 1 "$espalier" tag test.txt -m crf.model --constraints name.txt
says err "name.txt:1:1: a name of 300 bytes before the colon; at most 200 are allowed"

# No labelling breaks the scheme once the constraint is given.
illegal() { awk '{ l = $NF; if (l ~ /^I-/ && substr(p, 3) != substr(l, 3)) ++n; p = NF ? l : "" } END { print n + 0 }' "$1"; }
expect 0 "$espalier" tag strange.txt -m local.model -o free.txt -q
expect 0 "$espalier" tag strange.txt -m local.model -o legal.txt -q --constraints scheme.txt
equal "$(illegal legal.txt)" 0
for decoder in viterbi ilp beam; do
  expect 0 "$espalier" tag test.txt -m crf.model -o $decoder.txt -q --constraints scheme.txt --decoder $decoder
  equal "$(illegal $decoder.txt)" 0
done
same viterbi.txt ilp.txt

# Counting needs automata, and every way to decode gives the same.
printf 'one: at most 1 of B-NP\nverb: if B-VP then B-NP after\nscheme: valid iob2\n' >count.txt
expect 0 "$espalier" tag test.txt -m crf.model -o a.txt -q --constraints count.txt
expect 0 "$espalier" tag test.txt -m crf.model -o b.txt -q --constraints count.txt --decoder ilp
same a.txt b.txt
equal "$(awk 'NF { n += $NF == "B-NP" } !NF { if (n > 1) ++bad; n = 0 } END { print bad + 0 }' a.txt)" 0
expect 0 "$espalier" tag test.txt -m crf.model --constraints count.txt --verbose -o a.txt
says err "one: at most 1 of B-NP (automaton)"
says err "scheme: valid iob2 (local)"
says err "decoder: "

# Why.
expect 0 "$espalier" tag test.txt -m crf.model --constraints count.txt --why -q
says out "/one:"
expect 0 "$espalier" tag test.txt -m crf.model --constraints count.txt --why --json -q
equal "$(json /sequences/0/constraints/outcome)" "exact"
json /sequences/0/constraints/changes/0/because/0/constraint >/dev/null
expect 0 "$espalier" tag test.txt -m crf.model --constraints count.txt --nbest 3 -q
says out "# n-best 3"
expect 0 "$espalier" tag test.txt -m crf.model --constraints count.txt --marginals -q

# Known labels from a column, and a lexicon.
printf 'force column 3\n' >force.txt
expect 0 "$espalier" tag test.txt -m crf.model --constraints force.txt -o forced.txt -q
equal "$(awk 'NF && $3 != $4' forced.txt | wc -l)" 0
printf 'it\tO\n' >words.tsv
printf 'words: allow lexicon "words.tsv"\n' >lexicon.txt
expect 0 "$espalier" tag test.txt -m crf.model --constraints lexicon.txt -o it.txt -q
equal "$(awk '$1 == "it" && $NF != "O"' it.txt | wc -l)" 0

# Trained under constraints: the model remembers them, lexicon and all.
for learner in crf perceptron svm; do
  expect 0 "$espalier" train train.txt -m ibt.model --learner $learner --constraints scheme.txt -q -p passes=3
  expect 0 "$espalier" tag strange.txt -m ibt.model -o ibt.txt -q
  equal "$(illegal ibt.txt)" 0
  expect 0 "$espalier" eval test.txt -m ibt.model --json -q
  equal "$(json /constraints/exact)" 30
  expect 0 "$espalier" eval test.txt -m ibt.model --json -q --constraints none
  says_not out '"exact"'
done
expect 0 "$espalier" train train.txt -m ibt.model --constraints lexicon.txt -q -p passes=2
rm words.tsv
expect 0 "$espalier" tag test.txt -m ibt.model -o it.txt -q
equal "$(awk '$1 == "it" && $NF != "O"' it.txt | wc -l)" 0
# Training data that break a constraint are counted and named.
expect 0 "$espalier" train train.txt -m noted.model --allow-contradictions --constraints count.txt -p passes=2 --json -q
says out "break hard constraints"
says out "one ("

# Soft constraints have their place in every learner that takes some.
printf 'few: at most 1 of B-NP soft 0.1\n' >soft.txt
expect 0 "$espalier" train train.txt -m soft.model --learner svm --constraints soft.txt -q -p passes=3
expect 0 "$espalier" tag test.txt -m soft.model -o soft.out -q
# Probabilities of spans under constraints that are not local.
expect 0 "$espalier" tag test.txt -m crf.model --constraints count.txt --confidence -q -o spans.txt
equal "$(awk 'NF && $4 ~ /^B-/ && $6 == "_"' spans.txt | wc -l)" 0

# Searches: what no completion can mend is not offered, neither when tagging nor when training.
at_most_one() { awk 'NF { n += $NF == "B-NP" } !NF { if (n > 1) ++bad; n = 0 } END { print bad + 0 }' "$1"; }
printf 'one: at most 1 of B-NP\nverb: exactly 1 of B-VP\nscheme: valid iob2\n' >search.txt
for learner in searn laso-br incremental; do
  for task in label segment; do
    expect 0 "$espalier" train train.txt -m search.model --task $task --learner $learner -q -p passes=2
    expect 0 "$espalier" tag strange.txt -m search.model -o search.out -q --constraints search.txt
    equal "$(at_most_one search.out) $(illegal search.out)" "0 0"
    expect 0 "$espalier" train train.txt -m search.model --task $task --learner $learner -p passes=2 --allow-contradictions --constraints search.txt --json -q
    says out "one ("
    expect 0 "$espalier" tag strange.txt -m search.model -o search.out -q
    equal "$(at_most_one search.out) $(illegal search.out)" "0 0"
  done
done
printf 'many: at least 30 of B-NP\n' >many.txt
expect 0 "$espalier" tag test.txt -m search.model --constraints many.txt -o many.out
says err "30 of 30 sequences cannot satisfy the constraints (in conflict: many)"
expect 1 "$espalier" tag test.txt -m search.model --constraints many.txt --strict -o never.txt
says err "test.txt:1: no labelling satisfies all constraints; these clash: many"
expect 1 "$espalier" tag test.txt -m search.model --constraints soft.txt -o never.txt
says err "'few' is soft"
printf 'bare: at most 0 of {B-NP, I-NP}\n' >bare.txt
expect 0 "$espalier" tag test.txt -m search.model --constraints bare.txt --why -q
says out "B-NP/bare:"
expect 2 "$espalier" train train.txt -m never.model --learner searn -p direction=right-to-left --constraints search.txt
says err "from right to left cannot keep to constraints"

# Cascades: the constraints meet the lattice that the filters leave.
expect 0 "$espalier" train train.txt -m cascade.model --learner cascade -q -p passes=2 -p filter-passes=1
expect 0 "$espalier" tag strange.txt -m cascade.model -o cascade.out -q --constraints search.txt --why
expect 0 "$espalier" tag strange.txt -m cascade.model -o cascade.out -q --constraints search.txt
equal "$(at_most_one cascade.out) $(illegal cascade.out)" "0 0"
expect 0 "$espalier" tag test.txt -m cascade.model --constraints search.txt --confidence -q
printf 'odd: require {O, B-PP} at start\n' >odd.txt
expect 0 "$espalier" tag test.txt -m cascade.model --constraints odd.txt -o odd.out --json -q
says odd.out '"outcome":"approximate"'
expect 0 "$espalier" tag test.txt -m cascade.model --constraints many.txt -o many.out
says err "30 of 30 sequences cannot satisfy the constraints (in conflict: many)"
expect 1 "$espalier" tag test.txt -m cascade.model --constraints many.txt --strict -o never.txt
expect 1 "$espalier" tag test.txt -m cascade.model --constraints search.txt --decoder ilp -o never.txt
says err "on the lattice that its filters leave"
for last in crf perceptron; do
  expect 0 "$espalier" train train.txt -m cascade.model --learner cascade -p last=$last -p passes=2 -p filter-passes=1 --allow-contradictions --constraints search.txt --json -q
  says out "one ("
  expect 0 "$espalier" tag strange.txt -m cascade.model -o cascade.out -q
  equal "$(at_most_one cascade.out) $(illegal cascade.out)" "0 0"
done
# The development set is scored under the constraints, which this one breaks nearly everywhere.
expect 0 "$espalier" train train.txt --dev test.txt -m cascade.model --learner cascade -p scheme=data -p passes=1 -p filter-passes=1 -p weight-bits=32 --allow-contradictions --constraints search.txt --json -q
score=$(json /log/0/dev_score)
expect 0 "$espalier" eval test.txt -m cascade.model --json -q
awk -v a="$(json /f1)" -v b="$score" 'BEGIN {exit !(a < 10 && b < 10)}' || fail_test "dev $score, eval $(json /f1)"
expect 2 "$espalier" train train.txt -m never.model --learner cascade -p order=1 --constraints scheme.txt
says err "labels each token by itself"
absent never.txt never.model

# Files that are wrong: status 1, the place, nothing written.
wrong() {
  printf '%s\n' "$1" >wrong.txt
  expect 1 "$espalier" tag test.txt -m crf.model --constraints wrong.txt -o never.txt
  says err "$2"
  absent never.txt
}
wrong 'valid iob3' "wrong.txt:1:7: expected one of iob1"
wrong 'forbid B-NQ then O' "wrong.txt:1:8: there is no label 'B-NQ'"
wrong 'allow lexicon nowhere.tsv' "wrong.txt:1:15: "
wrong 'no overlap' "so 'no overlap' does not apply"
wrong 'force column 9' "there is no column '9'"
printf 'a: at least 2 of B-NP\nb: at most 1 of B-NP\n' >clash.txt
expect 1 "$espalier" tag test.txt -m crf.model --constraints clash.txt
says err "no labelling satisfies these constraints together: 'a' (line 1), 'b' (line 2)"
expect 1 "$espalier" tag test.txt -m crf.model --constraints nowhere.txt
says err "nowhere.txt"
expect 2 "$espalier" train train.txt -m never.model --learner memm --constraints scheme.txt
says err "perceptron, svm, crf and local can"
absent never.model
expect 1 "$espalier" train train.txt -m never.model --constraints wrong.txt
absent never.model
expect 2 "$espalier" tag test.txt -m crf.model --decoder quick
expect 2 "$espalier" tag test.txt -m crf.model --decoder posterior --constraints scheme.txt
expect 2 "$espalier" tag test.txt -m crf.model --why
says err "saying why needs constraints"

# An instance that cannot satisfy them: a counted warning and an answer, or with --strict an error.
printf 'many: at least 30 of B-NP\n' >many.txt
expect 0 "$espalier" tag test.txt -m crf.model --constraints many.txt -o many.out
says err "30 of 30 sequences cannot satisfy the constraints (in conflict: many)"
equal "$(wc -l <many.out)" "$(wc -l <test.txt)"
expect 1 "$espalier" tag test.txt -m crf.model --constraints many.txt -o never.txt --strict
says err "these clash: many"
absent never.txt

# An integer program past its time limit, with too many joint states for a beam to look at all of them.
printf 'at most 2 of B-NP\nat most 1 of B-VP\nat most 2 of I-NP\nat most 1 of B-PP\n' >late.rules
expect 0 "$espalier" tag test.txt -m crf.model --constraints late.rules --decoder ilp --time-limit 0.000001 -o late.txt
says err "longer than the time limit"
expect 1 "$espalier" tag test.txt -m crf.model --constraints late.rules --decoder ilp --time-limit 0.000001 --strict
says err "not found in time"

# A model trained under constraints keeps to them wherever it is used: tag, eval, explain and as the expert of an ensemble.
printf 'few: at most 1 of B-NP\n' >few.txt
expect 1 "$espalier" train train.txt -m never.model -p passes=2 -q --constraints few.txt
says err "training sequences break a hard constraint ('few'"
says err "--allow-contradictions"
absent never.model
expect 0 "$espalier" train train.txt -m few.model -p passes=2 -q --constraints few.txt --allow-contradictions
expect 0 "$espalier" tag test.txt -m few.model -o few.out -q
equal "$(at_most_one few.out)" 0
expect 0 "$espalier" tag test.txt -m few.model -o free.out -q --constraints none
[ "$(at_most_one free.out)" -gt 0 ] || fail_test "nothing shows the constraints"
expect 0 "$espalier" explain test.txt -m few.model --sequence 1 --json
equal "$(grep -o '"label":"B-NP"' out | wc -l)" 1
says out '"margin":-'
expect 0 "$espalier" explain test.txt -m few.model --sequence 1
says out "by constraints;"
awk 'NF { print $1, $2, $3 } !NF' few.out >gold.txt
expect 0 "$espalier" ensemble learn gold.txt few.model few.out free.out -m t.model
says out "few.out says the same as few.model"
says_not out "free.out says the same"

# N-best lists of a search under constraints need no probabilities.
expect 0 "$espalier" train train.txt -m searn.model --learner searn -q
expect 0 "$espalier" tag test.txt -m searn.model --decoder beam --nbest 2 --constraints scheme.txt -q -o nbest.out
equal "$(grep -c '^# n-best 2' nbest.out)" 30

# A scheme that the labels do not have is refused, when tagging and when training.
printf 'valid iobes\n' >iobes.txt
expect 1 "$espalier" tag test.txt -m crf.model --constraints iobes.txt -o never.txt
says err "the labels are not iobes"
says err "E-NP"
expect 1 "$espalier" train train.txt -m never.model --constraints iobes.txt -q
says err "the labels are not iobes"
absent never.txt never.model

finish
