#!/bin/bash
# The verb `ensemble`: learning, applying and reporting, and what it says about bad input.
source "$(dirname "$0")/testing.sh"
[ -x "$(dirname "$espalier")/espalier-ensemble" ] || { echo "espalier-ensemble is not built" >&2; exit 1; }

# present POINTER...: the last command's JSON has them. Not inside $(…), where a failure would not be counted.
present() { for pointer in "$@"; do json "$pointer" >/dev/null; done; }

# Three experts that err at different tokens: noisy RATE SEED <columns >columns.
noisy() {
  awk -v rate="$1" -v seed="$2" 'BEGIN {srand(seed)} NF == 0 {print; next} {
    label = $NF; if (rand() < rate) label = rand() < .5 ? "O" : "B-NP"; print $1, label }'
}
chunk_data 300 1 >all.txt
awk 'NF {print $1, $3; next} {print}' all.txt >gold.txt
noisy .15 1 <gold.txt >a.txt
noisy .15 2 <gold.txt >b.txt
noisy .15 3 <gold.txt >c.txt
chunk_data 100 7 | awk 'NF {print $1, $3; next} {print}' >test.txt
for e in a b c; do noisy .15 "$(printf '%d' "'$e")" <test.txt >"test-$e.txt"; done
cut -d' ' -f1 test.txt >words.txt

# learn, apply, report
expect 0 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m votes.model --json --threads 1
equal "$(json /sequences)" 300
equal "$(json /experts/2)" c.txt
equal "$(json /scheme)" iob2
present /held_out_error /held_out_best_expert_error
awk -v e="$(json /held_out_error)" -v b="$(json /held_out_best_expert_error)" 'BEGIN {exit !(e < b / 2)}' ||
  fail_test "the ensemble is not twice as good as its best expert: $(json /held_out_error)"
expect 0 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m again.model -q --threads 2
same votes.model again.model
expect 0 "$espalier" ensemble apply test-a.txt test-b.txt test-c.txt -m votes.model --input words.txt -o combined.txt
says err "3 experts"
paste -d' ' test.txt <(awk '{print $NF}' combined.txt) | sed 's/^ *$//' >scored.txt
expect 0 "$espalier" eval --columns scored.txt --json
awk -v a="$(json /accuracy)" 'BEGIN {exit !(a > 93)}' || fail_test "accuracy of only $(json /accuracy)"
expect 0 "$espalier" ensemble report test.txt test-a.txt test-b.txt test-c.txt -m votes.model --json
equal "$(json /sequences)" 100
present /ensemble/f1 /majority/accuracy /experts/0/weight /experts/0/worth /experts/1/agreement/2 /experts/0/by_place/first \
  /experts/0/by_label/B-NP /against_best_expert/p_value /ensemble/calibration_error
equal "$(json /experts/0/agreement/0)" 100.0
expect 0 "$espalier" ensemble report test.txt test-a.txt test-b.txt test-c.txt -m votes.model
says out "agreement"
says out "worth"

# confidence, other formats, the scheme kept
expect 0 "$espalier" ensemble apply test-a.txt test-b.txt test-c.txt -m votes.model --confidence
awk 'NF && ($(NF - 1) < 0 || $(NF - 1) > 1) {exit 1}' out || fail_test "a confidence outside 0 to 1"
for e in a b c; do "$espalier" convert "test-$e.txt" --to jsonl -o "test-$e.jsonl" -q; done
expect 0 "$espalier" ensemble apply test-a.jsonl test-b.txt test-c.jsonl -m votes.model --to columns
awk '{print $NF}' out | cmp -s - <(awk '{print $NF}' combined.txt) || fail_test "JSON lines and columns differ"
expect 0 "$espalier" ensemble apply test-a.txt test-b.txt test-c.txt -m votes.model -o legal.txt
awk '{print $NF}' legal.txt | awk '/^I-/ {t = substr($0, 3); if (last != "B-" t && last != "I-" t) exit 1} {last = $0}' ||
  fail_test "an I- without its beginning"

