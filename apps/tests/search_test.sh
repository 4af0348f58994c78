# Searches on the command line: segments and several columns, their decoders, and what is refused.
source "$(dirname "$0")/testing.sh"
chunk_data 150 1 >train.txt
chunk_data 30 2 >test.txt
cut -d' ' -f1 test.txt >words.txt

# Whole chunks: train with a development set, tag, score, explain, look inside; words likewise.
while read -r learner task settings; do
  read -ra p <<<"$settings"
  expect 0 "$espalier" train train.txt -m seg.model --task "$task" --learner "$learner" "${p[@]}" --dev test.txt --quiet
  expect 0 "$espalier" tag test.txt -m seg.model -o seg.out --quiet
  expect 0 "$espalier" eval --columns seg.out --json
  f1=$(json /f1)
  expect 0 "$espalier" eval test.txt -m seg.model --json --quiet
  equal "$(json /f1)" "$f1"
  awk -v f="$f1" 'BEGIN { exit !(f >= 97) }' || fail_test "F1 $f1 of $learner"
  expect 0 "$espalier" explain test.txt -m seg.model --sequence 1 --top 3
  says out "before"
  expect 0 "$espalier" inspect seg.model
  says out "task         $task, learned by $learner"
  says_not out "do not interact"
done <<'END'
laso segment
laso-bst segment
incremental segment
incremental label -p update=early
searn label -p roll-in=aggregate
searn label -p costs=sample -p oracle-roll-outs=0.5 -p beta=0.5
searn segment -p classifier=liblinear -p costing-samples=2
searn segment
laso-br segment
END

# What is shown is said: whose weights, what the other chunk was, that a kernel machine has no weights.
expect 0 "$espalier" explain test.txt -m seg.model --sequence 1
says out "(outside, word"
expect 0 "$espalier" train train.txt -m mixed.model --learner searn -p beta=0.5 -p iterations=3 --quiet
expect 0 "$espalier" inspect mixed.model --top 1000
says out "strongest features, of the classifier with the largest share, number 3 of 3"
says out "classifier   perceptron, reduction direct; 3 of them"
says out "history B-NP"
expect 0 "$espalier" explain test.txt -m mixed.model --sequence 1
says out "weights: of the classifier with the largest share"
expect 0 "$espalier" train train.txt -m kernel.model --learner searn -p classifier=quadratic-svm -p iterations=1 --quiet
expect 0 "$espalier" explain test.txt -m kernel.model --sequence 1
says out "a kernel machine has no weights"
says_not out "nothing the model knows"

# Decoders: chosen, and told how they ended.
expect 0 "$espalier" tag test.txt -m seg.model --decoder greedy --verbose -o greedy.out
says err "searches: 0 exact, 30 approximate, 0 out of steps"
expect 0 "$espalier" tag test.txt -m seg.model --decoder beam --beam 3 --nbest 2 -o nbest.out --quiet
says nbest.out "# n-best 2 score"
expect 0 "$espalier" tag test.txt -m seg.model --decoder best-first --beam 4 --json
equal "$(json /sequences/0/search)" "approximate"
equal "$(json /searches/sequences)" 30
expect 2 "$espalier" tag test.txt -m seg.model --beam 0
expect 2 "$espalier" tag test.txt -m seg.model --decoder greedy --beam 3
expect 2 "$espalier" tag test.txt -m seg.model --decoder viterbi
says err "greedy, beam and best-first"
expect 1 "$espalier" tag test.txt -m seg.model --nbest 9
says err "--beam 9"
expect 1 "$espalier" tag test.txt -m seg.model --marginals -o never
says err "no probabilities"
absent never

# Several columns: tags and chunks from words alone.
expect 0 "$espalier" train train.txt -m joint.model --task joint --learner searn --label-column 2,3 --dev test.txt --json --quiet
awk -v f="$(json /log/0/dev_score)" 'BEGIN { exit !(f >= 99) }' || fail_test "dev score of joint"
expect 0 "$espalier" tag words.txt -m joint.model -o joint.out --quiet
equal "$(head -1 joint.out | wc -w)" 3
paste -d' ' test.txt joint.out | awk 'NF > 0 { n += 2; r += ($2 == $5) + ($3 == $6) } END { exit !(r >= .99 * n) }' ||
  fail_test "joint tags are not right"
expect 0 "$espalier" eval test.txt -m joint.model
says out "tokens with every label right"
expect 0 "$espalier" eval test.txt -m joint.model --json --quiet
equal "$(json /joint/columns/0/column)" 2
awk -v f="$(json /joint/token_accuracy)" 'BEGIN { exit !(f >= 99) }' || fail_test "token accuracy of joint"
expect 0 "$espalier" explain words.txt -m joint.model --sequence 1 --json
equal "$(json /sequences/0/tokens/1/column)" 3
expect 0 "$espalier" inspect joint.model --label DT --json
equal "$(json /strongest/0/column)" 2
expect 0 "$espalier" tag words.txt -m joint.model --json
json /sequences/0/others/0/0 >/dev/null

