# tune chooses the thresholds of a cascade anew, and nothing else.
source "$(dirname "$0")/testing.sh"

chunk_data 300 1 >train.txt
chunk_data 80 2 >dev.txt
expect 0 "$espalier" train train.txt -m c.model --learner cascade -p passes=4 -p filter-passes=2 --json --threads 2
equal "$(json /levels/0/order)" 1
equal "$(json /levels/2/order)" 3
for key in states alpha filter_loss efficiency_loss alive seconds; do json "/levels/1/$key" >/dev/null; done
expect 0 "$espalier" train train.txt -m again.model --learner cascade -p passes=4 -p filter-passes=2 --threads 1
same c.model again.model
expect 0 "$espalier" inspect c.model --json
json /levels/0/filter_loss >/dev/null

# A budget is kept, the model written whole, a plot drawn.
expect 0 "$espalier" tune c.model --dev dev.txt --budget 2 -o fast.model --plot p.svg --json
awk -v a="$(json /levels/0/alive)" -v b="$(json /levels/1/alive)" 'BEGIN {exit !(a <= 2 && b <= 2)}' ||
  fail_test "more alive than the budget allows"
grep -q '<svg' p.svg || fail_test "no plot"
same c.model again.model
expect 0 "$espalier" eval dev.txt -m fast.model --json
awk -v a="$(json /accuracy)" 'BEGIN {exit !(a > 90)}' || fail_test "the tuned model is no good"
expect 0 "$espalier" tune c.model --dev dev.txt --filter-loss 0.01
says out "filter loss"
expect 0 "$espalier" tag dev.txt -m c.model --nbest 2 --confidence

# What cannot be.
cp fast.model before.model
expect 1 "$espalier" tune fast.model --dev missing.txt
expect 2 "$espalier" tune fast.model --dev dev.txt --budget 0.5
expect 2 "$espalier" tune fast.model --dev dev.txt --budget 2 --filter-loss 0.1
expect 2 "$espalier" tune fast.model --dev dev.txt --filter-loss 7
expect 2 "$espalier" tune fast.model
same fast.model before.model
expect 0 "$espalier" train train.txt -m crf.model -p passes=2
expect 1 "$espalier" tune crf.model --dev dev.txt
says err "only a cascade has thresholds"
expect 0 "$espalier" train train.txt -m one.model --learner cascade -p order=1 -p passes=2
expect 1 "$espalier" tune one.model --dev dev.txt
says err "one level"

# Bad input to training.
expect 1 "$espalier" train train.txt -m x.model --learner cascade -p levels=2,1
says err "lower order"
[ ! -e x.model ] || fail_test "a model was written all the same"
printf 'a X\n\nb X\n\nc X\n\n' >one_label.txt
expect 0 "$espalier" train one_label.txt -m tiny.model --learner cascade -p order=4
expect 0 "$espalier" tag one_label.txt -m tiny.model