# every method, every kind of substructure
for method in mvote rand cv fpl fpl-cv espboost sle majority best; do
  expect 0 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m m.model --method $method --beta 0.9 --rounds 10 -q
  expect 0 "$espalier" ensemble apply test-a.txt test-b.txt test-c.txt -m m.model
  equal "$(grep -c . out)" "$(grep -c . test.txt)"
done
expect 0 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m rand.model --method rand --beta 0.9 -q
"$espalier" ensemble apply test-a.txt test-b.txt test-c.txt -m rand.model >rand1
"$espalier" ensemble apply test-a.txt test-b.txt test-c.txt -m rand.model >rand2
same rand1 rand2
for kind in positions classes tokens ngrams:2 ngrams:3 spans dimensions:-; do
  expect 0 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m k.model --method mvote --beta 0.9 --substructures $kind -q
  expect 0 "$espalier" ensemble report test.txt test-a.txt test-b.txt test-c.txt -m k.model --json
  # errors at single tokens break whole spans, so spans suffer most from them
  least=92
  [ $kind != spans ] || least=85
  awk -v a="$(json /ensemble/accuracy)" -v l=$least 'BEGIN {exit !(a > l)}' || fail_test "$kind: accuracy $(json /ensemble/accuracy)"
done
expect 0 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m b.model --method mvote --beta 0.9 -q
expect 0 "$espalier" ensemble report gold.txt a.txt b.txt c.txt -m b.model --bounds
says out "Proposition 2"
says out "Theorem 1"
expect 0 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m b.model --method espboost -q
expect 0 "$espalier" ensemble report gold.txt a.txt b.txt c.txt -m b.model --bounds
says out "Theorem 5"
expect 0 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m b.model --method majority -q
expect 0 "$espalier" ensemble report gold.txt a.txt b.txt c.txt -m b.model --bounds
says err "no bounds: the paper proves them for mvote, rand and espboost, and this ensemble is majority"
expect 0 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m s.model --method mvote --beta 0.9 --switch --json
present /switch_length
expect 0 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m s.model --method best --switch
says out "switching by length has no effect: the method taken is the best expert alone"
printf '0 1 1\n0 1 2 0.5\n1 2 3\n1 2 1\n2\n' >paths.txt
expect 1 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m s.model --method mvote --beta 0.9 --automaton paths.txt
printf '0 1 nobody\n1\n' >paths.txt
expect 1 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m s.model --method mvote --beta 0.9 --automaton paths.txt
says err "the expert 'nobody', which is not among"

# votes in a temporary file instead of memory: the same model
expect 0 "$espalier" ensemble learn gold.txt a.txt b.txt c.txt -m s2.model --memory 0 -q
same votes.model s2.model

# outputs of unequal length: labels alone, put side by side
chop() { awk -v seed="$1" 'BEGIN {srand(seed)} {n = split($0, part, "\t"); out = ""; k = split(part[2], l, " ");
  for (i = 1; i <= k; i++) {u = rand(); if (u < .1) continue; out = out " " (u < .2 ? "X" : l[i]); if (u > .95) out = out " " l[i]}
  print part[1] "\t" out}'; }
awk 'BEGIN {srand(5); split("K AE T S IH N OW L", l, " "); for (i = 0; i < 300; i++) {
  printf "w%d\t", i; n = 3 + int(rand() * 6); for (k = 0; k < n; k++) printf "%s ", l[1 + int(rand() * 8)]; print ""}}' >sounds.txt
