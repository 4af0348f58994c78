# espalier-mpi: several processes train the model of one, whatever their number; errors, deaths and resuming. Runs where MPI was
# built (make build MPI=1).
source "$(dirname "$0")/testing.sh"

mpi=$(dirname "$espalier")/espalier-mpi
[ -x "$mpi" ] || { echo "$mpi is not there: built without MPI=1" >&2; exit 1; }
unset DISPLAY
# ranks N ARGUMENTS...: espalier-mpi on so many ranks of this machine, which may have fewer processors.
ranks() {
  local n=$1
  shift
  timeout 120 mpirun --allow-run-as-root --oversubscribe --mca btl self,vader --mca plm isolated -n "$n" "$mpi" "$@"
}

chunk_data 60 1 >a.txt
chunk_data 25 2 | gzip >b.txt.gz
chunk_data 7 3 >c.txt
chunk_data 20 4 >dev.txt
files="a.txt b.txt.gz c.txt"

# The same bytes for 1, 2 and 4 ranks, with 1 and 2 threads, as espalier writes.
for settings in "-p passes=3" "-p algorithm=lbfgs -p iterations=5" "--learner perceptron -p passes=3"; do
  # shellcheck disable=SC2086
  expect 0 "$espalier" train $files -m one.model --threads 1 -q $settings
  for shape in 1:2 2:1 2:2 4:1 4:2; do
    # shellcheck disable=SC2086
    expect 0 ranks ${shape%:*} train $files -m several.model --threads ${shape#*:} -q $settings
    same one.model several.model
    rm -f several.model
  done
done

# Only rank 0 talks; the report says how many there were.
expect 0 ranks 4 train $files -m several.model --threads 1 --json --dev dev.txt -p passes=3 -p batch=16
equal "$(json /ranks)" 4
equal "$(json /sequences)" 92
equal "$(grep -c '"model":' out)" 1
[ "$(json /use_of_ranks/3/received_bytes)" -gt 0 ] || fail_test "rank 3 has received nothing"
awk -v worked="$(json /use_of_ranks/3/processor_seconds)" 'BEGIN {exit !(worked > 0)}' || fail_test "rank 3 has done no work"
expect 0 "$espalier" train $files -m one.model --threads 1 --dev dev.txt -p passes=3 -p batch=16 --json
same one.model several.model
expect 0 ranks 2 train $files -m several.model --threads 1 -p passes=2
says out "ranks      2; one received"

# Each rank learns by itself for a pass: another model, but a good one.
expect 0 ranks 2 train $files -m mixed.model --threads 1 -q -p passes=6 -p mixing=every-pass
expect 0 "$espalier" eval dev.txt -m mixed.model --json
awk -v f1="$(json /f1)" 'BEGIN {exit !(f1 > 90)}' || fail_test "mixing learns badly: $(json /f1)"
expect 2 "$espalier" train a.txt -m x.model -p mixing=every-pass
says err "several ranks only"

# Errors are told once, with file and line, and end all ranks.
printf 'the DT B-NP\ndog NN\n\n' >bad.txt
expect 1 ranks 4 train $files bad.txt -m x.model
equal "$(grep -c 'espalier:' err)" 1
says err "bad.txt:2"
expect 1 ranks 2 train $files missing.txt -m x.model
equal "$(grep -c 'espalier:' err)" 1
expect 2 ranks 2 train a.txt -m x.model --learner svm
says err "learner svm does not train on several ranks"
expect 1 ranks 2 train - -m x.model
says err "standard input reaches one rank only"
expect 1 ranks 2 train a.txt -m no-such-folder/x.model
absent x.model

# A rank that dies ends the job, which names its host; resuming with another number of ranks gives the bytes of an undisturbed run.
chunk_data 1500 5 >long.txt
expect 0 "$espalier" train long.txt -m straight.model --threads 1 -q -p batch=128 -p passes=20
ranks 3 train long.txt -m cut.model --threads 1 -p batch=128 -p passes=20 --checkpoint-every 1 >out 2>err &
job=$!
for _ in $(seq 400); do
  [ -e cut.model.checkpoint ] && break
  sleep 0.05
done
victim=$(pgrep -f "^$mpi train long.txt -m cut.model" | tail -n 1)
kill -KILL "$victim"
wait $job && fail_test "the job ended well without a rank"
says err "$(hostname)"
absent cut.model
rm -f cut.model.checkpoint.partial-*
expect 0 ranks 2 train long.txt -m cut.model --threads 1 -q -p batch=128 -p passes=20 --checkpoint-every 1 --resume
same straight.model cut.model
absent cut.model.checkpoint

# Members of a committee are trained by different ranks, with and without the part held out; the bytes are those of one. A checkpoint
# has what all of them have made.
members="-p members=crf:passes=2,perceptron:passes=2,local,crf:passes=3 -p folds=3"
# shellcheck disable=SC2086
expect 0 "$espalier" train a.txt -m one.model --threads 1 -q --learner committee $members
for n in 2 4; do
  # shellcheck disable=SC2086
  expect 0 ranks $n train a.txt -m several.model --threads 1 -q --learner committee $members
  same one.model several.model
  rm -f several.model
done
# shellcheck disable=SC2086
ranks 3 train a.txt -m cut.model --threads 1 --learner committee $members --checkpoint-every 1 >out 2>err &
job=$!
for _ in $(seq 400); do
  [ -e cut.model.checkpoint ] && break
  kill -0 $job 2>/dev/null || break
  sleep 0.02
done
victim=$(pgrep -f "^$mpi train a.txt -m cut.model" | tail -n 1)
[ -z "$victim" ] || kill -KILL "$victim"
wait $job
rm -f cut.model.checkpoint.partial-*
if [ -e cut.model.checkpoint ]; then
  # shellcheck disable=SC2086
  expect 0 ranks 2 train a.txt -m cut.model --threads 1 -q --learner committee $members --checkpoint-every 1 --resume
fi
same one.model cut.model
expect 2 ranks 2 train a.txt -m x.model --learner committee -p time-budget=60
says err "time-budget is for one machine"
printf 'the DT B-NP\ndog NN\n\n' >bad.txt
expect 1 ranks 2 train a.txt bad.txt -m x.model --learner committee
equal "$(grep -c 'espalier:' err)" 1
says err "bad.txt:2"

# Folds are trained by different ranks.
expect 0 "$espalier" cv a.txt -k 4 --threads 1 -p passes=3 --json --save-predictions one.txt
f1=$(json /mean/f1)
expect 0 ranks 3 cv a.txt -k 4 --threads 1 -p passes=3 --json --save-predictions several.txt
equal "$(json /mean/f1)" "$f1"
same one.txt several.txt
expect 0 ranks 2 cv a.txt -k 2 --threads 1 --learner svm -p passes=2 --json

# Trials of a comparison run on all ranks; scores depend on seed and data alone.
expect 0 "$espalier" compare a.txt --learners perceptron,crf,local --list
candidates=$(wc -l <out)
expect 0 "$espalier" compare a.txt --learners perceptron,crf,local -k 3 --threads 1 --json -q
scores=$(json /candidates/0/score),$(json /candidates/1/score),$(json /candidates/2/score)
expect 0 ranks 3 compare a.txt --learners perceptron,crf,local -k 3 --threads 1 --json
equal "$(json /candidates/0/score),$(json /candidates/1/score),$(json /candidates/2/score)" "$scores"
equal "$(grep -c '"advice":' out)" 1
equal "$(grep -c ', fold 1 of 3' err)" "$candidates"
expect 0 ranks 2 compare a.txt --learners perceptron,crf --time-budget 1m --threads 1 --json -q
expect 1 ranks 2 compare missing.txt --threads 1
equal "$(grep -c 'espalier:' err)" 1
says err "missing.txt"
expect 2 ranks 2 compare a.txt --time-budget "10 x"
# A signal to rank 0 ends the trials of all ranks.
ranks 3 compare long.txt --learners crf -k 9 --threads 1 -q --work kept >out 2>err &
job=$!
for _ in $(seq 100); do
  pgrep -f "espalier trial" >/dev/null && break
  sleep 0.05
done
first=$(pgrep -f "^$mpi compare long.txt" | sort -n | head -n 1)
kill -TERM "$first"
wait $job && fail_test "a comparison that was stopped ended with status 0"
pgrep -f "^$mpi compare long.txt" && fail_test "ranks went on without rank 0"

# Experiments run on all ranks; here all but two are there already.
expect 2 ranks 2 reproduce beam-bounds
says err "a single one runs on one machine"
keep_all_but_two all
expect 0 ranks 2 reproduce --all --quick -o all --threads 1
equal "$(cat out)" "all/index.html"
says err "2 at a time"
says err "beam-counterexamples in "
for name in beam-counterexamples constrained-bounds; do
  [ -s "all/$name.json" ] || fail_test "no result of $name"
done

finish
