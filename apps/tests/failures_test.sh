#!/usr/bin/env bash
# When a write, a sync, a rename, a mapping, an allocation or the start of a thread fails, whichever it is, the command says so
# and ends with status 1; an older output file is still there or the new one is complete; nothing else is left behind.
#
#   failures_test.sh ESPALIER JSON_VALUE
#
# try_failures.cc runs the commands. ESPALIER_ALL_FAILURES=1 tries every allocation instead of some hundred (hours).
. "$(dirname "$0")/testing.sh"
tools=$(dirname "$json_value")
all=${ESPALIER_ALL_FAILURES:-0}

chunk_data 12 1 >train.txt
chunk_data 4 2 >dev.txt
awk 'NF { $3 = NR % 7 ? $3 : "O" } { print }' train.txt >expert1.txt
awk 'NF { $3 = NR % 5 ? $3 : "B-NP" } { print }' train.txt >expert2.txt
echo "an older file" >older

# try CALL OUT COMMAND...: `tries` bounds the runs; `before` is the older output file, or nothing.
tries=0
before=older
try() {
  local call=$1 output=$2 on=
  shift 2
  [ "${call#*+}" = "$call" ] || on=--on
  call=${call%+}
  local old=()
  [ -z "$before" ] || [ "$output" = - ] || old=(--old "$before")
  local report
  report=$("$tools/try_failures" --shim "$tools/libfailing_calls.so" --call "$call" $on --tries "$tries" --out "$output" "${old[@]}" \
    -- "$@" 2>&1) || fail_test "$* with a failing $call:
$report"
  echo "${*:2}: ${report##*$'\n'}"
}

# The checks themselves find what is wrong: a program that ignores failures, and one that leaves half a file.
expect 1 "$tools/try_failures" --shim "$tools/libfailing_calls.so" --call write --out new.txt -- /bin/sh -c 'dd if=older of=new.txt 2>/dev/null; exit 0'
says out "FAULT at write 1: status 0 although the call failed"
rm -f new.txt
expect 1 "$tools/try_failures" --shim "$tools/libfailing_calls.so" --call write --out new.txt --old older -- \
  /bin/sh -c 'dd if=older of=new.txt bs=4 2>/dev/null || { echo "espalier: no" >&2; exit 1; }'
says out "FAULT at write 2: the output file is neither the old nor the new one"
rm -f new.txt

"$espalier" train train.txt -m some.model -p passes=2 -q
# Few calls: all are tried.
for call in write write+ fsync rename mmap thread read close; do
  try $call out.model "$espalier" train train.txt -m out.model -p passes=2 --dev dev.txt --threads 3
  try $call out.txt "$espalier" tag dev.txt -m some.model -o out.txt --threads 3
done
for call in write write+ mmap thread read; do
  try $call - "$espalier" tag dev.txt -m some.model --threads 3
done
for call in write write+ fsync rename thread read close; do
  try $call out.votes "$espalier" ensemble learn train.txt expert1.txt expert2.txt -m out.votes --threads 3
done
for call in write write+ fsync rename read close; do
  try $call out.jsonl "$espalier" convert train.txt --to jsonl -o out.jsonl
done
# Votes in a temporary file, checkpoints, no older file.
try write out.votes "$espalier" ensemble learn train.txt expert1.txt expert2.txt -m out.votes --memory 0
before=
for call in write rename fsync; do
  try $call out.model "$espalier" train train.txt -m out.model -p passes=2
done
before=older

# Allocations: thousands.
few=150 fewer=25
[ "$all" = 0 ] || few=0 fewer=0
tries=$few
try malloc out.model "$espalier" train train.txt -m out.model -p passes=2 --threads 1
try malloc out.txt "$espalier" tag dev.txt -m some.model -o out.txt --threads 1
try malloc out.votes "$espalier" ensemble learn train.txt expert1.txt expert2.txt -m out.votes --threads 1
try malloc out.jsonl "$espalier" convert train.txt --to jsonl -o out.jsonl
tries=$fewer
for learner in cascade searn perceptron svm; do
  try malloc out.model "$espalier" train train.txt -m out.model --learner $learner --threads 1
done
finish