# What cannot be is refused before anything is written.
# CoNLL-U: each label goes to its own field, everything else stays as it was.
conllu() { awk -v OFS='\t' 'NF { print ++n, $1, "_", $2, $3, "_", n - 1, "dep", "_", "a=" n; next } { n = 0; print "" }'; }
conllu <train.txt >train.conllu
conllu <test.txt >test.conllu
awk 'BEGIN { FS = OFS = "\t" } NF { $4 = $5 = "_" } 1' test.conllu >bare.conllu
expect 0 "$espalier" train train.conllu --format conllu -m ud.model --task joint --learner searn --label-column upos,xpos --quiet
expect 0 "$espalier" tag bare.conllu -m ud.model -o ud.out --quiet
paste test.conllu ud.out | awk -F'\t' 'NF > 2 { n += 2; r += ($4 == $14) + ($5 == $15); same += $2 == $12 && $7 == $17 && $10 == $20 }
  END { exit !(r >= .99 * n && same == n / 2) }' || fail_test "joint labels in CoNLL-U"
expect 2 "$espalier" train train.txt -m never.model --task label --learner searn -p lead=1
says err "task joint"
expect 2 "$espalier" train train.txt -m never.model --task segment --learner searn -p classifier=quadratic-svm
says err "take classifier=liblinear"
expect 2 "$espalier" train train.txt -m never.model --learner searn -p samples=3
says err "parameter samples is for costs=sample"
expect 2 "$espalier" train train.txt -m never.model --learner searn -p interpolation=line-search
says err "development set"
expect 2 "$espalier" cv train.txt --learner searn -p loss=f1 -p direction=right-to-left
says err "take loss=hamming"

expect 2 "$espalier" train train.txt -m never.model --task joint --learner searn
says err "--label-column 2,3"
expect 2 "$espalier" train train.txt -m never.model --label-column 2,3
says err "--task joint"
expect 1 "$espalier" train train.txt -m never.model --task joint --learner searn --label-column 2,2
says err "twice"
expect 2 "$espalier" train train.txt -m never.model --task joint --learner crf --label-column 2,3
expect 2 "$espalier" train train.txt -m never.model --learner searn -p beam=0
expect 1 "$espalier" train train.txt -m never.model --task segment --learner searn -p lists=/no/such/list
says err "/no/such/list"
# An initial policy that is searched for: with a wide beam, what is known of the loss anyway.
chunk_data 25 3 >few.txt
expect 0 "$espalier" train few.txt -m known.model --learner searn -p history=1 --quiet
expect 0 "$espalier" train few.txt -m searched.model --learner searn -p history=1 -p oracle=search -p oracle-beam=20 --quiet
expect 0 "$espalier" tag test.txt -m known.model -o known.out --quiet
expect 0 "$espalier" tag test.txt -m searched.model -o searched.out --quiet
same known.out searched.out
expect 0 "$espalier" train few.txt -m searched.model --task segment --learner searn -p unit=word -p oracle=search -p oracle-beam=20 --quiet
expect 0 "$espalier" eval test.txt -m searched.model --json --quiet
awk -v f="$(json /f1)" 'BEGIN { exit !(f >= 95) }' || fail_test "F1 $(json /f1) with oracle=search"
expect 2 "$espalier" train few.txt -m never.model --learner searn -p direction=easiest-first -p oracle=search
says err "oracle=analytic"
expect 2 "$espalier" train few.txt -m never.model --learner searn -p oracle-beam=3
says err "oracle=search"

# Smaller steps: how many there were is said, and nothing that does not go with them is ignored.
awk 'NF { if (++n > 3) next } !NF { n = 0 } 1' few.txt >short.txt
expect 0 "$espalier" train short.txt -m steps.model --learner searn -p interpolation=analytic --json --quiet
equal "$(json /notes/0 | grep -c 'T = 3 actions; of its 2T³ ln T = 60 iterations 60 were made')" 1
json /log/59/round >/dev/null
expect 0 "$espalier" train short.txt -m steps.model --learner searn -p beta=0.5 --json --quiet
equal "$(json /notes/0 | grep -c 'after 9 iterations with beta=0.5')" 1
expect 0 "$espalier" train short.txt -m steps.model --learner searn -p beta=0.5 -p iterations=2
says out "which iterations=auto brings below 0.01"
expect 2 "$espalier" train short.txt -m never.model --learner searn -p interpolation=analytic -p iterations=3
says err "a number of its own"
expect 2 "$espalier" train short.txt -m never.model --learner searn -p roll-in=aggregate -p beta=0.5
says err "the last classifier decides alone"

# A policy that draws: by sequence, whatever the order; a beam is no way to draw.
awk 'NR % 3 == 0 && NF { $3 = "O" } 1' few.txt >noisy.txt
expect 0 "$espalier" train noisy.txt -m drawn.model --learner searn -p beta=0.4 -p iterations=3 -p policy=stochastic --quiet
awk -v RS= '{ s[NR] = $0 } END { for (i = NR; i > 0; i--) print s[i] "\n" }' test.txt >backwards.txt
sequences() { awk -v RS= '{ gsub(/\n/, "|"); print }' "$1" | sort; }
expect 0 "$espalier" tag test.txt -m drawn.model -o drawn.out --quiet --threads 1
expect 0 "$espalier" tag backwards.txt -m drawn.model -o drawn_backwards.out --quiet --threads 3
equal "$(sequences drawn.out)" "$(sequences drawn_backwards.out)"
expect 0 "$espalier" tag test.txt -m drawn.model --decoder greedy -o voted.out --quiet
cmp -s drawn.out voted.out && fail_test "drawing and voting are the same"
expect 1 "$espalier" tag test.txt -m drawn.model --beam 4 -o never
says err "--decoder beam"
absent never
expect 2 "$espalier" tag test.txt -m joint.model --format jsonl
expect 0 "$espalier" train train.txt -m short.model --task segment --learner searn -p max-length=2
says out "more than 2 words"
absent never.model
finish
