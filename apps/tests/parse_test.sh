# Task parse: CoNLL-U and columns in and out, scores, n-best lists, reasons, and what is refused.
source "$(dirname "$0")/testing.sh"

# treebank NUMBER SEED: sentences with a multiword token, an empty node, comments and MISC.
treebank() {
  awk -v n="$1" -v seed="$2" 'BEGIN {
    srand(seed); split("dog cat king owl", noun, " "); split("sees likes hears", verb, " ");
    for (i = 1; i <= n; ++i) {
      a = noun[1 + int(rand() * 4)]; b = noun[1 + int(rand() * 4)]; v = verb[1 + int(rand() * 3)]; t = rand() < .5;
      printf "# sent_id = s%d\n# text = The %s %s a %s\n", i, a, v, b;
      printf "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2\t%s\t%s\tNOUN\tNN\tNumber=Sing\t3\tnsubj\t_\tSpaceAfter=No\n", a, a;
      printf "3\t%s\t%s\tVERB\tVBZ\t_\t0\troot\t_\t_\n3.1\tgone\tgo\tVERB\t_\t_\t_\t_\t3:conj\t_\n", v, v;
      printf "4-5\ta%s\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n4\ta\ta\tDET\tDT\t_\t5\tdet\t_\tX=1\n", b;
      printf "5\t%s\t%s\tNOUN\tNN\tNumber=Sing\t3\tobj%s\t_\t_\n", b, b, b == "owl" ? ":bird" : "";
      if (t) printf "6\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_\n";
      printf "\n";
    } }'
}
treebank 80 1 >train.conllu
treebank 30 2 >test.conllu

expect 0 "$espalier" train train.conllu --task parse -m parse.model --dev test.conllu --json -q
equal "$(json /learner /dev_measure | tr '\n' ' ')" "searn LAS "
expect 0 "$espalier" eval test.conllu -m parse.model --json -q
equal "$(json /uas /las /clas /full_las /full_clas | tr '\n' ' ')" "100.0 100.0 100.0 100.0 100.0 "
equal "$(json /by_relation/det/gold /by_length/1-10/las | tr '\n' ' ')" "60 100.0 "
expect 0 "$espalier" eval test.conllu -m parse.model
says out "right head and relation (LAS)"
says out "nsubj"

# Heads and relations are written, all else stays byte for byte.
awk -F'\t' 'BEGIN { OFS = "\t" } /^[0-9]+\t/ { $7 = "_"; $8 = "_" } { print }' test.conllu >raw.conllu
expect 0 "$espalier" tag raw.conllu -m parse.model -o tagged.conllu -q
same tagged.conllu test.conllu
expect 0 "$espalier" tag raw.conllu -m parse.model -o beam.conllu --decoder beam --beam 4 -q
same beam.conllu test.conllu
expect 0 "$espalier" tag raw.conllu -m parse.model --json -q
says out '"heads":[2,3,0,5,3'
# After a tagger, in a pipe.
expect 0 "$espalier" train train.conllu -m tags.model -q
awk -F'\t' 'BEGIN { OFS = "\t" } /^[0-9]+\t/ { $4 = "_" } { print }' raw.conllu >words.conllu
"$espalier" tag words.conllu -m tags.model -q | "$espalier" tag - -m parse.model -o piped.conllu -q
same piped.conllu test.conllu

# The same bytes at any number of threads.
for threads in 1 3; do
  expect 0 "$espalier" train train.conllu --task parse -m "t$threads.model" --dev test.conllu --threads $threads -q
done
same t1.model t3.model

# n-best lists and reasons.
expect 0 "$espalier" tag raw.conllu -m parse.model --nbest 2 --decoder beam --beam 4 -q
equal "$(grep -c '^# n-best 2' out)" 30
expect 0 "$espalier" tag raw.conllu -m parse.model --nbest 3 -q
expect 1 "$espalier" tag raw.conllu -m parse.model --nbest 3 --decoder greedy -q
says err "as many trees as its breadth-first beam is wide"
expect 0 "$espalier" explain raw.conllu -m parse.model --sequence 1
says out "left arc from 3"
says out "root: the word left at the end"
expect 0 "$espalier" inspect parse.model
says out "parse, learned by searn"

