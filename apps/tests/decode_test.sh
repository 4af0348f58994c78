# espalier decode, and the format scores in train, tag and eval.
seeds=$(cd "$(dirname "$0")/../../fuzz/seeds/scores" && pwd)
source "$(dirname "$0")/testing.sh"

printf 'O B-PER I-PER\n0 5 0\n1 0 4\n3 0 0\n\n0 1 2\n' >network.scores
expect 0 "$espalier" decode network.scores
equal "$(awk 'NF { print $NF }' out | tr '\n' ' ')" "I-PER B-PER I-PER O I-PER "
head -1 out >first
equal "$(cat first)" "O B-PER I-PER"
printf 'scheme: valid iob2\n' >rules.txt
expect 0 "$espalier" decode network.scores --constraints rules.txt -o labelled.scores
equal "$(awk 'NF > 3 { print $4 }' labelled.scores | tr '\n' ' ')" "B-PER I-PER O B-PER "
# What decode writes is a labelled file of scores.
expect 0 "$espalier" check labelled.scores

# Transitions decide between labels whose scores are the same.
printf '0 0 -inf\n0 0 3\n0 0 0\n' >crf.txt
printf 'O B-PER I-PER\n0 1 0\n0 0 0\n' >even.scores
expect 0 "$espalier" decode even.scores --transitions crf.txt --json --nbest 2 --marginals
equal "$(json /sequences/0/labels/0 /sequences/0/labels/1 | tr '\n' ' ')" "B-PER I-PER "
json /sequences/0/marginals/0/B-PER >/dev/null
printf '0 0\n' >small.txt
expect 1 "$espalier" decode even.scores --transitions small.txt
says err "expected 9"

# Minus infinity rules out: the best labelling that is left, or an error where none is.
printf 'O B-PER I-PER\n0 0 0\n-inf -inf 3\n' >hard.scores
printf '9 0 -inf\n0 0 0\n0 0 0\n' >never.txt
expect 0 "$espalier" decode hard.scores --transitions never.txt --json --confidence --nbest 3
equal "$(json /sequences/0/labels/1)" I-PER
awk -v p="$(json /sequences/0/nbest/0/probability)" 'BEGIN {exit !(p > .49 && p < .51)}' ||
  fail_test "two labellings are possible, and the best has a probability of $(json /sequences/0/nbest/0/probability)"
printf 'O B-PER I-PER\n0 -inf -inf\n-inf -inf 3\n1 2 0\n' >none.scores
for how in "" --json "--json --confidence" "--json --nbest 3"; do
  expect 1 "$espalier" decode none.scores --transitions never.txt $how
  says err "none.scores:2: no labelling is possible"
done
expect 1 "$espalier" decode none.scores --transitions never.txt --constraints rules.txt
says err "none.scores:2: no labelling satisfies all constraints"

# Arrays of numpy: (1, 2), (3, -inf); an archive with its labels, (1, 2)
cp "$seeds/array" network.npy
cp "$seeds/stored" network.npz
expect 0 "$espalier" decode network.npy --labels A,B
equal "$(cat out)" "$(printf 'A B\n1 2 B\n3 -inf A\n')"
expect 0 "$espalier" decode network.npz
equal "$(cat out)" "$(printf 'A B\n1 2 B\n')"
expect 2 "$espalier" decode network.npy
says err "--labels"
expect 1 "$espalier" decode network.npy --labels A,B,C
head -c 300 network.npz >cut.npz
expect 1 "$espalier" decode cut.npz
says err "cut.npz"

# Wrong files
printf '1 2 3\n4 5 6\n' >no_header
expect 1 "$espalier" decode no_header
says err "must name the labels"
printf 'A B\n1 x\n' >bad.scores
expect 1 "$espalier" decode bad.scores
says err "bad.scores:2: 'x' is not"
printf 'A B\n1\n' >few.scores
expect 1 "$espalier" decode few.scores
printf 'A B\n1 nan\n' >nan.scores
expect 1 "$espalier" decode nan.scores
expect 2 "$espalier" decode even.scores --labels A,B
expect 2 "$espalier" decode even.scores --nbest 3

# Learning on top of scores: a network that confuses A and B, which their neighbours tell apart.
awk 'BEGIN { srand(3); print "A B O"; for (s = 0; s < 200; ++s) { y = rand() < .5 ? "A" : "B"
  print -1, -1, 2, "O"; print 1 + rand(), 1 + rand(), -1, y; print (y == "A" ? "2 0 0 A" : "0 2 0 B"); print "" } }' >train.scores
expect 0 "$espalier" train train.scores -m top.model --quiet
expect 0 "$espalier" eval train.scores -m top.model --json
awk -v a="$(json /accuracy)" 'BEGIN { exit !(a > 95) }' || fail_test "accuracy $(json /accuracy)"
expect 0 "$espalier" decode train.scores -o alone.scores
awk 'NF > 4 && $4 == $5 { ++right } NF > 4 { ++all } END { exit !(right / all < .95) }' alone.scores ||
  fail_test "the scores alone are as good"
expect 0 "$espalier" tag train.scores -m top.model
expect 1 "$espalier" train network.scores -m new.model
says err "a label after the 3 scores is missing"
absent new.model
finish
