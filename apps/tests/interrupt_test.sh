# Ctrl-C: training ends with a usable model, tagging leaves nothing.
source "$(dirname "$0")/testing.sh"

chunk_data 4000 1 >train.txt
chunk_data 20 2 >test.txt

# wait_for PATTERN FILE: until a line shows, ten seconds at most.
wait_for() {
  for _ in $(seq 100); do
    grep -q -- "$1" "$2" 2>/dev/null && return
    sleep 0.1
  done
  fail_test "'$1' never came in $2"
}

for signal in INT:130 TERM:143; do
  "$espalier" train train.txt -m stopped.model --json -p passes=100000 >out 2>err &
  pid=$!
  wait_for "pass [0-9]" err
  kill -${signal%:*} $pid
  wait $pid
  equal $? ${signal#*:}
  says err "usable"
  equal "$(json /interrupted)" true
  expect 0 "$espalier" eval test.txt -m stopped.model --json
  awk -v f1="$(json /f1)" 'BEGIN {exit !(f1 > 95)}' || fail_test "the interrupted model is no good: $(json /f1)"
  rm stopped.model
done

# with -q, the status alone says so
"$espalier" train train.txt -m quiet.model --checkpoint-every 1 -q -p passes=100000 >out 2>err &
pid=$!
for _ in $(seq 100); do
  [ ! -e quiet.model.checkpoint ] || break
  sleep 0.1
done
kill -INT $pid
wait $pid
equal $? 130
equal "$(cat out err)" ""
expect 0 "$espalier" eval test.txt -m quiet.model --json
awk -v f1="$(json /f1)" 'BEGIN {exit !(f1 > 95)}' || fail_test "the interrupted model is no good: $(json /f1)"

# resuming from a checkpoint goes on where the run was cut off
"$espalier" train train.txt -m resumed.model --checkpoint-every 1 -p passes=100000 >out 2>err &
pid=$!
wait_for "pass [0-9]" err
kill -KILL $pid
wait $pid 2>/dev/null
rm -f resumed.model.checkpoint.partial-*  # nobody can clean up after SIGKILL
absent resumed.model
[ -e resumed.model.checkpoint ] || fail_test "no checkpoint"
expect 1 "$espalier" train train.txt -m resumed.model --resume -p passes=99999 -p l2=3
"$espalier" train train.txt -m resumed.model --resume -p passes=100000 --json >out 2>err &
pid=$!
wait_for "pass" err
kill -INT $pid
wait $pid
equal $? 130
[ "$(json /log/0/round)" -ge 3 ] || fail_test "resumed at round $(json /log/0/round)"
[ -s resumed.model ] || fail_test "no model after resuming"

# tagging: waiting for input that does not come
expect 0 "$espalier" train test.txt -m small.model -q -p passes=2
mkfifo pipe
"$espalier" tag -m small.model -o tagged.txt <pipe >out 2>err &
pid=$!
exec 3>pipe
cat test.txt >&3
sleep 0.5
kill -INT $pid
wait $pid
equal $? 130
exec 3>&-
absent tagged.txt

# reading: a named pipe that nobody writes to, or that falls silent, ends within a second of the first Ctrl-C, for every verb
# silent_pipe STATUS SIGNAL COMMAND...: once before anybody has opened the pipe, once after a part of the data.
silent_pipe() {
  local wanted=$1 signal=$2 when started
  shift 2
  for when in unopened paused; do
    [ $when = unopened ] || exec 3<>silent
    "$espalier" "$@" >out 2>err </dev/null &
    pid=$!
    [ $when = unopened ] || head -n 6 test.txt >&3
    sleep 0.7
    kill -"$signal" $pid || fail_test "$* did not wait for the pipe ($when): $(cat err)"
    started=$(seconds)
    wait $pid
    equal "$? $* $when" "$wanted $* $when"
    awk -v a="$started" -v b="$(seconds)" 'BEGIN {exit !(b - a < 1)}' || fail_test "$* is deaf in a silent pipe ($when)"
    [ $when = unopened ] || exec 3>&-
  done
  absent late.model late.txt
}
seconds() { awk '{print $1}' /proc/uptime; }
mkfifo silent
silent_pipe 130 INT tag silent -m small.model -o late.txt
silent_pipe 143 TERM tag silent -m small.model --keep-going
silent_pipe 130 INT train silent -m late.model
silent_pipe 130 INT train test.txt --dev silent -m late.model
silent_pipe 143 TERM train silent -m late.model --learner cascade
silent_pipe 130 INT eval silent -m small.model
silent_pipe 130 INT explain silent -m small.model
silent_pipe 130 INT check silent
silent_pipe 130 INT cv silent
silent_pipe 130 INT classes silent -o late.txt
# training from standard input, too
exec 3<>silent
"$espalier" train - -m late.model <silent >out 2>err &
pid=$!
head -n 6 test.txt >&3
sleep 0.7
kill -INT $pid
wait $pid
equal $? 130
absent late.model
exec 3>&-
# writing: a pipe whose reader does not read, and one without a reader
mkfifo full
exec 3<>full
"$espalier" tag train.txt -m small.model -o full >out 2>err &
pid=$!
sleep 1
kill -TERM $pid || fail_test "the pipe was not full: $(cat err)"
started=$(seconds)
wait $pid
equal $? 143
exec 3>&-
"$espalier" tag train.txt -m small.model -o full >out 2>err &
pid=$!
sleep 0.7
kill -TERM $pid || fail_test "the pipe had a reader: $(cat err)"
wait $pid
equal $? 143
awk -v a="$started" -v b="$(seconds)" 'BEGIN {exit !(b - a < 3)}' || fail_test "tag is deaf while nobody reads its output"

# training by segment: while the features of all spans are looked at
for _ in 1 2 3 4 5; do cat train.txt; done >long.train
"$espalier" train long.train -m late.model --task segment --threads 1 >out 2>err &
pid=$!
sleep 1.5
kill -TERM $pid || fail_test "training by segment ended by itself: $(cat err)"
started=$(seconds)
wait $pid
equal $? 143
awk -v a="$started" -v b="$(seconds)" 'BEGIN {exit !(b - a < 2)}' || fail_test "training by segment is deaf while it encodes"
rm -f late.model

# tagging: in the middle of a block whose sequences take long
chunk_data 200 3 >many.txt
labels=$(awk 'NF { print $NF }' test.txt | sort -u)
for a in $labels; do for b in $labels; do [ "$a" = "$b" ] || echo "if $a then $b"; done; done | head -40 >slow.txt
"$espalier" tag many.txt -m small.model --constraints slow.txt --time-limit 1 -o long.txt >out 2>err &
pid=$!
sleep 2
kill -TERM $pid || fail_test "tagging under slow constraints ended by itself: $(cat err)"
wait $pid
equal $? 143
absent long.txt

# Ctrl-C is never lost, although CBC takes SIGINT for itself while it solves an integer program: a dozen times, at different
# moments, on two threads. The second one ends at once.
for ((i = 0; i < 12; ++i)); do
  "$espalier" tag many.txt -m small.model --constraints slow.txt --threads 2 --time-limit 2 -o long.txt >out 2>err &
  pid=$!
  sleep "0.$((50 + 4 * i))"
  kill -INT $pid || fail_test "tagging under slow constraints ended by itself: $(cat err)"
  wait $pid
  equal $? 130
  says err "interrupted; the output is not complete"
  absent long.txt
done
"$espalier" train many.txt -m stopped.model --learner perceptron --constraints slow.txt --allow-contradictions --threads 2 >out 2>err &
pid=$!
sleep 1
kill -INT $pid || fail_test "training under slow constraints ended by itself: $(cat err)"
wait $pid
equal $? 130
rm -f stopped.model
"$espalier" tag many.txt -m small.model --constraints slow.txt --threads 2 -o long.txt >out 2>err &
pid=$!
sleep 1
kill -INT $pid
kill -INT $pid 2>/dev/null
started=$(seconds)
wait $pid
equal $? 130
awk -v a="$started" -v b="$(seconds)" 'BEGIN {exit !(b - a < 2)}' || fail_test "a second Ctrl-C did not end it at once"
absent long.txt
rm -f .long.txt.partial-* long.txt.partial-*

# ends_at_once WHAT: Ctrl-C ends the tagging in process $pid, which is busy with WHAT, within seconds and without output.
ends_at_once() {
  kill -INT "$pid" || fail_test "$1 was done too soon: $(cat err)"
  local started
  started=$(seconds)
  wait "$pid"
  equal $? 130
  awk -v a="$started" -v b="$(seconds)" 'BEGIN {exit !(b - a < 3)}' || fail_test "$1 is deaf to Ctrl-C"
  absent long.txt
}

# tagging: in the middle of one sequence whose integer program may take a minute
awk 'BEGIN {srand(2); for (s = 0; s < 30; ++s) {for (t = 0; t < 20; ++t) row(); print ""}}
  function row() {k = int(rand() * 5); print "w" int(rand() * 100), (k == 0 ? "O" : "B-T" k)}' >tags.txt
awk 'BEGIN {srand(3); for (t = 0; t < 1500; ++t) print "w" int(rand() * 100)}' >hard.txt
for ((i = 1; i <= 40; ++i)); do echo "if B-T$((i % 4 + 1)) then B-T$(((i + 1) % 4 + 1)) after soft $i"; done >then.rules
expect 0 "$espalier" train tags.txt -m tags.model -q -p passes=5
"$espalier" tag hard.txt -m tags.model --constraints then.rules --time-limit 60 -o long.txt >out 2>err &
pid=$!
sleep 2
ends_at_once "an integer program"

# tagging: in the middle of one sequence whose n-best list takes long
awk 'NF {row[n++] = $1 " " $2} END {for (i = 0; i < 100000; ++i) print row[i % n]}' test.txt >endless.txt
"$espalier" tag endless.txt -m small.model --nbest 1000 -o long.txt >out 2>err &
pid=$!
sleep 3
ends_at_once "an n-best list"
no_partial
finish
