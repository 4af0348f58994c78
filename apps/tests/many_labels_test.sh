# Data with thousands of labels, such as a wrong label column gives: train says so before anybody waits, every phase can
# be stopped, and check knows how much memory the pairs of labels take.
source "$(dirname "$0")/testing.sh"

# many_labels LABELS SEQUENCES: ten tokens each, and every label occurs.
many_labels() {
  awk -v labels="$1" -v n="$2" 'BEGIN {
    for (s = 0; s < n; ++s) {
      for (t = 0; t < 10; ++t) print "w" (s * 7 + t) % 500 "\tL" (s * 10 + t) % labels
      print ""
    }
  }'
}

many_labels 1500 150 >train.txt

# What check knows, train says, and says it first.
expect 0 "$espalier" check train.txt
says out "1500 different labels on 1500 tokens: is the label column right?"
[ "$(grep -c . out)" -lt 60 ] || fail_test "check prints a line for every label"
"$espalier" train train.txt -m stopped.model --threads 1 >out 2>err &
pid=$!
for _ in $(seq 300); do
  grep -q "is the label column right" err 2>/dev/null && break
  sleep 0.1
done
says err "1500 different labels on 1500 tokens: is the label column right?"
kill -0 $pid || fail_test "the remark came after training"

# Stopped in the middle of a sequence, not at the end of a batch, a pass, or a look at all the data. Processor time counts:
# machines that run tests are busy.
ticks() { awk '{sub(/.*\) /, ""); print $12 + $13}' "/proc/$1/stat" 2>/dev/null; }
# stop_after SECONDS WHAT: ends the process $pid when it has worked so long; a second of work later, it has ended.
stop_after() {
  local per_second at now
  per_second=$(getconf CLK_TCK)
  until now=$(ticks $pid) && [ -n "$now" ] && [ "$now" -ge $(($1 * per_second)) ]; do
    kill -0 $pid 2>/dev/null || { fail_test "$2: ended before it was stopped: $(tail -n 1 err)"; return; }
    sleep 0.02
  done
  at=$now
  kill -TERM $pid
  while now=$(ticks $pid) && [ -n "$now" ] && [ "$now" -gt 0 ]; do
    [ $((now - at)) -le $((3 * per_second / 2)) ] || {
      fail_test "$2: works on for more than a second after it was stopped"
      kill -KILL $pid
    }
    sleep 0.02
  done
  wait $pid
  equal $? 143
}
stop_after 2 "many labels"

# A single sequence that takes many seconds.
awk 'BEGIN {for (t = 0; t < 6000; ++t) print "w" t % 500 "\tL" t % 1500}' >long.txt
for learner in crf perceptron; do
  "$espalier" train long.txt -m stopped.model --learner $learner --threads 1 >out 2>err &
  pid=$!
  stop_after 1 "a long sequence, $learner"
done
# No step has been made: a model of zeros is none, and takes the place of no other.
expect 0 "$espalier" train train.txt -m older.model --learner local -p passes=1 -q
cp older.model stopped.model
for learner in crf perceptron svm; do
  "$espalier" train long.txt -m stopped.model --learner $learner --threads 1 >out 2>err &
  pid=$!
  stop_after 1 "before the first step, $learner"
  says err "stopped before its first step, and there is no model"
  cmp -s older.model stopped.model || fail_test "$learner: a model that has learned nothing replaced another one"
done

# The solvers of other libraries look at no flag.
awk 'BEGIN {srand(1); for (t = 0; t < 9000; ++t) {for (i = 0; i < 9; ++i) printf "w%d ", rand() * 99; print "L" int(rand() * 2) (t % 9 ? "" : "\n")}}' >noise.txt
"$espalier" train noise.txt -m none.model --learner local -p classifier=quadratic-svm >out 2>err &
pid=$!
stop_after 2 "libsvm"
absent none.model

# Stopped while it reads: no model, and a status that says so.
mkfifo pipe
"$espalier" train pipe -m none.model >out 2>err &
pid=$!
exec 3>pipe
many_labels 5 3000 >&3
kill -INT $pid
many_labels 5 30 >&3 2>/dev/null
exec 3>&-
wait $pid
equal $? 130
says err "stopped"
absent none.model

# The look at 16-bit weights is a sample, and shows in the progress.
many_labels 900 300 >train.txt
expect 0 "$espalier" train train.txt -m full.model -p passes=1 --threads 1 --json
rss=$(json /peak_rss_bytes)

# It is one for learners of single tokens, too: with 1,520 labels it costs less than a pass does.
cpu() {
  local TIMEFORMAT='%U %S'
  { time "$@" >out 2>err; } 2>times || fail_test "failed: $*: $(cat err)"
  awk '{print $1 + $2}' times
}
many_labels 1520 1520 >tokens.txt
took=()
for bits in 32 auto; do
  took[${#took[@]}]=$(cpu "$espalier" train tokens.txt -m local.model --learner local -p passes=1 -p weight-bits=$bits --threads 1 -q)
done
awk -v without="${took[0]}" -v with="${took[1]}" 'BEGIN {exit !(with <= 2 * without + .5)}' ||
  fail_test "local: ${took[1]} s with the look at 16 bits, ${took[0]} s without"

# The memory that check announces is what training takes: 72 bytes for each pair of labels.
many_labels 4200 420 >wide.txt
expect 0 "$espalier" check wide.txt
says out "training a crf with 4200 labels takes about 1.3 GB for the pairs of labels alone"
awk -v rss="$rss" 'BEGIN {pairs = 72 * 900 * 904; exit !(rss > 0.8 * pairs && rss < 2.5 * pairs)}' ||
  fail_test "900 labels took $rss bytes, which the estimate does not explain"
finish
