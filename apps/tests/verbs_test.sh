# Every verb does what it says, on small data.
source "$(dirname "$0")/testing.sh"

chunk_data 300 1 >train.txt
chunk_data 60 2 >test.txt
cut -d' ' -f1,2 test.txt >bare.txt
tokens=$(grep -c . test.txt)
sequences=$(grep -c '^$' test.txt)

# train
expect 0 "$espalier" train train.txt -m chunks.model --json --threads 2
equal "$(json /labels)" 5
equal "$(json /sequences)" 300
equal "$(json /interrupted)" false
for key in seconds features model_bytes peak_rss_bytes log/0/objective notes; do json "/$key" >/dev/null; done
equal "$(json /model_bytes)" "$(stat -c %s chunks.model)"
says err "loss per token"
expect 0 "$espalier" train train.txt -m quiet.model --quiet
equal "$(cat out err)" ""
expect 0 "$espalier" train train.txt -m "a model" --dev test.txt
says out "espalier tag INPUT -m 'a model'"
says out "best on development data"
says err "dev "

# tag: with and without labels, through a pipe, to a file
expect 0 "$espalier" tag test.txt -m chunks.model
cp out tagged.txt
equal "$(awk 'NF == 4' tagged.txt | wc -l)" "$tokens"
expect 0 "$espalier" tag bare.txt -m chunks.model -o from_bare.txt
equal "$(cat out)" ""
paste -d' ' bare.txt <(awk '{print $4}' tagged.txt) | sed 's/ $//' >wanted.txt
same from_bare.txt wanted.txt
"$espalier" tag -m chunks.model <bare.txt >piped.txt 2>err || fail_test "tag from standard input"
same piped.txt wanted.txt
expect 0 "$espalier" tag bare.txt -m chunks.model --threads 1
same out wanted.txt

# tag: what else can be printed
expect 0 "$espalier" tag bare.txt -m chunks.model --confidence
equal "$(awk 'NF && NF != 5' out | wc -l)" 0
equal "$(awk 'NF && ($4 < 0.2 || $4 > 1)' out | wc -l)" 0
equal "$(awk '$3 ~ /^B-/ && $5 == "_"' out | wc -l)" 0
equal "$(awk '$3 == "O" && $5 != "_"' out | wc -l)" 0
expect 0 "$espalier" tag bare.txt -m chunks.model --marginals
equal "$(awk 'NF && NF != 8' out | wc -l)" 0
equal "$(awk 'NF {split($4, a, ":"); split($5, b, ":"); if (a[2] < b[2]) print}' out | wc -l)" 0
expect 0 "$espalier" tag bare.txt -m chunks.model --nbest 3
equal "$(grep -c '^# n-best 1 score .* probability ' out)" "$sequences"
equal "$(grep -c '^# n-best 3 ' out)" "$sequences"
expect 0 "$espalier" tag bare.txt -m chunks.model --decoder posterior
expect 0 "$espalier" tag bare.txt -m chunks.model --json --confidence --nbest 2 --marginals
equal "$(json /tokens)" "$tokens"
equal "$(json /sequences/0/tokens/0)" "$(awk 'NR == 1 {print $1}' bare.txt)"
equal "$(json /sequences/0/labels/0)" "$(awk 'NR == 1 {print $3}' wanted.txt)"
for key in seconds tokens_per_second sequences/0/confidence/0 sequences/0/spans/0/probability \
           sequences/0/marginals/0/O sequences/0/nbest/1/probability; do json "/$key" >/dev/null; done
expect 0 "$espalier" tag bare.txt -m chunks.model --format jsonl
equal "$(wc -l <out)" "$sequences"

# forced labels: the last column says B-VP for the first token, the model decides the rest
awk 'BEGIN {first = 1} !NF {print; first = 1; next} {print $1, $2, first ? "B-VP" : "_"; first = 0}' bare.txt >forced.txt
expect 0 "$espalier" tag forced.txt -m chunks.model --forced-column -1
equal "$(awk '$3 == "B-VP" && $4 != "B-VP"' out | wc -l)" 0

# eval: with the model and on columns, the same numbers
expect 0 "$espalier" eval test.txt -m chunks.model --json
f1=$(json /f1)
equal "$(json /tokens)" "$tokens"
equal "$(json /sequences)" "$sequences"
for key in accuracy sequence_accuracy precision recall by_label/NP/f1 seconds tokens_per_second; do
  json "/$key" >/dev/null
