# Tasks beyond labels in a row: roles, brackets, variables; their regimes, outputs and refusals.
source "$(dirname "$0")/testing.sh"

# --- roles ---------------------------------------------------------------------------------------------
# predicates NUMBER SEED: subjects, objects (one of them a clause within the other), times.
predicates() {
  awk -v n="$1" -v seed="$2" 'BEGIN {
    srand(seed); split("dog cat king", noun); split("sees likes", verb);
    for (i = 0; i < n; ++i) {
      v = verb[1 + int(rand() * 2)]; a = noun[1 + int(rand() * 3)]; b = noun[1 + int(rand() * 3)]; t = rand() < .5;
      printf "{\"id\":\"s:%d\",\"pred\":1,\"lemma\":\"%s\",\"sense\":\"%s.01\",\"tokens\":[\"%s\",\"%s\",\"the\",\"%s\"%s],", i, v, v, a, v, b, t ? ",\"today\"" : "";
      printf "\"pos\":[\"NN\",\"VBZ\",\"DT\",\"NN\"%s],\"cands\":[", t ? ",\"RB\"" : "";
      printf "{\"b\":3,\"e\":4,\"label\":\"NN\",\"path\":\"NN^NP^VP!VBZ\",\"head\":3,\"hw\":\"%s\",\"role\":\"NONE\"},", b;
      printf "{\"b\":2,\"e\":4,\"label\":\"NP\",\"path\":\"NP^VP!VBZ\",\"head\":3,\"hw\":\"%s\",\"role\":\"ARG1\"},", b;
      printf "{\"b\":0,\"e\":1,\"label\":\"NP\",\"path\":\"NP^S!VP!VBZ\",\"head\":0,\"hw\":\"%s\",\"role\":\"ARG0\"}", a;
      if (t) printf ",{\"b\":4,\"e\":5,\"label\":\"RB\",\"path\":\"RB^VP!VBZ\",\"head\":4,\"hw\":\"today\",\"role\":\"ARGM-TMP\"}";
      printf "],\"missed\":[%s]}\n", i % 5 ? "" : "{\"b\":0,\"e\":2,\"role\":\"ARG2\"}";
    } }'
}
predicates 80 1 >roles.jsonl
predicates 30 2 | gzip >roles-test.jsonl.gz
gzip -dc roles-test.jsonl.gz >roles-test.jsonl
printf '{"id":"x","pred":0,"lemma":"go","sense":"go.01","tokens":["Go"],"pos":["VB"],"cands":[],"missed":[{"role":"ARG1"}]}\n' >>roles-test.jsonl
printf 'sees.01\tARG0 ARG1\nlikes.01\tARG0 ARG1\n' >frames.tsv
printf 'overlap: no overlap\ncore: at most 1 of each {ARG0, ARG1}\nframe: allow lexicon "frames.tsv" by sense of {ARG0, ARG1}\n' >roles.txt
expect 0 "$espalier" train roles.jsonl --task roles -m roles.model --dev roles-test.jsonl.gz -p passes=4 --json -q
equal "$(json /learner)" perceptron
equal "$(json /best_round | wc -l)" 1
expect 0 "$espalier" train roles.jsonl --task roles -m ibt.model --constraints roles.txt -p passes=4 -q
expect 0 "$espalier" eval roles-test.jsonl.gz -m roles.model --json -q --check-constraints roles.txt
equal "$(json /roles/predicates /roles/arguments /constraints/checked | tr '\n' ' ')" "30 81 30 "
expect 0 "$espalier" eval roles-test.jsonl -m roles.model --constraints roles.txt
says out "31 predicates"
says out "accuracy over candidates"
says out "argument-type accuracy"
says out "no constraint is broken in 31 of 31 (100.00 %)"
expect 0 "$espalier" eval roles-test.jsonl -m ibt.model --json -q
equal "$(json /constraints/legal_percent)" 100.0
# a line without its predicate is refused, with file and line
{ head -n 2 roles.jsonl; head -n 1 roles.jsonl | sed 's/"pred":1,//'; } >nopred.jsonl
for verb in "train nopred.jsonl --task roles -m no.model" "tag nopred.jsonl -m roles.model -o no.jsonl" "eval nopred.jsonl -m roles.model"; do
  # shellcheck disable=SC2086 # several words
  expect 1 "$espalier" $verb
  says err "nopred.jsonl:3: not a predicate of the task roles (docs/tasks.md): key 'pred' not found"
