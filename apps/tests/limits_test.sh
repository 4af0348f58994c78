# What must not take long: feature names, decoding under a time limit, patterns of labels, n-best lists. And numbers on the
# command line that make no sense, for every option of every verb.
source "$(dirname "$0")/testing.sh"

# cpu COMMAND...: runs it, and sets `cpu` to the processor seconds it took.
cpu() {
  local TIMEFORMAT='%U %S'
  { time "$@" >out 2>err; } 2>times || fail_test "failed: $*: $(cat err)"
  cpu=$(awk '{print $1 + $2}' times)
}
# linear_names ARGUMENTS...: names cost little compared with training without them. The two are run in turns until the best of each
# say so: by instructions it is 1.04 to 1.06 times as much, and the rest is what else the machine does.
linear_names() {
  local with=99 without=99
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    cpu "$espalier" train "$@" -m names.model -q -p names=no --threads 1
    without=$(awk -v a="$cpu" -v b="$without" 'BEGIN {print a < b ? a : b}')
    cpu "$espalier" train "$@" -m names.model -q --threads 1
    with=$(awk -v a="$cpu" -v b="$with" 'BEGIN {print a < b ? a : b}')
    awk -v yes="$with" -v no="$without" 'BEGIN {exit !(yes <= 1.25 * no)}' && return
  done
  fail_test "names take too long: $with s instead of $without s: train $*"
}
chunk_data 30 1 >chunks.txt
awk 'BEGIN {for (i = 0; i < 1000; ++i) printf "U%d:%%x[%d,0]/%%x[%d,1]\n", i, i % 7 - 3, i % 5 - 2}' >large.template
linear_names chunks.txt -t large.template
awk 'BEGIN {for (i = 0; i < 60; ++i) printf "U%d:%%x[%d,0]\n", i, i % 7 - 3}' >pairs.template
linear_names chunks.txt -t pairs.template -p degree=2
awk 'BEGIN {srand(1); for (r = 0; r < 6; ++r) {for (c = 0; c < 800; ++c) printf "c%d ", rand() * 50; print (r % 2 ? "A" : "B")}}' >wide.txt
linear_names wide.txt

# within SECONDS COMMAND...: it is done in time. Seconds are generous: machines that run tests are busy.
within() {
  local seconds=$1
  shift
  timeout "$seconds" "$@" >out 2>err
  local status=$?
  [ $status -ne 124 ] || fail_test "not done in $seconds s: $*"
  return $status
}
# A time limit counts for everything that is done for a sequence, and a sequence without a legal labelling is treated the
# same way however many constraints there are.
awk 'BEGIN {srand(2); for (s = 0; s < 30; ++s) {for (t = 0; t < 20; ++t) row(); print ""}}
  function row() {k = int(rand() * 5); print "w" int(rand() * 100), (k == 0 ? "O" : "B-T" k)}' >tags.txt
awk 'BEGIN {srand(3); for (t = 0; t < 3000; ++t) print "w" int(rand() * 100)}' >long.txt
expect 0 "$espalier" train tags.txt -m tags.model -q -p passes=5
for ((i = 1; i <= 12; ++i)); do echo "at most $((900 + i)) of {B-T$((i % 4 + 1)), O}"; done >most.rules
for ((i = 1; i <= 12; ++i)); do echo "at most $((300 + i)) of {B-T$((i % 4 + 1)), O}"; done >clash.rules
for ((i = 1; i <= 40; ++i)); do echo "if B-T$((i % 4 + 1)) then B-T$(((i + 1) % 4 + 1)) after"; done >then.rules
echo "exactly 5 of {B-T1, O}" >exact.rules
# By processor time, since machines that run tests are busy: the limit, half a second more, and what the command takes anyway.
cpu "$espalier" tag long.txt -m tags.model --threads 1
plain=$cpu
for rules in most clash then exact; do
  for limit in 0.1 1; do
    within 15 "$espalier" tag long.txt -m tags.model --constraints $rules.rules --time-limit $limit || fail_test "$rules: $(cat err)"
    equal "$(wc -l <out)" 3001
    cpu "$espalier" tag long.txt -m tags.model --constraints $rules.rules --time-limit $limit --threads 1
    awk -v took="$cpu" -v limit=$limit -v plain="$plain" 'BEGIN {exit !(took <= limit + plain + .5)}' ||
      fail_test "$rules: $cpu s under a limit of $limit s"
  done
done
within 15 "$espalier" tag long.txt -m tags.model --constraints clash.rules --time-limit 1
says err "cannot satisfy the constraints"
echo "at most 300 of {B-*, O}" >one.rules
within 15 "$espalier" tag long.txt -m tags.model --constraints one.rules --time-limit 1
says err "cannot satisfy the constraints"
within 15 "$espalier" tag long.txt -m tags.model --constraints clash.rules --time-limit 1 --strict && fail_test "--strict"
says err "long.txt:1: "

# So does a search: with 12 constraints it has too many states to look at, with 4 it has not.
expect 0 "$espalier" train tags.txt -m search.model --learner searn -q -p passes=2
head -n 400 long.txt >search.txt
for count in 4 12; do
  for ((i = 1; i <= count; ++i)); do echo "at least $((120 + i)) of B-T$((i % 4 + 1))"; done >least.rules
  within 20 "$espalier" tag search.txt -m search.model --constraints least.rules --time-limit 1 || fail_test "$count: $(cat err)"
  says err "1 of 1 sequence cannot satisfy the constraints (in conflict: "
  equal "$(grep -c . out)" 400
  within 20 "$espalier" tag search.txt -m search.model --constraints least.rules --time-limit 1 --strict && fail_test "--strict"
  says err "search.txt:1: no labelling satisfies all constraints; these clash: "
