# The command line: help, mistakes (status 2, the nearest word named), and the same model from the same seed.
source "$(dirname "$0")/testing.sh"

chunk_data 120 1 >train.txt
expect 0 "$espalier" train train.txt -m good.model -q -p passes=3

expect 0 "$espalier" --version
says out "espalier 0."
expect 0 "$espalier" --help
for verb in train tag eval cv check convert import decode synth classes inspect explain serve; do
  says out "$verb"
  cp out main_help
  expect 0 "$espalier" $verb --help
  says out "Examples:"
  equal "$(cat err)" ""
  mv main_help out
done
expect 0 "$espalier" train --help
for word in crf perceptron svm memm local cascade searn laso-br "espalier help LEARNER"; do says out "$word"; done
awk 'length($0) > 130 {exit 1}' out || fail_test "train --help has overlong lines"
[ "$(wc -l <out)" -le 80 ] || fail_test "train --help has $(wc -l <out) lines"
expect 0 "$espalier" help
says out "Tasks, and the learners that learn them"
expect 0 "$espalier" help crf
for word in "l2=" "passes=" "cutoff=1" "espalier help crf --all"; do says out "$word"; done
says_not out "epsilon="
[ "$(grep -c '^  [a-z0-9-]*=' out)" -le 12 ] || fail_test "help crf lists more than a dozen parameters"
expect 0 "$espalier" help crf --all
says out "epsilon="
expect 0 "$espalier" help tag
says out "Label sequences with a model"

# wrong MESSAGE ARGUMENTS...
wrong() {
  local message=$1
  shift
  expect 2 "$espalier" "$@"
  says err "$message"
  equal "$(cat out)" ""
}
wrong "verb"
wrong "did you mean train?" trian train.txt
wrong "did you mean --model?" train train.txt --modle x.model
wrong "did you mean --threads?" tag train.txt -m good.model --thread 2
wrong "did you mean --learner?" train train.txt -m x.model --lerner=crf
wrong "did you mean crf?" help crff
wrong "unknown option '--frobnicate'" eval train.txt -m good.model --frobnicate
wrong "unknown option '-o'" explain train.txt -m good.model -o x.txt
says_not err "did you mean"
wrong "--model" train train.txt
wrong "TRAIN" train -m x.model
wrong "perceptron" train train.txt -m x.model --learner perceptorn
wrong "l2" train train.txt -m x.model -p l3=1
wrong "passes" train train.txt -m x.model -p passes=-1
wrong "dropout" train train.txt -m x.model -p dropout=1
wrong "name=value" train train.txt -m x.model -p passes
wrong "there are columns" train train.txt -m x.model --format column
wrong "folds" train train.txt -m x.model --folds x
wrong "columns" train train.txt -m x.model --feature-columns 0
wrong "task" train train.txt -m x.model --task label-it
wrong "encoding" train train.txt -m x.model --encoding utf-9
wrong "standard output" train train.txt -m -
wrong "which model?" tag train.txt
wrong "both name models" tag train.txt -m good.model --pipeline good.model
wrong "MODEL" serve
wrong "from 0 to 65,535" serve good.model --port 70000
wrong "--threads" train train.txt -m x.model --threads -1
wrong "--folds" train train.txt -m x.model --dev-folds 1
wrong "decoder" tag train.txt -m good.model --decoder sideways
wrong "forced column 4" tag train.txt -m good.model --forced-column 4
wrong "forced-column" tag train.txt -m good.model --forced-column 0
wrong "n-best lists" tag train.txt -m good.model --nbest 2 --confidence
wrong "unexpected argument" explain train.txt other.txt -m good.model
wrong "--columns" eval
wrong "TEST" eval -m good.model
wrong "convert" convert train.txt
wrong "scheme" convert train.txt --scheme iob9
absent x.model

# the same seed, the same bytes
for learner in crf perceptron svm memm local; do
  for threads in 1 2; do
    expect 0 "$espalier" train train.txt -m "$learner.$threads.model" --learner $learner -q --threads $threads -p passes=3 --seed 7
  done
  same $learner.1.model $learner.2.model
done
expect 0 "$espalier" train train.txt -m crf.other.model -q -p passes=3 --seed 8
cmp -s crf.1.model crf.other.model && fail_test "another seed gave the same model"

# dropout: by the seed, too; and only where steps are stochastic
for threads in 1 2; do
  expect 0 "$espalier" train train.txt -m "dropout.$threads.model" -q -p passes=3 -p dropout=0.25 --threads $threads
done
same dropout.1.model dropout.2.model
expect 2 "$espalier" train train.txt -m no.model -q -p dropout=0.25 -p algorithm=lbfgs
says err "parameter dropout is for algorithm=adagrad"
absent no.model

# feature columns
expect 0 "$espalier" train train.txt -m words.model --feature-columns 1 -q -p passes=3
cut -d' ' -f1 train.txt >words.txt
expect 0 "$espalier" tag words.txt -m words.model
expect 1 "$espalier" train train.txt -m x.model --feature-columns 1,3
says err "label"
expect 1 "$espalier" train train.txt -m x.model --feature-columns 5
absent x.model

# messages quote long input in part, and still say what is wrong with it
long=$(head -c 50000 /dev/zero | tr '\0' x)
expect 2 "$espalier" train train.txt -m x.model -p "passes=$long"
says err "is not a whole number from 1 to 1,000,000"
[ "$(wc -L <err)" -lt 300 ] || fail_test "a message of $(wc -L <err) characters"
printf 'a b %s\nb c %s\nc d x\n\n' "$long" "$long" >label.txt
expect 0 "$espalier" check label.txt
[ "$(wc -L <out)" -lt 300 ] || fail_test "a line of $(wc -L <out) characters"

# an empty value, as an unset variable leaves it, is not taken for none
for option in --constraints -t --start-from --learner --label-column; do
  expect 2 "$espalier" train train.txt -m never.model $option ''
  says err "its value is empty"
done
expect 2 "$espalier" tag '' -m never.model
says err "its value is empty"
absent never.model
finish
