# Input that is wrong: status 1, a message that names file and line, nothing half-written. And odd input that is not.
source "$(dirname "$0")/testing.sh"

chunk_data 100 1 >train.txt
chunk_data 20 2 >test.txt
expect 0 "$espalier" train train.txt -m good.model -q -p passes=3

# bad_training MESSAGE ARGUMENTS...: training fails, says so, and leaves an older model alone.
bad_training() {
  local message=$1
  shift
  echo "older" >bad.model
  expect 1 "$espalier" train "$@" -m bad.model
  says err "espalier: "
  says err "$message"
  equal "$(cat bad.model)" "older"
  equal "$(cat out)" ""
}
# bad_tagging MESSAGE INPUT MODEL
bad_tagging() {
  expect 1 "$espalier" tag "$2" -m "$3" -o out.txt
  says err "$1"
  absent out.txt
}

printf 'a X B-NP\nb Y\n' >ragged.txt
bad_training "ragged.txt:2:" ragged.txt
{ cat train.txt; printf 'one two three four five\n'; } >ragged_late.txt
bad_training "ragged_late.txt:$(wc -l <ragged_late.txt):" ragged_late.txt
bad_tagging "ragged_late.txt:$(wc -l <ragged_late.txt):" ragged_late.txt good.model

printf 'U00:%%x[0,0]\nU01:%%x[0,7]\nB\n' >missing_column.template
bad_training "missing_column.template:2:" train.txt -t missing_column.template
expect 1 "$espalier" check train.txt -t missing_column.template
says err "missing_column.template:2:"
printf 'Q00:%%x[0,0]\n' >broken.template
bad_training "broken.template:1:" train.txt -t broken.template
bad_training "nowhere.template" train.txt -t nowhere.template

printf 'caf\xe9 NN B-NP\n\n' >latin.txt
bad_training "latin.txt:1:" latin.txt
expect 1 "$espalier" check latin.txt
says err "latin.txt:1"
expect 0 "$espalier" train latin.txt -m latin.model --encoding latin1 -q
expect 0 "$espalier" train latin.txt -m bytes.model --encoding bytes -q

# UTF-8 given to a model of latin1 is neither garbled nor tagged
printf 'caf\xc3\xa9\tNN\n\n' >utf8.txt
expect 1 "$espalier" tag utf8.txt -m latin.model
says err "utf8.txt:1: the line is UTF-8"
says err "--encoding utf-8"
expect 0 "$espalier" tag utf8.txt -m latin.model --encoding utf-8
equal "$(head -n 1 out)" "$(printf 'caf\xc3\xa9\tNN\tB-NP')"

# training that diverges ends at once, with a message and without a model; whatever the learner, label weights are not so large
# that scores are lost in them
for learner in crf perceptron svm memm local cascade; do
  for weight in 1e300 1e30; do
    bad_training "training would diverge" train.txt --learner $learner -p label-weights=B-NP:$weight
    says err "parameter label-weights"
  done
done
expect 0 "$espalier" train train.txt -m heavy.model --learner perceptron -p label-weights=B-NP:1e6 -q
# where nothing holds the weights back, it is noticed at the end of a pass
awk 'BEGIN {for (s = 0; s < 8; ++s) {for (t = 0; t < 5; ++t) print substr("ABC", 1 + (s * t + s) % 3, 1) "\tw=" t % 2 ":1e15"; print ""}}' >steep.items
bad_training "training has diverged: the loss per token is not a number after pass " steep.items --format crfsuite -p rate=1000 -p l2=0
says err "no model was written"
no_partial
# values of attributes that no learner can use are refused wherever they are read, large ones are warned of
awk 'NF {print $3 "\tw=" $1 ":1e30\tt=" $2} !NF {print ""}' train.txt >huge.items
for learner in crf perceptron searn laso-br cascade; do
  bad_training "huge.items:1: the value '1e30' of attribute 'w=" huge.items --format crfsuite --learner $learner
