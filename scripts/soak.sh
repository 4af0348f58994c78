#!/usr/bin/env bash
# Random commands for a while: none may crash, hang or leave a half-written file. The seed fixes the commands.
#
#   scripts/soak.sh [SECONDS [SEED [ESPALIER]]]        default: 3600 s, seed 1, build/release/espalier
#
# A third of the commands get damaged files or senseless options: they must end with status 1 or 2 and a message. One command
# is a `tag` that lives as long as the run and is asked again and again: its memory must not grow by more than a tenth. Prints a line per minute and
# a summary; the exit status is 1 if anything was wrong, and the folder of the run is then kept.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
seconds=${1:-3600}
RANDOM=${2:-1}
espalier=$(realpath "${3:-$root/build/release/espalier}")
work=$(mktemp -d "${TMPDIR:-/tmp}/espalier-soak-XXXXXX")
cd "$work" || exit 1
wrong=0 runs=0 refused=0
complain() {
  echo "soak: $*" >&2
  echo "$*" >>faults
  wrong=$((wrong + 1))
}

# pick WORD...: one of them, in $picked. (A subshell would draw the same random number every time.)
pick() {
  local -a words=("$@")
  picked=${words[RANDOM % $#]}
}

# sample FILE: some sequences of the bundled corpus, in three columns.
sample() {
  awk -v seed="$RANDOM" -v share=$((RANDOM % 4 + 1)) 'BEGIN { srand(seed) } NR == 1 || !before { keep = rand() * 20 < share }
    { before = NF } keep { print }' "$root/corpus/train.txt" >"$1"
  [ -s "$1" ] || head -n 40 "$root/corpus/train.txt" >"$1"
}

# damage FROM TO: a copy with some bytes changed, cut or repeated.
damage() {
  local size at
  size=$(stat -c %s "$1")
  at=$((size == 0 ? 0 : (RANDOM * 32768 + RANDOM) % size))
  cp "$1" "$2"
  case $((RANDOM % 4)) in
    0) truncate -s $at "$2" ;;
    1) head -c $((RANDOM % 64)) /dev/urandom | dd of="$2" bs=1 seek=$at conv=notrunc 2>/dev/null ;;
    2) tail -c +$((at + 1)) "$1" >"$2" ;;
    3) cat "$1" >>"$2" ;;
  esac
}

# run KIND WORD...: a command of the program. KIND `sound` must succeed, `any` may be refused with a message.
run() {
  local kind=$1 status
  shift
  runs=$((runs + 1))
  timeout -k 5 300 "$espalier" "$@" >out 2>err </dev/null
  status=$?
  if [ $status -eq 0 ]; then
    :
  elif [ $status -le 2 ] && [ "$kind" = any ]; then
    refused=$((refused + 1))
    grep -q '^espalier: ' err || complain "status $status without a message: $*"
    grep -q 'defect in espalier' err && complain "a defect: $*: $(head -n 1 err)"
  else
    complain "status $status: $*: $(tail -n 1 err | cut -c1-200)"
  fi
  if compgen -G '*.partial-*' >/dev/null; then
    complain "left behind by $*: $(compgen -G '*.partial-*')"
    rm -f -- *.partial-*
  fi
}

learn() {
  sample train.txt
  pick crf perceptron svm memm local cascade searn laso
  local learner=$picked
  pick 1 2 0
  local threads=$picked
  pick "" "--dev train.txt" "-p cutoff=2"
  # shellcheck disable=SC2086
  run sound train train.txt -m "$learner.model" --learner "$learner" --threads "$threads" $picked -q
}
use() {
  compgen -G '*.model' >/dev/null || learn
  pick ./*.model
  local model=$picked
  sample new.txt
  case $((RANDOM % 6)) in
    0) run sound tag new.txt -m "$model" -o tagged.txt -q ;;
    1) run sound eval new.txt -m "$model" ;;
    2) run any tag new.txt -m "$model" --nbest 3 --json -o tagged.json -q ;;
    3) run any tag new.txt -m "$model" --confidence -o tagged.txt -q ;;
    4) run any explain new.txt -m "$model" --sequence 1 ;;
    5) run any inspect "$model" --top 5 ;;
  esac
}
combine() {
  compgen -G '*.model' >/dev/null || learn
  sample gold.txt
  pick ./*.model
  local one=$picked
  pick ./*.model
  run any ensemble learn gold.txt "$one" "$picked" -m votes.ensemble -q
}
transform() {
  sample data.txt
  pick jsonl crfsuite columns
  run any convert data.txt --to "$picked" -o converted.txt
  run any check data.txt
}
spoil() {
  compgen -G '*.model' >/dev/null || learn
  pick ./*.model
  case $((RANDOM % 5)) in
    0) damage "$picked" bad.damaged && run any tag train.txt -m bad.damaged -o tagged.txt ;;
    1) damage "$root/corpus/test.txt" bad.txt && run any tag bad.txt -m "$picked" -o tagged.txt -q ;;
    2) damage "$root/corpus/test.txt" bad.txt && run any train bad.txt -m bad.damaged -p passes=1 -q ;;
    3) run any train train.txt -m bad.damaged -p "passes=$((RANDOM - 16384))" -p "cutoff=$((RANDOM - 16384))" -q ;;
    4) run any tag train.txt -m "$picked" --nbest $((RANDOM % 40 - 20)) --decoder "$RANDOM" ;;
  esac
}

# The long-lived tagger, on a pipe.
learn
cp -- *.model steady
mkfifo questions
"$espalier" tag -m steady <questions >>answers.txt 2>steady.err &
steady=$!
exec 3>questions
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$steady/status" 2>/dev/null || echo 0; }
asked=0 settled=0
ask() {
  kill -0 $steady 2>/dev/null || { complain "the long-lived tagger has ended: $(cat steady.err)"; return; }
  head -n 200 "$root/corpus/test.txt" >&3
  echo >&3
  asked=$((asked + 1))
  [ $asked -ne 200 ] || settled=$(resident)
  [ $((asked % 500)) -ne 0 ] || : >answers.txt
}

began=$SECONDS minute=0
while [ $((SECONDS - began)) -lt "$seconds" ] && [ $wrong -lt 20 ]; do
  for _ in 1 2 3 4 5; do ask; done
  case $((RANDOM % 9)) in
    0 | 1) learn ;;
    2 | 3) use ;;
    4) combine ;;
    5) transform ;;
    *) spoil ;;
  esac
  if [ $((SECONDS - began)) -ge $((minute + 60)) ]; then
    minute=$((SECONDS - began))
    echo "soak: $minute s, $runs commands, $refused refused, $asked questions, the tagger has $(resident) kB, $wrong faults"
  fi
done
grown=$(resident)
if [ "$settled" -gt 0 ] && [ "$grown" -gt $((settled + settled / 10 + 4096)) ]; then
  complain "the long-lived tagger has grown from $settled kB to $grown kB in $asked questions"
fi
exec 3>&-
wait $steady || complain "the long-lived tagger ended with status $?"
echo "soak: $runs commands in $((SECONDS - began)) s, $refused of them refused as they should be; $asked questions to one tagger, $settled kB after 200, $grown kB at the end; $wrong faults"
if [ $wrong -gt 0 ]; then
  echo "soak: files are in $work" >&2
  exit 1
fi
rm -rf "$work"
