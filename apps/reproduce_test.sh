# Every experiment runs in its quick version and prints what a table needs; those whose corpora are not here are named.
source "$(dirname "$0")/testing.sh"

corpora=${ESPALIER_DATA:-$(dirname "$0")/../../shared/data}
expect 0 "$espalier" reproduce --list
names=$(awk '{print $1}' out)
expect 0 "$espalier" reproduce --list --json
json /experiments >/dev/null
expect 2 "$espalier" reproduce
says err "which experiment"
expect 2 "$espalier" reproduce no-such-thing
says err "there is no experiment 'no-such-thing'"

# The experiments are a program of their own, next to the command or in libexec; without it, help works and the rest says why not.
mkdir -p bare/bin bare/libexec/espalier
cp "$espalier" bare/bin/espalier
expect 0 bare/bin/espalier reproduce --help
expect 2 bare/bin/espalier reproduce --lits
says err "did you mean --list"
expect 1 bare/bin/espalier reproduce --list
says err "the experiments are not installed"
cp "$(dirname "$espalier")/espalier-reproduce" bare/libexec/espalier/
expect 0 bare/bin/espalier reproduce --list
equal "$(awk '{print $1}' out)" "$names"
rm -r bare

# A signal reaches them, and the exit status comes back.
"$espalier" reproduce beam-bounds --out plots >out 2>err &
pid=$!
sleep 1
kill -TERM $pid
wait $pid
equal $? 143
equal "$(wc -c <out)" 0

for name in $names; do
  "$espalier" reproduce "$name" --quick --json --data "$corpora" --out plots --quiet >out 2>err
  status=$?
  if [ $status -eq 1 ] && grep -q "names the folder of corpora" err; then
    echo "skipped: $name, $(cat err)"
    continue
  fi
  # A quick version is too small for the papers' claims to be judged by; what must hold always must hold here, too.
  [ $status -eq 0 ] || { fail_test "status $status from reproduce $name --quick"; sed 's/^/    /' err >&2; }
  equal "$(json /name)" "$name"
  for key in settings rows claims checks plots seconds; do json "/$key" >/dev/null; done
  echo "ran: $name"
done
finish