# The probability of each arc.
expect 0 "$espalier" tag raw.conllu -m parse.model --confidence -q
equal "$(grep -c 'confidence=[01][.][0-9]' out)" "$(grep -c '^[0-9]*[[:blank:]]' raw.conllu)"

# Constraints: forbidden arcs and roots, one root relation, arcs forced by a column.
printf 'forbid head NOUN of DET\nforbid root VERB\nexactly 1 of root\n' >rules.txt
expect 0 "$espalier" tag raw.conllu -m parse.model --constraints rules.txt -o ruled.conllu -q
awk -F'\t' '/^[0-9]+\t/ { tag[$1] = $4; head[$1] = $7 } /^$/ { for (w in head) if ((head[w] == 0 && tag[w] == "VERB") || (tag[w] == "DET" && tag[head[w]] == "NOUN")) bad++; delete tag; delete head } END { print bad + 0 }' ruled.conllu >count
equal "$(cat count)" 0
expect 0 "$espalier" eval test.conllu -m parse.model --constraints rules.txt --json -q
awk -F'\t' 'BEGIN { OFS = "\t" } /^1\t/ { $9 = "3:obj" } /^4\t/ { $9 = "3" } { print }' raw.conllu >force.conllu
expect 0 "$espalier" tag force.conllu -m parse.model --forced-column 9 -o forced.conllu -q
equal "$(awk -F'\t' '/^1\t/ && ($7 != 3 || $8 != "obj") || /^4\t/ && $7 != 3' forced.conllu | wc -l)" 0
printf 'force column 9\n' >force.txt
expect 0 "$espalier" tag force.conllu -m parse.model --constraints force.txt -o forced2.conllu -q
same forced2.conllu forced.conllu
awk -F'\t' 'BEGIN { OFS = "\t" } NR == 3 { $9 = "7" } { print }' raw.conllu >force.conllu
expect 1 "$espalier" tag force.conllu -m parse.model --forced-column 9 -q
says err "force.conllu:3: '7' is no arc to force"
printf 'forbid det then obj\n' >rules.txt
expect 1 "$espalier" tag raw.conllu -m parse.model --constraints rules.txt -q
says err "rules.txt:1:1: 'forbid det then obj' is about sequences"
expect 2 "$espalier" train train.conllu --task parse -m none.model --start-from parse.model
says err "a parser cannot be trained further"

# Other learners and systems, and trees with crossing arcs.
printf '1\ta\ta\tA\t_\t_\t3\tx\t_\t_\n2\tb\tb\tB\t_\t_\t4\ty\t_\t_\n3\tc\tc\tC\t_\t_\t0\troot\t_\t_\n4\td\td\tD\t_\t_\t3\tz\t_\t_\n\n' >crossing.conllu
expect 0 "$espalier" train crossing.conllu --task parse --learner incremental -p system=swap -p passes=20 -m swap.model -q
expect 0 "$espalier" tag crossing.conllu -m swap.model -o swapped.conllu -q
same swapped.conllu crossing.conllu
expect 0 "$espalier" train crossing.conllu --task parse -p system=swap -p iterations=20 -m swap.model -q
expect 0 "$espalier" tag crossing.conllu -m swap.model -o swapped.conllu -q
same swapped.conllu crossing.conllu
expect 0 "$espalier" train crossing.conllu --task parse -m flat.model
says out "1 of 1 trees have crossing arcs"
expect 0 "$espalier" eval crossing.conllu -m flat.model --json -q
equal "$(json /uas)" 75.0
for learner in laso-br laso-bst laso incremental; do
  expect 0 "$espalier" train train.conllu --task parse --learner $learner -m other.model -p passes=3 -q
  expect 0 "$espalier" eval test.conllu -m other.model --json -q
  equal "$(json /las)" 100.0
done