done
absent no.model no.jsonl
# numbers of tokens are whole, and no others are taken for them
for wrong in -1 0.5 1e60 '"1"'; do
  sed "2s/\"pred\":1,/\"pred\":$wrong,/" roles.jsonl >wrong.jsonl
  expect 1 "$espalier" train wrong.jsonl --task roles -m wrong.model -q
  says err "wrong.jsonl:2: not a predicate of the task roles (docs/tasks.md): expected a whole number"
done

# numbers that would be changed when the line is written again are refused, too
sed '1s/"pred":1,/"pred":1,"note":18446744073709551616,/' roles.jsonl >oversized.jsonl
expect 1 "$espalier" tag oversized.jsonl -m roles.model -o no.jsonl
says err "oversized.jsonl:1: the number '18446744073709551616' has more than 64 bits"
absent no.jsonl
# What is predicted stands in the lines, candidates where they were.
expect 0 "$espalier" tag roles-test.jsonl -m roles.model -o tagged.jsonl --constraints roles.txt -q
equal "$(wc -l <tagged.jsonl)" 31
sed 's/"missed"/\n/' tagged.jsonl | grep -c '"b":3,"e":4.*"b":2,"e":4.*"b":0,"e":1' >count
equal "$(cat count)" 30
expect 0 "$espalier" eval tagged.jsonl -m roles.model --constraints roles.txt --json -q
equal "$(json /accuracy)" 100.0
expect 0 "$espalier" tag roles-test.jsonl -m roles.model --confidence -q
says out '"confidence":"'
expect 0 "$espalier" tag roles-test.jsonl -m roles.model --constraints roles.txt --decoder ilp -o ilp.jsonl -q
same tagged.jsonl ilp.jsonl
printf 'one: at most 0 of ARG1\n' >none.txt
expect 0 "$espalier" tag roles-test.jsonl -m roles.model --constraints none.txt --why --json -q
says out '"constraint":"one"'
expect 0 "$espalier" explain roles-test.jsonl -m roles.model --sequence 1
says out "before"
expect 0 "$espalier" cv roles.jsonl --task roles --constraints roles.txt -k 2 -p passes=2 --json -q
equal "$(json /pooled/roles/predicates /pooled/constraints/sequences | tr '\n' ' ')" "80 80 "
expect 0 "$espalier" cv roles.jsonl --task roles -k 2 -p passes=2
says out "argument-type accuracy"
expect 0 "$espalier" inspect roles.model
says out "roles, learned by perceptron"
# Refusals.
expect 1 "$espalier" train roles.jsonl --task roles -m never.model --learner crf --constraints roles.txt
says err "only goes with regular"
expect 2 "$espalier" train roles.jsonl --task roles -m never.model --learner cascade
says err "does not learn task roles"
expect 2 "$espalier" train roles.jsonl --task roles -m never.model --format conllu
expect 2 "$espalier" train roles.jsonl --task roles -m never.model --feature-columns 1
expect 2 "$espalier" train roles.jsonl --task role -m never.model
says err "did you mean 'roles'"
printf 'valid iob2\n' >scheme.txt
expect 1 "$espalier" tag roles-test.jsonl -m roles.model --constraints scheme.txt -o never.jsonl
says err "are not a sequence"
expect 1 "$espalier" tag roles-test.jsonl -m roles.model --constraints roles.txt --confidence -o never.jsonl
says err "need constraints that are regular"
sed '3s/"pos"/"pot"/' roles.jsonl >broken.jsonl
expect 1 "$espalier" train broken.jsonl --task roles -m never.model
says err "broken.jsonl:3:"
sed 's/,"role":"NONE"//' roles.jsonl >unlabelled.jsonl
expect 1 "$espalier" train unlabelled.jsonl --task roles -m never.model
says err 'unlabelled.jsonl:1: a candidate has no "role"'
expect 0 "$espalier" tag unlabelled.jsonl -m roles.model -q -o labelled.jsonl
absent never.model never.jsonl

# --- brackets ------------------------------------------------------------------------------------------
np() { chunk_data "$1" "$2" | awk '{ if (NF && $3 !~ /-NP$/) $3 = "O"; print }'; }
np 60 1 >np.txt
np 20 2 >np-test.txt
for regime in global local; do
  expect 0 "$espalier" train np.txt --task brackets -m np.model --dev np-test.txt -p training=$regime -p passes=4 -q
  expect 0 "$espalier" tag np-test.txt -m np.model -o np.out -q
  equal "$(awk 'NF && $4 != $3' np.out | wc -l)" 0
