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
no_partial
finish