done
expect 1 "$espalier" check huge.items --format crfsuite
says err "is not a number from -1e+15 to 1e+15"
awk 'NF {print $3 "\tw=" $1 "\ttime:" 1.7e9 + NR "\tt=" $2} !NF {print ""}' train.txt >large.items
expect 0 "$espalier" train large.items -m large.model --format crfsuite -p passes=2
says err "large.items:"
says err "attribute 'time' has a value of size 1.7e+09"
expect 0 "$espalier" check large.items --format crfsuite
says out "attribute 'time' has a value of size 1.7e+09"
awk 'NF {print $3 "\tw=" $1 "\tt=" $2} !NF {print ""}' train.txt >small.items
expect 0 "$espalier" train small.items -m small.model --format crfsuite -p passes=2
says_not err "has a value of size"
sed 's/\tw=/\tlong:1e30\tw=/' small.items >long.items
expect 1 "$espalier" tag long.items -m small.model
says err "long.items:1: the value '1e30' of attribute 'long'"
# the largest that are taken keep every figure within the numbers there are
awk 'NF {print $3 "\tw=" $1 ":1e15\tt=" $2 ":1e15"} !NF {print ""}' train.txt >most.items
for learner in crf perceptron svm laso-br cascade; do
  expect 0 "$espalier" train most.items -m most.model --format crfsuite --learner $learner -p passes=3 --json
  says_not out "\"objective\": null"
  expect 0 "$espalier" tag most.items -m most.model
done

: >empty.txt
bad_training "empty.txt" empty.txt
expect 0 "$espalier" tag empty.txt -m good.model
equal "$(cat out)" ""
printf '\n\n\n' >blank.txt
bad_training "blank.txt" blank.txt

printf 'A\tw=1:nan\n\n' >nan.items
bad_training "nan.items:1:" nan.items --format crfsuite
printf 'A\tw=1:0.5\nB\tw=2:inf\n\n' >inf.items
bad_training "inf.items:2:" inf.items --format crfsuite

bad_training "nowhere.txt" nowhere.txt
bad_training "nowhere.txt" train.txt --dev nowhere.txt
bad_tagging "nowhere.txt" nowhere.txt good.model
bad_tagging "nowhere.model" test.txt nowhere.model
bad_training "has none" train.txt --folds 1-2

# damaged models
head -c 1000 good.model >cut.model
bad_tagging "cut.model" test.txt cut.model
size=$(stat -c %s good.model)
for at in 3 40 $((size / 2)) $((size - 5)); do
  cp good.model flipped.model
  byte=$(dd if=good.model bs=1 skip="$at" count=1 2>/dev/null | od -An -tu1 | tr -d ' ')
  printf "\\x$(printf %02x $((byte ^ 4)))" | dd of=flipped.model bs=1 seek="$at" conv=notrunc 2>/dev/null
  bad_tagging "flipped.model" test.txt flipped.model
  expect 1 "$espalier" inspect flipped.model
done
bad_tagging "train.txt" test.txt train.txt

# outputs that cannot be written, and are said to be before any work is done
expect 1 "$espalier" train train.txt -m no/such/directory/x.model
says err "no/such/directory"
expect 1 "$espalier" tag test.txt -m good.model -o no/such/directory/x.txt
mkdir directory
expect 1 "$espalier" train train.txt -m directory
expect 1 "$espalier" train train.txt -m train.txt
says err "both an input and a file to be written"
chunk_data 100 1 | cmp -s - train.txt || fail_test "the training data was overwritten"
# No output replaces anything that the command reads.
printf 'valid iob2\n' >rules.txt
cp good.model kept.model
cp rules.txt kept.rules
cp test.txt kept.txt
for lost in good.model rules.txt test.txt; do
  expect 1 "$espalier" tag test.txt -m good.model --constraints rules.txt -o $lost
  says err "'$lost' is both an input and a file to be written"
