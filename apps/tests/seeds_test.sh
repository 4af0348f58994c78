# The seeds of the fuzz targets of model files are models that this program opens: one that is refused at its header shows a
# target nothing of what is behind it.
seeds=$(cd "$(dirname "$0")/../../fuzz/seeds" && pwd)
source "$(dirname "$0")/testing.sh"

count=0
for kind in model cascade committee search brackets parse summary; do
  for seed in "$seeds/$kind"/*; do
    expect 0 "$espalier" inspect "$seed" --json
    count=$((count + 1))
  done
done
[ "$count" -ge 12 ] || fail_test "only $count seeds of models"
expect 0 "$espalier" inspect "$seeds/committee/crf_and_svm"
says out "learned by committee"
printf 'Anna\nlives\nin\nParis\n\n' >words.txt
expect 0 "$espalier" tag words.txt -m "$seeds/committee/crf_and_svm"
equal "$(awk 'NF == 2' out | wc -l)" 4
finish
