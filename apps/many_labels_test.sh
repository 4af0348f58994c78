# Data with thousands of labels, such as a wrong label column gives: train says so before anybody waits, every phase can
# be stopped, and check knows how much memory the pairs of labels take.
source "$(dirname "$0")/testing.sh"

# many_labels LABELS SEQUENCES: ten tokens each, and every label occurs.
many_labels() {
  awk -v labels="$1" -v n="$2" 'BEGIN {
    for (s = 0; s < n; ++s) {
      for (t = 0; t < 10; ++t) print "w" (s * 7 + t) % 500 "\tL" (s * 10 + t) % labels
      print ""
    }
  }'
}

many_labels 1500 150 >train.txt

# What check knows, train says, and says it first.
expect 0 "$espalier" check train.txt
says out "1500 different labels on 1500 tokens: is the label column right?"
[ "$(grep -c . out)" -lt 60 ] || fail_test "check prints a line for every label"
"$espalier" train train.txt -m stopped.model --threads 1 >out 2>err &
pid=$!
for _ in $(seq 300); do
  grep -q "is the label column right" err 2>/dev/null && break
  sleep 0.1
done
says err "1500 different labels on 1500 tokens: is the label column right?"
kill -0 $pid || fail_test "the remark came after training"

# Stopped within a sequence or two, not at the end of a batch, a pass, or a look at all the data.
sleep 1
before=$(date +%s)
kill -TERM $pid
wait $pid
equal $? 143
took=$(($(date +%s) - before))
[ $took -le 10 ] || fail_test "it took $took seconds to stop"

# Stopped while it reads: no model, and a status that says so.
mkfifo pipe
"$espalier" train pipe -m none.model >out 2>err &
pid=$!
exec 3>pipe
many_labels 5 3000 >&3
kill -INT $pid
many_labels 5 30 >&3 2>/dev/null
exec 3>&-
wait $pid
equal $? 130
says err "stopped before it began"
absent none.model

# The look at 16-bit weights is a sample, and shows in the progress.
many_labels 900 300 >train.txt
expect 0 "$espalier" train train.txt -m full.model -p passes=1 --threads 1 --json
rss=$(json /peak_rss_bytes)

# The memory that check announces is what training takes: 60 bytes for each pair of labels.
many_labels 4200 420 >wide.txt
expect 0 "$espalier" check wide.txt
says out "training a crf with 4200 labels takes about 1.1 GB for the pairs of labels alone"
awk -v rss="$rss" 'BEGIN {pairs = 60 * 900 * 904; exit !(rss > 0.8 * pairs && rss < 2.5 * pairs)}' ||
  fail_test "900 labels took $rss bytes, which the estimate does not explain"
finish