done
# Where it is not known whether there is one, the search keeps to those constraints that it can.
for ((i = 1; i <= 12; ++i)); do echo "at least $((80 + i)) of {B-T$((i % 4 + 1)), O}"; done >wide.rules
within 20 "$espalier" tag search.txt -m search.model --constraints wide.rules --time-limit 1 || fail_test "wide: $(cat err)"
says err "for 1 of 1 sequence no labelling that satisfies the constraints was found within the time limit"
[ "$(grep -cE ' (B-T2|O)$' out)" -ge 81 ] || fail_test "the first constraint is not kept"
within 20 "$espalier" tag search.txt -m search.model --constraints wide.rules --time-limit 1 --strict && fail_test "--strict"
says err "search.txt:1: the constraints have too many joint states for a search"

# The solver of integer programs claims that there is none when its time is over; all O would do here.
head -n 200 long.txt >some.txt
for i in 1 2 3 4; do echo "if B-T$i then B-T$((i % 4 + 1)) after"; done >cycle.rules
within 30 "$espalier" tag some.txt -m tags.model --constraints cycle.rules --decoder ilp --time-limit 1 || fail_test "cycle: $(cat err)"
says_not err "satisf"
equal "$(grep -c ' O$' out)" 200

# Where time ran out it is not said that there is no labelling.
for ((i = 1; i <= 4; ++i)); do echo "at least 700 of B-T$i"; done >least.rules
within 15 "$espalier" tag long.txt -m tags.model --constraints least.rules --time-limit 0.05 || fail_test "least: $(cat err)"
equal "$(wc -l <out)" 3001
says err "for 1 of 1 sequence no labelling that satisfies the constraints was found within the time limit"
says_not err "cannot satisfy"
says_not err "in conflict"
within 15 "$espalier" tag long.txt -m tags.model --constraints least.rules --time-limit 0.05 --strict && fail_test "--strict"
says err "not found in time"
# Without constraints, a limit would have no effect.
for options in "" "--constraints none" "--constraints none --decoder posterior"; do
  # shellcheck disable=SC2086 # several words
  expect 2 "$espalier" tag tags.txt -m tags.model --time-limit 3 $options
  says err "--time-limit needs constraints"
done
expect 2 "$espalier" eval tags.txt -m tags.model --time-limit 3
expect 2 "$espalier" eval --columns tags.txt --time-limit 3
expect 0 "$espalier" eval tags.txt -m tags.model --constraints one.rules --time-limit 3

# Patterns with many stars.
printf 'forbid B%s1 at start\n' "$(head -c 3000 /dev/zero | tr '\0' '*')" >stars.rules
within 15 "$espalier" tag tags.txt -m tags.model --constraints stars.rules || fail_test "stars: $(cat err)"
printf 'forbid {%sx, B-T1} at start\n' "$(for ((i = 0; i < 3000; ++i)); do printf '*T'; done)" >stars.rules
within 15 "$espalier" tag tags.txt -m tags.model --constraints stars.rules

# The n best labellings of a long sequence in which many are equally good.
awk 'BEGIN {for (t = 0; t < 20000; ++t) print "same"}' >same.txt
within 60 "$espalier" tag same.txt -m tags.model --nbest 20 || fail_test "n-best: $(cat err)"
equal "$(grep -c '^# n-best' out)" 20
# Probabilities of the segments of a cascade take time that grows as the text does.
expect 0 "$espalier" train chunks.txt -m cascade.model --learner cascade -q
for n in 2000 16000; do
  awk -v n=$n 'NF {row[k++] = $1 " " $2} END {for (i = 0; i < n; ++i) print row[i % k]}' chunks.txt >long$n.txt
  cpu "$espalier" tag long$n.txt -m cascade.model --confidence --threads 1
  eval "took$n=\$cpu"
done
# shellcheck disable=SC2154 # set above
awk -v short="$took2000" -v long="$took16000" 'BEGIN {exit !(long <= 16 * short + 1)}' ||
  fail_test "eight times the text took $took16000 s instead of $took2000 s"

# Every option that takes a count refuses what is not one.
for verb in train tag eval cv check convert synth inspect explain "ensemble learn" "ensemble apply" "ensemble report" reproduce; do
  # shellcheck disable=SC2086 # a verb may be two words
  expect 0 "$espalier" $verb --help
  grep -oE -e '--[a-z-]+ N( |$)' out | awk '{print $1}' | sort -u >counts.txt
  while read -r option; do
    for value in -5 -1 1.5 1e3 99999999999999999999 x; do
      # shellcheck disable=SC2086
      expect 2 "$espalier" $verb "$option" $value
      says err "$option"
      says err "'$value' is not a"
      [ "$(head -c 300 err | wc -c)" -lt 300 ] || fail_test "a message of more than 300 characters: $option $value"
    done
  done <counts.txt
done
expect 2 "$espalier" synth labels -o nothing --sequences -5
absent nothing
expect 2 "$espalier" tag tags.txt -m tags.model --time-limit 0
says err "'0' is not a number above 0"
finish
