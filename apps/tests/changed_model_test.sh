#!/usr/bin/env bash
# A model file that another program changes in place while `tag` runs: a small model goes on with the labels it had; a large
# one, which is mapped, ends with a message and status 1, never with wrong labels or a signal.
#
#   changed_model_test.sh ESPALIER JSON_VALUE
. "$(dirname "$0")/testing.sh"
trap '' PIPE  # a tagger that has ended reads no more

chunk_data 20 1 >train.txt
chunk_data 2 2 >two.txt
first=$(awk '{ print } !NF { exit }' two.txt)
expect 0 "$espalier" train train.txt -m small.model -p passes=2 -q
# Long words make a large model of few tokens: over 64 MB, most of it names of features.
awk 'BEGIN {
  for (i = 0; i < 3; ++i) filler = filler "abcdefghijklmnopqrstuvwxyz0123456789"
  while (length(filler) < 1500) filler = filler filler
  for (i = 0; i < 7000; ++i) print i filler, (i % 2 ? "odd" : "even") (i % 8 ? "" : "\n")
}' >long.txt
expect 0 "$espalier" train long.txt -m large.model -p passes=1 -q
size=$(stat -c %s large.model)
[ "$size" -gt $((64 << 20)) ] || fail_test "the large model has only $size bytes"

# change HOW MODEL LINES: tags LINES with MODEL, changes the model after the first answer, and gives LINES again.
change() {
  local how=$1 model=$2 text=$3 waited=0
  cp "$model" used.model
  rm -f input answers
  mkfifo input
  "$espalier" tag -m used.model <input >answers 2>err &
  local tagger=$!
  exec 3>input
  printf '%s\n\n' "$text" >&3
  until [ -s answers ] || [ $((waited += 1)) -gt 600 ]; do sleep 0.05; done
  cp answers before
  sleep 0.05  # the time of change of a file has the grain of the kernel's clock
  case $how in
    cut) truncate -s 100 used.model ;;
    overwritten) dd if=/dev/zero of=used.model bs=4096 count=$((size / 8192)) conv=notrunc 2>/dev/null ;;
    signal) kill -BUS $tagger ;;
  esac
  printf '%s\n\n' "$text" >&3 2>/dev/null
  exec 3>&-
  wait $tagger
  status=$?
}

for how in cut overwritten; do
  change $how small.model "$first"
  equal $status 0
  cat before before >twice
  same answers twice
  change $how large.model "1 even"
  equal $status 1
  says err "'used.model' was changed by another program while it was in use"
  same answers before
done
# Between two checks the system itself may report that a part of the file is gone.
change signal small.model "$first"
equal $status 1
says err "cut short by another program"
# The output file, half written, goes away; the older one stays.
echo older >kept.txt
rm -f input
mkfifo input
"$espalier" tag -m small.model -o kept.txt <input 2>err &
tagger=$!
exec 3>input
printf '%s\n\n' "$first" >&3
for ((waited = 0; waited < 600; ++waited)); do
  ls kept.txt.partial-* >/dev/null 2>&1 && break
  sleep 0.05
done
kill -BUS $tagger
exec 3>&-
wait $tagger
equal $? 1
equal "$(cat kept.txt)" older
finish
