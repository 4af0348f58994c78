# train --memory: the same model as without, within the bound, and nothing left behind.
source "$(dirname "$0")/testing.sh"

# Words of which most are rare: many more features are counted than are kept.
rare_words() {
  awk -v n="$1" 'BEGIN {
    srand(1)
    for (s = 0; s < n; ++s) {
      for (t = 0; t < 10; ++t) {
        common = rand() < .5
        word = common ? "c" int(rand() * 50) : "r" int(rand() * 1000000)
        print word, (common ? "C" : "R"), "L" (common ? substr(word, 2) % 7 : 7)
      }
      print ""
    }
  }'
}
rare_words 8000 >train.txt
rare_words 200 >dev.txt
mkdir tmp
export TMPDIR=$scratch/tmp

for settings in "--learner crf -p passes=2" "--learner crf -p algorithm=lbfgs -p iterations=3 -p cutoff=2" \
  "--learner perceptron -p passes=2 -p cutoff=2" "--learner memm -p passes=1 --dev dev.txt -p names=no"; do
  # shellcheck disable=SC2086
  expect 0 "$espalier" train train.txt -m without.model $settings --threads 1 -q
  for threads in 1 2; do
    # shellcheck disable=SC2086
    expect 0 "$espalier" train train.txt -m within.model $settings --memory 400M --threads $threads -q
    same within.model without.model
  done
done
equal "$(ls tmp | wc -l)" 0

# Data from a pipe, which cannot be read twice.
expect 0 "$espalier" train train.txt -m without.model -p passes=1 -q
"$espalier" train - -m within.model -p passes=1 --memory 0.4G -q <train.txt || fail_test "no training from a pipe"
same within.model without.model

# The bound holds, as the kernel counts it (VmHWM: the program and its libraries are in it). Without a bound the same training
# takes far more.
rare_words 60000 >large.txt
expect 0 "$espalier" train large.txt -m larger.model -p passes=1 -p cutoff=3 --threads 1 --json
unbounded=$(json /peak_rss_bytes)
for settings in "100M 1" "100M 2" "80M 1"; do
  bound=${settings% *}
  expect 0 "$espalier" train large.txt -m large.model -p passes=1 -p cutoff=3 --memory "$bound" --threads "${settings#* }" --json
  bounded=$(json /peak_rss_bytes)
  [ "$bounded" -le "${bound%M}000000" ] || fail_test "$bounded bytes were taken where $bound are allowed, with ${settings#* } threads"
  [ $((bounded * 2)) -le "$unbounded" ] || fail_test "$bounded bytes were taken with a bound, $unbounded without: this shows nothing"
  same large.model larger.model
done

# What cannot leave memory is refused with a figure and a cut-off that helps.
# (Where features alone are too many, their weights are not known yet: a second refusal is possible.)
expect 1 "$espalier" train large.txt -m refused.model -p passes=1 --memory 64M -q
for _ in 1 2; do
  says err "-p cutoff="
  absent refused.model
  cutoff=$(sed -n 's/.*-p cutoff=\([0-9]*\).*/\1/p' err)
  "$espalier" train large.txt -m refused.model -p passes=1 -p "cutoff=$cutoff" --memory 64M -q >out 2>err && break
done
[ -s refused.model ] || fail_test "the cut-off that was named does not help: $(cat err)"

# A disk that is full: an error, no model, nothing left.
if mkdir full && mount -t tmpfs -o size=1m none full 2>/dev/null; then
  TMPDIR=$scratch/full expect 1 "$espalier" train large.txt -m lost.model --memory 100M -q
  says err "No space left on device"
  says err "TMPDIR"
  equal "$(ls full | wc -l)" 0
  umount full
  absent lost.model
fi
TMPDIR=/does/not/exist expect 1 "$espalier" train train.txt -m lost.model --memory 100M -q
says err "/does/not/exist"

# Stopped while it reads, and while it trains; killed: no file is left, since none has a name.
mkfifo pipe
"$espalier" train - -m stopped.model --memory 100M -p passes=100000 <pipe >out 2>err &
pid=$!
exec 3>pipe
cat train.txt >&3
equal "$(ls tmp | wc -l)" 0
kill -INT $pid
exec 3>&-
wait $pid
equal $? 130
says err "stopped before it began"
absent stopped.model
"$espalier" train train.txt -m stopped.model --memory 100M -p passes=100000 >out 2>err &
pid=$!
for _ in $(seq 600); do
  grep -q "pass [0-9]" err && break
  sleep 0.1
done
equal "$(ls tmp | wc -l)" 0
kill -INT $pid
wait $pid
equal $? 130
says err "usable"
"$espalier" train train.txt -m killed.model --memory 100M -p passes=100000 >out 2>err &
pid=$!
sleep 1
kill -KILL $pid
wait $pid 2>/dev/null
equal "$(ls tmp | wc -l)" 0

# What it does not go with.
for wrong in 2X -1 "" 10M 1e30; do
  expect 2 "$espalier" train train.txt -m no.model "--memory=$wrong"
  says_not err "defect"
done
expect 2 "$espalier" train train.txt -m no.model --memory 1G --learner cascade
says err "--memory goes with crf, memm and perceptron"
expect 2 "$espalier" train train.txt -m no.model --memory 1G --task segment --learner laso-br
finish