done
same good.model kept.model
same rules.txt kept.rules
same test.txt kept.txt
expect 1 "$espalier" classes test.txt -k 4 -o test.txt
same test.txt kept.txt
cp train.txt data.checkpoint
expect 1 "$espalier" train data.checkpoint -m data --checkpoint-every 1 -p passes=2
same data.checkpoint train.txt
# Files that are written while standard input, output and error are closed get no messages into them.
{ cat test.txt; echo a b c d e f g; } >ragged.txt
"$espalier" tag ragged.txt -m good.model -o apart.txt --keep-going <&- >&- 2>&-
equal $? 1
if grep -q "espalier:" apart.txt; then fail_test "a message is in the output"; fi
# A template is as empty for check as it is for train.
: >empty.template
expect 2 "$espalier" check train.txt -t empty.template
expect 2 "$espalier" train train.txt -t empty.template -m x.model
if [ -w /dev/full ]; then
  "$espalier" tag test.txt -m good.model >/dev/full 2>err
  equal $? 1
  says err "standard output"
fi

# a label column that is not there
bad_training "label" train.txt --label-column 9

# odd, but right
same_as_train() {
  expect 0 "$espalier" train "$1" -m odd.model -q -p passes=3
  same odd.model good.model
}
sed 's/$/\r/' train.txt >crlf.txt
same_as_train crlf.txt
{ printf '\xef\xbb\xbf'; cat train.txt; } >bom.txt
same_as_train bom.txt
{ printf '\n\n'; sed 's/^$/\n/' train.txt; } >more_blanks.txt
same_as_train more_blanks.txt
printf '%s' "$(cat train.txt)" >no_end.txt
same_as_train no_end.txt
gzip -c train.txt >train.txt.gz
same_as_train train.txt.gz

awk 'NF {print; print ""}' train.txt >ones.txt
expect 0 "$espalier" train ones.txt -m ones.model -q -p passes=2
expect 0 "$espalier" tag ones.txt -m ones.model
equal "$(grep -c '^$' out)" "$(grep -c '^$' ones.txt)"

awk 'NF' train.txt train.txt train.txt train.txt train.txt train.txt train.txt train.txt train.txt train.txt |
  head -n 10000 >long.txt
while [ "$(wc -l <long.txt)" -lt 10000 ]; do cat long.txt long.txt | head -n 10000 >longer.txt && mv longer.txt long.txt; done
expect 0 "$espalier" tag long.txt -m good.model --confidence
equal "$(grep -c . out)" 10000
expect 0 "$espalier" train long.txt -m long.model -q -p passes=2

sed 's/B-NP$/:/; s/I-NP$/:/' train.txt >colon.txt
expect 0 "$espalier" train colon.txt -m colon.model -q -p passes=3
expect 0 "$espalier" eval colon.txt -m colon.model --json
equal "$(json '/by_label/:/gold')" "$(grep -c ' :$' colon.txt)"
expect 0 "$espalier" convert colon.txt --to crfsuite -o colon.items
expect 0 "$espalier" convert colon.items --format crfsuite --to jsonl
says out '":"'

# a token's label that is not known is learned around and not scored
awk 'NF {if (NR % 3 == 0) $3 = "_"} {print}' train.txt >partial.txt
expect 0 "$espalier" train partial.txt -m partial.model -q -p passes=3
expect 0 "$espalier" eval partial.txt -m partial.model --json
equal "$(json /tokens)" "$(grep -vc -e '^$' -e ' _$' partial.txt)"

