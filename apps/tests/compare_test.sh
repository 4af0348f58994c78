# Which learner to take: the table, the advice and its command, resuming, an interrupt, a time budget.
source "$(dirname "$0")/testing.sh"
[ -x "$(dirname "$espalier")/espalier-compare" ] || { echo "espalier-compare is not built" >&2; exit 1; }

corpus=$(cd "$(dirname "$0")/../../corpus" && pwd)
# first N FILE: word, tag and chunk of the first sentences.
first() { awk -v n="$1" '!NF {if (++count >= n) exit; print; next} {print $1, $2, $3}' "$2"; }
first 90 "$corpus/train.txt" >train.txt
first 30 "$corpus/test.txt" >test.txt

expect 0 "$espalier" compare train.txt --learners crf,laso-br --list
equal "$(head -1 out)" crf
expect 0 "$espalier" compare train.txt --learners perceptron,crf --grid crf:passes=2 -k 2 --test test.txt --learning-curve \
  --work kept -o page.html --json --threads 1
says err "1 of "
equal "$(json /measure)" F1
equal "$(json /candidates/0/share)" 1.0
equal "$(json /candidates/0/folds)" 2
best=$(json /candidates/0/learner)
awk -v p="$(json /candidates/0/peak_rss_bytes)" 'BEGIN {exit !(p > 1e6)}' || fail_test "the memory of a training was not measured"
awk -v s="$(json /candidates/0/score)" -v l="$(json /candidates/0/interval/0)" -v h="$(json /candidates/0/interval/1)" \
  'BEGIN {exit !(l <= s && s <= h && s > 20)}' || fail_test "the score is not in its interval"
awk -v s="$(json /test/score)" 'BEGIN {exit !(s > 20 && s <= 100)}' || fail_test "no score on the test data"
equal "$(json /learning_curve/scores | tr -cd , | wc -c)" 3
says page.html '<section id="curve">'
says_not page.html '://'
cp out first.json
# The command that it recommends trains.
command=$(json /command)
says out "--learner $best"
expect 0 bash -c "${command/espalier/\"$espalier\"}"
[ -s best.model ] || fail_test "the recommended command wrote no model"

# The same command goes on from what it has: nothing is trained again, and the answer is the same to the last digit.
expect 0 "$espalier" compare train.txt --learners perceptron,crf --grid crf:passes=2 -k 2 --test test.txt --learning-curve \
  --work kept --json --threads 1
same out first.json
says_not err " of "
# Without its folder, scores are the same: they depend on seed and data alone.
expect 0 "$espalier" compare train.txt --learners perceptron,crf --grid crf:passes=2 -k 2 --json --threads 2 -q
equal "$(json /candidates/0/score /candidates/1/score /candidates/0/interval)" \
  "$("$json_value" /candidates/0/score /candidates/1/score /candidates/0/interval <first.json)"

# A time budget is kept, whatever the candidates are.
start=$(date +%s)
expect 0 "$espalier" compare train.txt --time-budget 6s --threads 1 -q
[ $(($(date +%s) - start)) -le 30 ] || fail_test "a budget of 6 s took $(($(date +%s) - start)) s"
says out "take "
says out "espalier train train.txt -m best.model"

# Ctrl-C: what is known is printed, and the trials go on later.
"$espalier" compare train.txt --learners perceptron,crf,cascade -k 5 --work later --threads 1 >out 2>err &
pid=$!
for _ in $(seq 600); do [ "$(ls later 2>/dev/null | wc -l)" -ge 2 ] && break; sleep .1; done
kill -INT $pid
wait $pid
equal $? 130
says out "Interrupted: this is what is known so far."
says out "take "
says err "goes on from later"

# Mistakes on the command line cost no training.
expect 1 "$espalier" compare train.txt --learners no-such
says err "unknown learner"
expect 1 "$espalier" compare train.txt --learners crf --grid beam=5
expect 1 "$espalier" compare train.txt --learners crf --grid l2=-1
expect 2 "$espalier" compare train.txt --time-budget soon
says err "--time-budget 'soon'"
expect 1 "$espalier" compare - <train.txt
expect 1 "$espalier" compare missing.txt
expect 1 "$espalier" compare train.txt -o train.txt
expect 2 "$espalier" compare
finish