done
equal "$(json /calibration)" null
expect 0 "$espalier" eval --columns tagged.txt --json
equal "$(json /f1)" "$f1"
expect 0 "$espalier" eval test.txt -m chunks.model --calibration
says out "processed $tokens tokens"
says out "FB1:"
says out "calibration"
awk -v f1="$f1" 'BEGIN {exit !(f1 > 95)}' || fail_test "F1 of only $f1 on easy data"

# a label that training never saw is an error of the tagger
sed 's/B-PP/B-XY/' test.txt >unseen.txt
expect 0 "$espalier" eval unseen.txt -m chunks.model --json
equal "$(json /by_label/XY/recall)" 0.0

# cv
expect 0 "$espalier" cv train.txt -k 3 --json -p passes=2
equal "$(json /folds/2/fold)" 2
equal "$(json /pooled/sequences)" 300
for key in mean/f1 deviation/f1 pooled/f1; do json "/$key" >/dev/null; done
expect 0 "$espalier" cv train.txt -k 2 -p passes=2
says out "±"
says err "fold 2 of 2"
"$espalier" cv - -k 2 -p passes=2 -q <train.txt >piped_cv 2>err || fail_test "cv from standard input"
same piped_cv out

# the data's own folds
expect 0 "$espalier" convert train.txt --to jsonl -o train.jsonl
awk '{sub(/^\{/, "{\"fold\":" NR % 4 ","); print}' train.jsonl >folds.jsonl
expect 0 "$espalier" cv folds.jsonl --format jsonl --json -p passes=2
equal "$(json /own_folds)" true
equal "$(json /folds/3/fold)" 3
expect 0 "$espalier" train folds.jsonl --format jsonl --folds 1-3 --dev-folds 0 -m folds.model --json -p passes=2
equal "$(json /sequences)" 225
json /log/0/dev_score >/dev/null
expect 0 "$espalier" eval folds.jsonl -m folds.model --folds 0 --json
equal "$(json /sequences)" 75

# check
expect 0 "$espalier" check train.txt --json
equal "$(json /sequences)" 300
equal "$(json /scheme)" iob2
expect 0 "$espalier" check train.txt

# check --separable: p q is A B, q alone is A, so that no weights label q by itself; exactly one A decides between them
printf 'U00:%%x[0,0]\n' >one.template
printf 'exactly 1 of {A}\n' >one.rules
printf 'p A\nr B\n\nr B\np A\n\n' >apart.txt
expect 0 "$espalier" check apart.txt -t one.template --separable --constraints one.rules --json
equal "$(json /separable/local/found) $(json /separable/inference/found) $(json /separable/global/found)" "true true true"
{
  printf 'p A\nq B\n\n'
  for _ in 1 2 3 4 5; do printf 'q A\n\np B\nr A\n\n'; done
} >tied.txt
expect 0 "$espalier" check tied.txt -t one.template --separable --constraints one.rules --json
equal "$(json /separable/local/found) $(json /separable/inference/found) $(json /separable/global/found)" "false false true"
expect 0 "$espalier" check tied.txt -t one.template --separable --constraints one.rules
says out "globally        yes"
says out "locally         no such weights found"
expect 2 "$espalier" check tied.txt --constraints one.rules
says err "is for --separable"
expect 2 "$espalier" check - --separable <tied.txt
says err "give files"

# convert: there and back again
expect 0 "$espalier" convert train.jsonl --format jsonl --to columns -o back.txt
tr ' ' '\t' <train.txt | cmp -s - back.txt || fail_test "columns, jsonl, columns is not the identity"
expect 0 "$espalier" convert train.txt --scheme iobes -o iobes.txt
says iobes.txt "S-VP"
says err "iob2 to iobes"
expect 0 "$espalier" convert iobes.txt --scheme iob2 -o iob2.txt
same iob2.txt train.txt
expect 0 "$espalier" convert train.txt --to crfsuite --scheme bilou
says out "U-VP"
expect 1 "$espalier" convert train.txt --label-column 2 --scheme iobes -o no.txt
absent no.txt

