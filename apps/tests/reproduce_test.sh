# Every experiment runs in its quick version and prints what a table needs; those whose corpora are not here are named.
source "$(dirname "$0")/testing.sh"

corpora=${ESPALIER_DATA:-$(dirname "$0")/../../../shared/data}
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
  for key in settings rows claims checks departures plots seconds; do json "/$key" >/dev/null; done
  # A quick version checks something, and every row says whose it is.
  json /checks/0/name >/dev/null
  case $(json /rows/0/kind) in printed | ours) ;; *) fail_test "$name: a row of an unknown kind" ;; esac
  echo "ran: $name"
done

# All of them at once, here without corpora: what needs none is run and kept, what was kept is not run again, and the
# page holds both kinds.
expect 2 "$espalier" reproduce --all --quick
says err "needs a folder"
expect 2 "$espalier" reproduce --all beam-bounds -o all
says err "takes no name"
keep_all_but_two all
rm -f all/searn-ner.json
# What was made by other code is run again.
sed -i 's/"code":"[^"]*"/"code":"0"/' all/beam-bounds.json
expect 1 "$espalier" reproduce --all --quick -o all --data no-such-folder
says err "searn-ner not run: no-such-folder"
says err "$((number - 4)) done before"
says err "beam-bounds in "
says err " left"
equal "$(cat out)" "all/index.html"
[ -s all/beam-counterexamples.json ] || fail_test "the result of beam-counterexamples was not kept"
grep -q 'id="beam-counterexamples"' all/index.html || fail_test "the page has no section of beam-counterexamples"
grep -q 'data:image/svg+xml' all/index.html || fail_test "the page has no plot"
grep -q 'searn-ner</td><td colspan="4">not run' all/index.html || fail_test "the page does not say what was not run"
expect 1 "$espalier" reproduce --all --quick -o all --data no-such-folder --json
equal "$(json /page)" "all/index.html"
equal "$(json /not_run/0/name)" searn-ner
says err "$((number - 1)) done before"
# A single experiment that was kept counts as well.
rm all/constrained-bounds.json
expect 0 "$espalier" reproduce constrained-bounds --quick --keep -o all --quiet
[ -s all/constrained-bounds.json ] || fail_test "--keep kept nothing"
expect 1 "$espalier" reproduce --all --quick -o all --data no-such-folder
says err "$((number - 1)) done before"

# A signal ends those that run side by side, and what they had not finished is not kept.
"$espalier" reproduce --all -o stopped --data no-such-folder >out 2>err &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  grep -q ": constrained-synthetic" err && break
  sleep 0.1
done
kill -TERM $pid
wait $pid
equal $? 143
says err "goes on where this one stopped"
[ ! -e stopped/constrained-synthetic.json ] || fail_test "a result that was interrupted was kept"
finish