for e in 1 2 3 4 5; do chop $e <sounds.txt >s$e.txt; done
expect 0 "$espalier" ensemble learn sounds.txt s1.txt s2.txt s3.txt s4.txt s5.txt --labels-only lines -m sounds.model --json
equal "$(json /aligned)" true
present /held_out_edit_distance /held_out_best_expert_edit_distance
awk -v e="$(json /held_out_edit_distance)" -v b="$(json /held_out_best_expert_edit_distance)" 'BEGIN {exit !(e < b / 2)}' ||
  fail_test "side by side: edit distance $(json /held_out_edit_distance)"
expect 0 "$espalier" ensemble report sounds.txt s1.txt s2.txt s3.txt s4.txt s5.txt --labels-only lines -m sounds.model --json
present /ensemble/edit_distance /experts/0/edit_distance
awk -v e="$(json /ensemble/edit_distance)" -v b="$(json /experts/0/edit_distance)" 'BEGIN {exit !(e < b / 2)}' ||
  fail_test "reported edit distance $(json /ensemble/edit_distance)"
expect 0 "$espalier" ensemble apply s1.txt s2.txt s3.txt s4.txt s5.txt --labels-only lines -m sounds.model -o together.txt
equal "$(cut -f1 together.txt | md5sum)" "$(cut -f1 sounds.txt | md5sum)"
says_not together.txt "<gap>"
expect 0 "$espalier" ensemble apply s1.txt s2.txt s3.txt s4.txt s5.txt --labels-only lines -m sounds.model --confidence --to jsonl
equal "$(head -n 1 out | grep -c sequence_confidence)" 1
expect 1 "$espalier" ensemble learn sounds.txt s1.txt s2.txt --labels-only lines --align no -m no.model
says err "--align"
sed 's/^w7\t/other\t/' s2.txt >renamed.txt
expect 1 "$espalier" ensemble learn sounds.txt s1.txt renamed.txt --labels-only lines -m no.model
says err "'other'"
expect 2 "$espalier" ensemble learn sounds.txt s1.txt --labels-only cells -m no.model
for e in a b c; do cut -d' ' -f2 $e.txt >labels-$e.txt; done
cut -d' ' -f2 gold.txt >labels-gold.txt
expect 0 "$espalier" ensemble learn labels-gold.txt labels-a.txt labels-b.txt labels-c.txt -m alone.model --json
equal "$(json /aligned)" false

# experts that say how sure they are
for e in a b c test-a test-b test-c; do awk 'NF {print $1, $2, 0.5 + (NR % 50) / 100; next} {print}' $e.txt >sure-$e.txt; done
expect 0 "$espalier" ensemble learn gold.txt sure-a.txt sure-b.txt sure-c.txt --column 2 --probabilities --method espboost --form product -m sure.model -q
expect 0 "$espalier" ensemble apply sure-test-a.txt sure-test-b.txt sure-test-c.txt --column 2 --probabilities -m sure.model --input words.txt
equal "$(grep -c . out)" "$(grep -c . test.txt)"
expect 1 "$espalier" ensemble apply sure-test-a.txt sure-test-b.txt sure-test-c.txt --column 2 -m sure.model --input words.txt
says err "--probabilities"
expect 1 "$espalier" ensemble learn gold.txt a.txt b.txt --column 2 --probabilities --method espboost -m no.model
says err "no column 3"
expect 2 "$espalier" ensemble learn gold.txt sure-a.txt sure-b.txt --column 2 --probabilities --method mvote -m no.model

# models as experts, n-best lists
expect 0 "$espalier" train gold.txt -m crf.model -p passes=2 -q
expect 0 "$espalier" ensemble learn gold.txt crf.model a.txt -m mixed.model --method mvote --beta 0.9 -q
expect 0 "$espalier" ensemble apply crf.model test-a.txt --input words.txt -m mixed.model
expect 0 "$espalier" tag gold.txt -m crf.model --nbest 3 -o nbest.txt
expect 0 "$espalier" ensemble learn gold.txt nbest.txt --nbest 3 --missing spread -m n.model --method mvote --beta 0.9 --json
equal "$(json /experts/2)" "nbest.txt#3"
expect 1 "$espalier" ensemble apply crf.model -m mixed.model
says err "--input"

