# Lexicons, word classes and committees on the command line: features of every learner, part of the model, clear errors.
source "$(dirname "$0")/testing.sh"

"$espalier" synth chunking -o toy --sequences 150 -q || fail_test "no data"
cut -f1 -d' ' toy/train.txt | tr '\n' ' ' | sed 's/  /\n/g' >text.txt
expect 0 "$espalier" classes text.txt -k 8 -o classes.txt
says err "in 8 classes"
awk -F'\t' 'NF != 2 { exit 1 }' classes.txt || fail_test "lines of word, tab, class"
expect 0 "$espalier" classes text.txt -k 8 --threads 2 -q
same out classes.txt
head -1 toy/train.txt | awk '{ print $1 "\tfirst" }' >lexicon.txt

for learner in crf cascade "laso-br --task segment" perceptron; do
  # shellcheck disable=SC2086
  expect 0 "$espalier" train toy/train.txt -m lists.model --learner $learner --lexicon lexicon.txt --word-classes classes.txt \
    -p passes=2 -q
  expect 0 "$espalier" eval toy/test.txt -m lists.model --json
  awk -v f1="$(json /f1)" 'BEGIN {exit !(f1 > 60)}' || fail_test "F1 of only $(json /f1) with $learner"
done
expect 0 "$espalier" train toy/train.txt -m lists.model --lexicon lexicon.txt --word-classes classes.txt -p passes=2 -q
mkdir gone && mv lexicon.txt classes.txt gone # the model has its own
expect 0 "$espalier" inspect lists.model --top 1000000
says out "lexicon1[0]=S-first"
says out "class2["
expect 0 "$espalier" explain toy/test.txt -m lists.model --sequence 1
says out "class2["
expect 0 "$espalier" train toy/dev.txt -m more.model --start-from lists.model -p passes=2 -q

: >empty.txt
expect 1 "$espalier" train toy/train.txt -m bad.model --lexicon empty.txt
says err "empty.txt: there is nothing in this lexicon"
printf 'a 1\nb\n' >odd.txt
expect 1 "$espalier" train toy/train.txt -m bad.model --word-classes odd.txt
says err "odd.txt:2: 1 fields"
expect 1 "$espalier" train toy/train.txt -m bad.model --lexicon nowhere.txt
says err "nowhere.txt"
[ ! -e bad.model ] || fail_test "a model was written"
expect 1 "$espalier" classes empty.txt
expect 1 "$espalier" classes nowhere.txt
expect 2 "$espalier" classes text.txt -k 1

# committees
expect 0 "$espalier" train toy/train.txt -m team.model --learner committee -p members=crf:passes=2,perceptron:passes=2 -p folds=2 -q
expect 0 "$espalier" eval toy/test.txt -m team.model --json
awk -v f1="$(json /f1)" 'BEGIN {exit !(f1 > 70)}' || fail_test "F1 of only $(json /f1) of a committee"
expect 0 "$espalier" tag toy/test.txt -m team.model --confidence
expect 0 "$espalier" tag toy/test.txt -m team.model --nbest 2
expect 0 "$espalier" explain toy/test.txt -m team.model --sequence 1
says out "perceptron says"
expect 0 "$espalier" inspect team.model --json
printf 'valid iob2\n' >rules.txt
expect 0 "$espalier" tag toy/test.txt -m team.model --constraints rules.txt
expect 2 "$espalier" train toy/train.txt -m team.model --learner committee -p members=crf
says err "a committee has 2 to 16"
expect 2 "$espalier" train toy/train.txt -m team.model --learner committee --constraints rules.txt
finish
