# espalier import: models of other programs label as the originals do, and damaged ones are refused. The fixtures are those
# of espalier/model/foreign.
fixtures=$(cd "$(dirname "$0")/../../espalier/model/foreign/fixtures" && pwd)
source "$(dirname "$0")/testing.sh"

for model in crfsuite.bin crfpp.txt crfpp.bin wapiti.txt wapiti-memm.txt; do
  kind=${model%%.*}
  input=$fixtures/input.columns
  [ "$kind" = crfsuite ] && input=$fixtures/input.items
  expect 0 "$espalier" import "$fixtures/$model" -m own.model
  says err "3 labels"
  expect 0 "$espalier" tag "$input" -m own.model --format jsonl
  "$espalier" tag "$input" -m own.model --quiet >tagged
  # The label is the first field of an item, and the last column otherwise.
  if [ "$kind" = crfsuite ]; then cut -f1 tagged; else awk -F'\t' '{ print $NF }' tagged; fi >labels
  cut -f1 "$fixtures/$kind.expected" >expected
  same labels expected
  expect 0 "$espalier" eval "$input" -m own.model --json
  equal "$(json /sequences)" 8
  expect 0 "$espalier" inspect own.model
  expect 0 "$espalier" explain "$input" -m own.model --quiet
done

expect 0 "$espalier" import "$fixtures/crfpp.txt" -m own.model --json
equal "$(json /program /labels /left_out | tr '\n' ' ')" "CRF++ 3 0 "
expect 0 "$espalier" import "$fixtures/crfpp.txt" -m own.model --quiet
equal "$(cat out err)" ""
# Rows may have fewer cells than those of training only where the template does not look at them.
printf 'The DET\n' | "$espalier" tag -m own.model --input-format columns >out 2>err || fail_test "two columns are enough"
printf 'The\n' >short.txt
expect 1 "$espalier" tag short.txt -m own.model

rm -f new.model
for model in crfsuite.bin crfpp.txt crfpp.bin wapiti.txt; do
  head -c 3000 "$fixtures/$model" >damaged
  expect 1 "$espalier" import damaged -m new.model
  says err "espalier: damaged: "
done
expect 1 "$espalier" import own.model -m new.model
says err "need no import"
expect 1 "$espalier" import missing -m new.model
expect 2 "$espalier" import own.model
absent new.model
finish