# Columns, with and without relations; without the columns of heads and relations `tag` adds them.
awk -F'\t' '/^[0-9]+\t/ { sub(/:bird/, "", $8); print $2, $4, $7, $8 } /^$/ { print }' train.conllu >train.txt
awk 'NF { print $1, $2 } !NF { print "" }' train.txt >words.txt
awk 'NF { print $1, $2, $3 } !NF { print "" }' train.txt >heads.txt
expect 0 "$espalier" train train.txt --task parse --head-column 3 --label-column 4 -m columns.model -q
expect 0 "$espalier" tag words.txt -m columns.model -o columns.txt -q
same columns.txt train.txt
expect 0 "$espalier" train heads.txt --task parse --head-column 3 -m heads.model -q
expect 0 "$espalier" tag words.txt -m heads.model -o headed.txt -q
same headed.txt heads.txt
expect 0 "$espalier" eval heads.txt -m heads.model --json -q
equal "$(json /uas /las | tr '\n' ' ')" "100.0 100.0 "

# Cross-validation measures trees.
expect 0 "$espalier" cv train.conllu --task parse -k 2 -p iterations=3 --json -q
awk -v m="$(json /mean/las)" -v p="$(json /pooled/uas)" 'BEGIN { exit !(m > 99 && p > 99) }' || fail_test "cv has LAS $(json /mean/las)"
expect 0 "$espalier" cv train.txt --task parse --head-column 3 --label-column 4 -k 2 -p iterations=3
says out "CLAS"
says err "fold 2 of 2: LAS "

# A template of one's own.
printf '[moves]\ns0.tag b0.tag\ns0.tag s1.tag b0.tag\n[relations]\ndep.tag head.tag side\n' >template.txt
expect 0 "$espalier" train train.conllu --task parse -t template.txt -m small.model -q
expect 0 "$espalier" eval test.conllu -m small.model --json -q
equal "$(json /uas)" 100.0
printf '[moves]\ns0.colour\n' >template.txt
expect 1 "$espalier" train train.conllu --task parse -t template.txt -m none.model -q
says err "template.txt:2: 's0.colour': 'colour' is not known"

# What is refused, with file and line.
bad() {  # bad SCRIPT MESSAGE: a change to the training data
  awk -F'\t' "BEGIN { OFS = \"\\t\" } $1 { print }" train.conllu >bad.conllu
  expect 1 "$espalier" train bad.conllu --task parse -m none.model -q
  says err "$2"
}
bad 'NR == 3 { $7 = 9 }' "bad.conllu:3: the head is 9, but the sentence has"
bad 'NR == 3 { $7 = 1 }' "bad.conllu:3: word 1 is its own head"
bad 'NR == 4 { $7 = 0 }' "bad.conllu:5: word 3 is a second root (head 0); word 2 is one already"
bad 'NR == 4 { $7 = 1 }' "bad.conllu:3: word 1 is below itself: the heads form a cycle"
bad 'NR == 5 { $7 = 2 }' "bad.conllu:3: no word of the sentence is the root"
bad 'NR == 5 { $7 = "_" }' "bad.conllu:5: the head in column 7 is '_'"
bad 'NR == 5 { NF = 6 }' "bad.conllu:5: expected 10 columns"
awk -F'\t' 'BEGIN { OFS = "\t" } NR == 3 { $7 = 9 } { print }' test.conllu >bad.conllu
expect 1 "$espalier" eval bad.conllu -m parse.model -q
says err "bad.conllu:3: the head is 9"
expect 1 "$espalier" eval bad.conllu -m parse.model --keep-going --json -q
equal "$(json /sequences)" 29
expect 2 "$espalier" train train.txt --task parse -m none.model
says err "--head-column"
expect 2 "$espalier" train train.conllu --head-column 7 -m none.model
says err "--head-column needs --task parse"
expect 2 "$espalier" train train.conllu --task parse -m none.model -p history=3
says err "history"
expect 2 "$espalier" train train.conllu -m none.model --learner searn -p system=swap
says err "task parse"
expect 1 "$espalier" tag raw.conllu -m other.model --confidence -q
says err "no probabilities"
expect 1 "$espalier" eval test.conllu -m parse.model --calibration -q
says err "calibration of parsers"

finish