# sequences that an expert does not have
awk 'BEGIN {RS = ""; ORS = "\n\n"} NR % 5 != 2' a.txt >part.txt
expect 1 "$espalier" ensemble learn gold.txt part.txt b.txt c.txt -m no.model
says err "sequence 2"
expect 0 "$espalier" ensemble learn gold.txt part.txt b.txt c.txt -m part.model --missing spread --json
equal "$(json /left_out)" 0
expect 0 "$espalier" ensemble learn gold.txt part.txt b.txt c.txt -m part.model --missing leave-out --json
equal "$(json /left_out)" 60

# bad input: clear words, status 1, nothing written
sed '5s/^[^ ]*/other/' a.txt >retokenised.txt
expect 1 "$espalier" ensemble learn gold.txt retokenised.txt b.txt -m no.model
says err "are not about the same tokens"
says err "> "
says err "other"
head -n 40 a.txt >short.txt
expect 1 "$espalier" ensemble learn gold.txt short.txt b.txt -m no.model
cat a.txt a.txt >longer.txt
expect 1 "$espalier" ensemble learn gold.txt longer.txt b.txt -m no.model
says err "beyond the 300"
expect 1 "$espalier" ensemble learn gold.txt nowhere.txt -m no.model
expect 1 "$espalier" ensemble apply test-a.txt test-b.txt -m votes.model
says err "combines 3 experts"
expect 1 "$espalier" ensemble apply test-a.txt test-b.txt test-c.txt -m crf.model
says err "not an ensemble"
expect 1 "$espalier" tag test.txt -m votes.model
says err "ensemble apply"
expect 1 "$espalier" ensemble learn gold.txt votes.model a.txt -m no.model
says err "this is an ensemble"
expect 2 "$espalier" ensemble apply test-a.txt test-b.txt test-c.txt -m votes.model --to pdf
expect 2 "$espalier" ensemble learn gold.txt a.txt b.txt -m no.model --missing ignore
expect 2 "$espalier" ensemble learn gold.txt a.txt b.txt -m no.model --align perhaps
head -c 500 votes.model >broken.model
expect 1 "$espalier" ensemble apply test-a.txt test-b.txt test-c.txt -m broken.model
printf 'not an automaton' >g.fst
expect 1 "$espalier" ensemble learn gold.txt a.txt b.txt -m no.model --automaton g.fst
says err "g.fst"
expect 2 "$espalier" ensemble learn gold.txt a.txt b.txt -m no.model --method mvot
says err "mvote"
expect 2 "$espalier" ensemble learn gold.txt a.txt b.txt -m no.model --substructures words
expect 2 "$espalier" ensemble learn gold.txt a.txt b.txt -m no.model --beta 1.5
expect 2 "$espalier" ensemble learn gold.txt a.txt b.txt -m no.model --betaa 0.5
says err "--beta"
expect 2 "$espalier" ensemble
absent no.model

# what still makes sense: one expert, twins, labels unseen in gold, an expert that is always right
expect 0 "$espalier" ensemble learn gold.txt a.txt -m one.model
says out "only one expert"
expect 0 "$espalier" ensemble apply test-a.txt -m one.model --any-sequence
awk '{print $NF}' out | cmp -s - <(awk '{print $NF}' test-a.txt) || fail_test "one expert does not come back"
expect 0 "$espalier" ensemble learn gold.txt a.txt a.txt -m twins.model
says out "a.txt says the same as a.txt throughout"
sed 's/B-PP/B-XX/' a.txt >strange.txt
expect 0 "$espalier" ensemble learn gold.txt strange.txt b.txt c.txt -m strange.model
says out "strange.txt uses labels that gold does not have: B-XX"
expect 0 "$espalier" ensemble learn gold.txt gold.txt b.txt -m right.model --method espboost
says out "no error at all"
finish