# inspect
expect 0 "$espalier" inspect chunks.model --json
equal "$(json /labels/0)" "$(awk 'NR == 1 {print $3}' train.txt)"
equal "$(json /training_sequences)" 300
equal "$(json /learner)" crf
for key in features weights strongest/0/feature transitions/0/from parameters/l2; do json "/$key" >/dev/null; done
expect 0 "$espalier" inspect chunks.model --top 0
says out "none: --top 0 asks for none"
says_not out "all weights are 0"
expect 0 "$espalier" inspect chunks.model --label B-VP --top 3
says out "strongest features"
expect 1 "$espalier" inspect chunks.model --label B-XX
expect 0 "$espalier" inspect chunks.model --strip small.model
[ "$(stat -c %s small.model)" -lt "$(stat -c %s chunks.model)" ] || fail_test "stripping made it no smaller"
expect 0 "$espalier" tag bare.txt -m small.model
same out wanted.txt
expect 0 "$espalier" inspect small.model
says out "without the names"

# eval: labels that the model has never seen are named, and count as errors
awk '/^$/ {print; next} {n = ++i % 10; print $1, $2, (n == 1 ? "B-ODD" : n == 2 ? "B-RARE" : $3)}' test.txt >odd.txt
tokens=$(grep -c . odd.txt)
odd=$(grep -c B-ODD odd.txt)
rare=$(grep -c B-RARE odd.txt)
expect 0 "$espalier" eval odd.txt -m chunks.model --json
says err "warning: $((odd + rare)) of $tokens tokens have a label that the model has never seen, and count as errors: B-ODD ($odd), B-RARE ($rare)"
equal "$(json /unknown_labels/B-ODD)" "$odd"
"$espalier" tag odd.txt -m chunks.model 2>/dev/null | awk 'NF {n += $3 == $4; t++} END {printf "%.3f", 100 * n / t}' >wanted
awk -v a="$(json /accuracy)" -v b="$(cat wanted)" 'BEGIN {exit !(a - b < .001 && b - a < .001)}' || fail_test "accuracy $(json /accuracy), not $(cat wanted)"
expect 0 "$espalier" eval odd.txt -m chunks.model -q
equal "$(cat err)" ""
expect 0 "$espalier" eval test.txt -m chunks.model
says_not err "never seen"

# explain
expect 0 "$espalier" explain bare.txt -m chunks.model --sequence 2 --json
equal "$(json /sequences/0/sequence)" 2
for key in label runner_up margin contributions/0/weight; do json "/sequences/0/tokens/0/$key" >/dev/null; done
expect 0 "$espalier" explain bare.txt -m chunks.model --sequence 1
says out "before"
expect 1 "$espalier" explain bare.txt -m chunks.model --sequence 100000
# labels and margins without reasons
expect 0 "$espalier" explain bare.txt -m chunks.model --sequence 1 --top 0
says out "before"
equal "$(grep -c . out)" "$(($("$espalier" explain bare.txt -m chunks.model --sequence 1 --json | grep -o '"token":' | wc -l) + 1))"
expect 0 "$espalier" explain bare.txt -m chunks.model --sequence 1 --top 0 --json
equal "$(json /sequences/0/tokens/0/contributions)" "[]"

# synth
expect 0 "$espalier" synth chunking -o toy --sequences 200 --json
equal "$(json /files/0/file)" toy/train.txt
equal "$(grep -c '^$' toy/train.txt)" 200
equal "$(grep -c '^$' toy/test.txt)" 40
expect 0 "$espalier" train toy/train.txt -m toy.model --dev toy/dev.txt -q
expect 0 "$espalier" eval toy/test.txt -m toy.model --json
awk -v f1="$(json /f1)" 'BEGIN {exit !(f1 > 80)}' || fail_test "F1 of only $(json /f1) on synthetic chunks"
expect 0 "$espalier" synth copies -o large --source train.txt --copies 3
equal "$(grep -c '^$' large/train.txt)" 900
expect 2 "$espalier" synth chunkin -o toy
says err "chunking"
expect 2 "$espalier" synth labels -o toy --labels 1
expect 2 "$espalier" synth copies -o toy
expect 1 "$espalier" synth copies -o toy --source nowhere.txt

# every learner trains and tags; going on from a model
for learner in perceptron svm memm local; do
  expect 0 "$espalier" train train.txt -m "$learner.model" --learner "$learner" -p passes=3 -q
  expect 0 "$espalier" tag bare.txt -m "$learner.model" --confidence
done
expect 0 "$espalier" train test.txt -m more.model --start-from chunks.model -p passes=2 -q
expect 0 "$espalier" eval test.txt -m more.model

# broken pipes end quietly
chunk_data 20000 3 | cut -d' ' -f1,2 >long.txt
{ "$espalier" tag long.txt -m chunks.model 2>pipe_err; } | head -n 1 >/dev/null
equal "$(cat pipe_err)" ""
finish
