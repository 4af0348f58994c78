# Sourced by the shell tests of the command: a scratch directory, small data, and words to expect things in. testing_test.sh
# tests it. usage: source testing.sh; the test's arguments are the command and json_value.
set -u
espalier=$1
json_value=$2
scratch=$(mktemp -d "${TMPDIR:-/tmp}/espalier-test-XXXXXX")
# One line per failure: a file, because a variable set inside $(...) is lost with the subshell.
failed=$(mktemp "${TMPDIR:-/tmp}/espalier-failed-XXXXXX")
trap 'rm -rf "$scratch" "$failed"' EXIT
cd "$scratch" || exit 1

fail_test() {
  echo "FAILED: $*" >&2
  echo "$*" >>"$failed"
}

# expect STATUS COMMAND...: runs it with output in `out` and messages in `err`.
expect() {
  local wanted=$1
  shift
  "$@" >out 2>err
  local status=$?
  if [ $status -ne "$wanted" ]; then
    fail_test "status $status instead of $wanted from: $*"
    sed 's/^/    /' err >&2
  fi
}

# says FILE TEXT: the file contains the text.
says() { grep -qF -- "$2" "$1" || { fail_test "'$2' is not in $1:"; sed 's/^/    /' "$1" | head -20 >&2; }; }
says_not() { ! grep -qF -- "$2" "$1" || fail_test "'$2' is in $1"; }
absent() { for f in "$@"; do [ ! -e "$f" ] || fail_test "$f exists"; done; }
same() { cmp -s "$1" "$2" || fail_test "$1 and $2 differ"; }
equal() { [ "$1" = "$2" ] || fail_test "'$1' is not '$2'"; }
# No half-written file may be left by anything.
no_partial() { ls | grep -q '\.partial-' && fail_test "left behind: $(ls | grep '\.partial-')"; }

# json POINTER...: prints the values there in the JSON that the last command wrote to `out`. A missing one fails the test, also
# when this is called inside $(...).
json() { "$json_value" "$@" <out || fail_test "no JSON with $*"; }

# chunk_data SEQUENCES SEED: word, tag and chunk, learnable from the words.
chunk_data() {
  awk -v n="$1" -v seed="$2" 'BEGIN {
    srand(seed);
    split("dog cat tree house river king", noun); split("sees likes builds finds", verb); split("big old red", adj);
    for (s = 0; s < n; ++s) {
      phrase(); print verb[1 + int(rand() * 4)], "VB", "B-VP"; phrase();
      if (rand() < .4) { print "in", "IN", "B-PP"; phrase() }
      print ".", ".", "O"; print "";
    }
  }
  function phrase() {
    if (rand() < .2) { print "it", "PRP", "B-NP"; return }
    print (rand() < .5 ? "the" : "a"), "DT", "B-NP";
    if (rand() < .5) print adj[1 + int(rand() * 3)], "JJ", "I-NP";
    print noun[1 + int(rand() * 6)], "NN", "I-NP";
  }'
}

# keep_all_but_two DIR: what `reproduce --all --quick -o DIR` would have kept, but for beam-counterexamples and constrained-bounds,
# which take the least time; sets `number` to how many experiments there are.
keep_all_but_two() {
  local name code
  mkdir -p "$1"
  expect 0 "$espalier" reproduce --list --json
  number=0
  for name in $("$espalier" reproduce --list | awk '{print $1}'); do
    code=$(json "/experiments/$number/code")
    number=$((number + 1))
    case $name in beam-counterexamples | constrained-bounds) continue ;; esac
    printf '{"name":"%s","quick":true,"seed":1,"code":"%s","settings":{},"rows":[],"claims":[],"checks":[],"departures":[],"plots":[],"notes":[]}' \
      "$name" "$code" >"$1/$name.json"
  done
}

finish() {
  no_partial
  [ ! -s "$failed" ] || { echo "$(wc -l <"$failed") failed" >&2; exit 1; }
  echo "passed"
}
