# Searches on the command line: segments and several columns, their decoders, and what is refused.
source "$(dirname "$0")/testing.sh"
chunk_data 150 1 >train.txt
chunk_data 30 2 >test.txt
cut -d' ' -f1 test.txt >words.txt

# Whole chunks: train with a development set, tag, score, explain, look inside.
for learner in searn laso-br; do
  expect 0 "$espalier" train train.txt -m seg.model --task segment --learner $learner --dev test.txt --quiet
  expect 0 "$espalier" tag test.txt -m seg.model -o seg.out --quiet
  expect 0 "$espalier" eval --columns seg.out --json
  f1=$(json /f1)
  expect 0 "$espalier" eval test.txt -m seg.model --json --quiet
  equal "$(json /f1)" "$f1"
  awk -v f="$f1" 'BEGIN { exit !(f >= 97) }' || fail_test "F1 $f1 of $learner"
  expect 0 "$espalier" explain test.txt -m seg.model --sequence 1 --top 3
  says out "before"
  expect 0 "$espalier" inspect seg.model
  says out "task         segment, learned by $learner"
done

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
expect 1 "$espalier" train train.txt -m never.model --task label --learner searn -p lead=1
says err "task joint"

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
expect 2 "$espalier" tag test.txt -m joint.model --format jsonl
expect 0 "$espalier" train train.txt -m short.model --task segment --learner searn -p max-length=2
says out "more than 2 words"
absent never.model
finish
