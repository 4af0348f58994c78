# tune chooses the thresholds of a cascade again, and nothing else.
source "$(dirname "$0")/testing.sh"

"$espalier" synth labels -o . --sequences 400 --labels 8 --noise 0.02 -q || fail_test "no data"
expect 0 "$espalier" train train.txt -m c.model --learner cascade -p passes=4 -p filter-passes=2 --json --threads 2
equal "$(json /levels/0/order)" 1
equal "$(json /levels/2/order)" 3
for key in states alpha filter_loss efficiency_loss alive seconds; do json "/levels/1/$key" >/dev/null; done
expect 0 "$espalier" train train.txt -m again.model --learner cascade -p passes=4 -p filter-passes=2 --threads 1
same c.model again.model
# where the filters leave one label, there is no margin
expect 0 "$espalier" explain train.txt -m c.model
says_not out "by constraints"
says_not out "by inf"
says out "no other label was left"
expect 0 "$espalier" inspect c.model --json
json /details/levels/0/filter_loss >/dev/null

# A budget is kept, the model written whole, a plot drawn.
expect 0 "$espalier" tune c.model --dev dev.txt --budget 2 -o fast.model --plot p.svg --json
awk -v a="$(json /levels/0/alive)" -v b="$(json /levels/1/alive)" 'BEGIN {exit !(a <= 2 && b <= 2)}' ||
  fail_test "more alive than the budget allows"
grep -q '<svg' p.svg || fail_test "no plot"
same c.model again.model
expect 0 "$espalier" eval dev.txt -m c.model --json
before=$(json /accuracy)
expect 0 "$espalier" eval dev.txt -m fast.model --json
awk -v a="$(json /accuracy)" -v b="$before" 'BEGIN {exit !(b > 50 && a > b - 5)}' || fail_test "tuned $(json /accuracy), before $before"
expect 0 "$espalier" tune c.model --dev dev.txt --filter-loss 0.01
says out "filter loss"
expect 0 "$espalier" tag dev.txt -m c.model --nbest 2
expect 0 "$espalier" tag dev.txt -m c.model --confidence

# A loss that no threshold meets is met by keeping everything.
expect 0 "$espalier" tune c.model --dev dev.txt --filter-loss 0 -o all.model --json
equal "$(json /levels/0/filter_loss)" 0.0
expect 0 "$espalier" eval dev.txt -m all.model --json

# What cannot be.
cp fast.model before.model
expect 1 "$espalier" tune fast.model --dev missing.txt
expect 1 "$espalier" tune c.model --dev dev.txt --filter-loss 0.1,0.2,0.3,0.4,0.5 -o never.model
says err "5 filter losses are given, but the cascade has 2 filters"
expect 2 "$espalier" tune fast.model --dev dev.txt --budget 0.5
expect 2 "$espalier" tune fast.model --dev dev.txt --budget 2 --filter-loss 0.1
expect 2 "$espalier" tune fast.model --dev dev.txt --filter-loss 7
expect 2 "$espalier" tune fast.model
same fast.model before.model
# No input is replaced: neither data nor the model that another file is to be made of.
cp dev.txt before.txt
ln -s dev.txt link.txt
for arguments in "-o dev.txt" "-o ./dev.txt" "-o link.txt" "--plot dev.txt" "--plot link.txt" "--plot fast.model" "-o new.model --plot new.model"; do
  # shellcheck disable=SC2086 # several words
  "$espalier" tune fast.model --dev dev.txt --budget 2 $arguments >out 2>err && fail_test "tune $arguments replaces an input"
  grep -q "espalier: " err || fail_test "tune $arguments says nothing"
done
same dev.txt before.txt
same fast.model before.model
absent new.model
expect 0 "$espalier" train train.txt -m crf.model -p passes=2
expect 1 "$espalier" tune crf.model --dev dev.txt
says err "only a cascade has thresholds"
expect 0 "$espalier" train train.txt -m one.model --learner cascade -p order=1 -p passes=2
expect 1 "$espalier" tune one.model --dev dev.txt
says err "one level"

# Bad input to training.
expect 2 "$espalier" train train.txt -m x.model --learner cascade -p levels=2,1
says err "lower order"
[ ! -e x.model ] || fail_test "a model was written all the same"
printf 'a X\n\nb X\n\nc X\n\n' >one_label.txt
expect 0 "$espalier" train one_label.txt -m tiny.model --learner cascade -p order=4
expect 0 "$espalier" tag one_label.txt -m tiny.model
equal "$(grep -c X out)" 3

# Sequences shorter than the order, and a label that training has not seen.
printf 'a X\nb Y\n\nb Y\n\na X\n\n' >short.txt
expect 0 "$espalier" train short.txt -m short.model --learner cascade -p order=5
printf 'a X\nb Z\n\n' >unseen.txt
expect 0 "$espalier" eval unseen.txt -m short.model --json
equal "$(json /accuracy)" 50.0
expect 0 "$espalier" tune short.model --dev unseen.txt --filter-loss 0.5 -o other.model
printf 'a Q\n\n' >none.txt
expect 1 "$espalier" tune short.model --dev none.txt --filter-loss 0.5 -o never.model
says err "no label of the data is one of the model's"
absent never.model
expect 1 "$espalier" train train.txt -m never.model --learner cascade -p filter=dictionary -p filter-loss=0
says err "cannot be met; the nearest is"
absent never.model

# A run that was cut off goes on from its checkpoint.
"$espalier" train train.txt -m resumed.model --learner cascade -p passes=100000 -p filter-passes=1 --checkpoint-every 1 >out 2>err &
pid=$!
while ! grep -q "pass 2" err; do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
kill -KILL $pid
wait $pid 2>/dev/null
rm -f resumed.model.checkpoint.partial-*
[ -s resumed.model.checkpoint ] || fail_test "no checkpoint"
expect 1 "$espalier" train train.txt -m resumed.model --learner cascade -p passes=7 -p filter-passes=1 --resume
says err "belongs to a run with other"
finish