# no verb writes over what it reads
unchanged() {  # FILE COMMAND...
  local file=$1 before
  shift
  before=$(cksum <"$file")
  expect 1 "$@"
  says err "is both an input and a file to be written"
  equal "$(cksum <"$file")" "$before"
}
"$espalier" tag test.txt -m good.model -o expert.txt -q
cp expert.txt expert2.txt
expect 0 "$espalier" ensemble learn test.txt expert.txt expert2.txt -m votes.model -q
unchanged test.txt "$espalier" ensemble learn test.txt expert.txt expert2.txt -m test.txt
unchanged expert2.txt "$espalier" ensemble learn test.txt expert.txt expert2.txt -m expert2.txt
unchanged expert.txt "$espalier" ensemble apply expert.txt expert2.txt -m votes.model -o expert.txt
unchanged votes.model "$espalier" ensemble apply expert.txt expert2.txt -m votes.model -o votes.model
unchanged test.txt "$espalier" convert test.txt --to jsonl -o test.txt
printf 'scheme: valid iob2\n' >rules.txt
unchanged rules.txt "$espalier" cv test.txt -k 2 --constraints rules.txt --save-predictions rules.txt
mkdir -p copies
cp test.txt copies/train.txt
unchanged copies/train.txt "$espalier" synth copies -o copies --source copies/train.txt

# experts in another order than they were learned in
expect 0 "$espalier" ensemble apply expert.txt expert2.txt -m votes.model -o voted.txt -q
expect 1 "$espalier" ensemble apply expert2.txt expert.txt -m votes.model
says err "the experts are in another order than in training, which was expert.txt, expert2.txt"
expect 1 "$espalier" ensemble report test.txt expert2.txt expert.txt -m votes.model
says err "in another order"

# the same file twice
expect 1 "$espalier" cv test.txt ./test.txt -k 2
says err "'./test.txt' is given twice"
expect 0 "$espalier" train test.txt test.txt -m twice.model -p passes=1
says err "warning: 'test.txt' is given twice"
expect 0 "$espalier" eval test.txt test.txt -m good.model
says err "warning: 'test.txt' is given twice"

# one stray label does not turn the score of segments into one of tokens
expect 0 "$espalier" eval test.txt -m good.model --json -q
equal "$(json /unit)" chunk
f1=$(json /f1)
awk 'NR == 1 { $NF = "b-np" } { print }' test.txt >stray.txt
expect 0 "$espalier" eval stray.txt -m good.model --json -q
equal "$(json /unit)" chunk
equal "$(json /stray_labels/b-np)" 1
awk -v a="$f1" -v b="$(json /f1)" 'BEGIN { exit !(a - b < 3 && b - a < 3) }' || fail_test "one stray label: F1 $f1 becomes $(json /f1)"
expect 0 "$espalier" eval stray.txt -m good.model
says out "the gold label 'b-np' (1 token) is none of a segment"

# the last two columns of a file with confidences are not gold and predicted
expect 0 "$espalier" tag test.txt -m good.model --confidence -o confident.txt -q
expect 0 "$espalier" eval --columns confident.txt
says err "in the last two columns; are they the gold and the predicted label?"

# carriage returns as the ends of lines
tr '\n' '\r' <test.txt >macintosh.txt
bad_training "macintosh.txt:1: a carriage return within the line" macintosh.txt
bad_tagging "macintosh.txt:1: a carriage return within the line" macintosh.txt good.model

# a third score where there are two labels
printf 'O B\n1 2 3\n' >scores.txt
expect 1 "$espalier" decode scores.txt
says err "the cell after 2 scores is the number '3', not a label"
printf 'O B\n1 2 B\n\n1 2 X\n' >scores.txt
expect 0 "$espalier" decode scores.txt

# rows with another number of columns than the model that is trained further
cut -d' ' -f1,3 train.txt >narrow.txt
bad_training "narrow.txt: rows of 2 columns, but the model good.model was trained on rows of 3 columns" narrow.txt --start-from good.model
# unless all that it lacks are columns that the model does not read
expect 0 "$espalier" train train.txt -m words.model --feature-columns 1 -q
expect 0 "$espalier" train narrow.txt -m further.model --start-from words.model -q

# explain reads the encoding that its message names
expect 1 "$espalier" explain utf8.txt -m latin.model
says err "--encoding utf-8"
expect 0 "$espalier" explain utf8.txt -m latin.model --encoding utf-8
finish