done
expect 0 "$espalier" eval np-test.txt -m np.model --json -q
equal "$(json /f1)" 100.0
expect 0 "$espalier" explain np-test.txt -m np.model --sequence 1
says out "begins: "
expect 0 "$espalier" inspect np.model
says out "ends: "
expect 1 "$espalier" tag np-test.txt -m np.model --confidence -o never.txt
says err "without probabilities"
expect 1 "$espalier" tag np-test.txt -m np.model --constraints scheme.txt -o never.txt
says err "does not support constraints"
expect 2 "$espalier" train np.txt --task brackets -m never.model --constraints scheme.txt
says err "does not support constraints"
chunk_data 5 1 >several.txt
expect 1 "$espalier" train several.txt --task brackets -m never.model
says err "phrases of one type, and these are NP, PP, VP"
expect 2 "$espalier" train np.txt --task brackets -m never.model --learner crf
expect 2 "$espalier" train np.txt --task label -m never.model --learner brackets
absent never.model never.txt

# --- variables -----------------------------------------------------------------------------------------
expect 0 "$espalier" synth variables -o vars --sequences 400 --dimensions 10 --kappa 1 -q
equal "$(wc -l <vars/train.jsonl)" 400
equal "$(wc -l <vars/legal.txt)" 16
expect 0 "$espalier" train vars/train.jsonl --task variables -m lo.model -p passes=30 -p calibrate=no -q
expect 0 "$espalier" train vars/train.jsonl --task variables -m ibt.model -p passes=30 -p calibrate=no -q --constraints vars/constraints.txt
expect 0 "$espalier" eval vars/test.jsonl -m lo.model --json -q
local=$(json /accuracy)
expect 0 "$espalier" eval vars/test.jsonl -m ibt.model --json -q
awk -v a="$local" -v b="$(json /accuracy)" 'BEGIN { exit !(b > a + 5) }' || fail_test "inference-based training does not help: $local"
equal "$(json /constraints/legal_percent)" 100.0
expect 0 "$espalier" tag vars/test.jsonl -m lo.model --constraints vars/constraints.txt -o vars.out -q
sed 's/.*"y":\[//; s/\]}//; s/,/ /g' vars.out | sort -u | while read -r y; do grep -qx "$y" vars/legal.txt || echo "$y"; done >illegal
equal "$(wc -l <illegal)" 0
# One representation, three regimes: local alone, under constraints when it tags, and trained through them.
for classifier in logistic perceptron; do
  expect 0 "$espalier" train vars/train.jsonl --task variables -m lo.model --learner local -p classifier=$classifier -q
  expect 0 "$espalier" train vars/train.jsonl --task variables -m ibt.model --learner local -p classifier=$classifier -q --constraints vars/constraints.txt
  expect 0 "$espalier" eval vars/test.jsonl -m lo.model --json -q
  alone=$(json /accuracy)
  expect 0 "$espalier" eval vars/test.jsonl -m lo.model --constraints vars/constraints.txt --json -q
  inferred=$(json /accuracy)
  expect 0 "$espalier" eval vars/test.jsonl -m ibt.model --json -q
  through=$(json /accuracy)
  awk -v a="$alone" -v b="$inferred" -v c="$through" 'BEGIN { exit !(b > a + 2 && c > b + 4) }' ||
    fail_test "local by $classifier: $alone alone, $inferred with inference, $through trained through it"
done
expect 2 "$espalier" train vars/train.jsonl --task variables -m never.model --learner local -p classifier=svm --constraints vars/constraints.txt
says err "classifier=svm and quadratic-svm cannot be trained with constraints"
absent never.model

expect 0 "$espalier" cv vars/train.jsonl --task variables -k 2 -p passes=2 -p calibrate=no --json -q
equal "$(json /pooled/sequences)" 400
printf '0 1\n' >short.txt
printf 'assignments "short.txt"\n' >short-constraints.txt
expect 1 "$espalier" tag vars/test.jsonl -m lo.model --constraints short-constraints.txt
says err "2 labels where every instance has 5"
expect 2 "$espalier" synth variables -o vars2 --kappa 2
printf '{"x":[[1],[2]],"y":[0]}\n' >bad.jsonl
expect 1 "$espalier" train bad.jsonl --task variables -m never.model
says err 'bad.jsonl:1: expected "y" with 2 values'
absent never.model

finish
