#!/bin/sh
# Espalier beside CRFsuite on the same data with the same features, one thread each, in one run; prints the ratios.
#
#   bench/run.sh [--quick]        --quick: the bundled corpus, seconds instead of minutes; its figures mean little
#
# Data: CoNLL-2000 chunking where $ESPALIER_DATA (default: ../shared/data) has conll2000/, otherwise the bundled corpus.
# Outputs are verified before anything is timed. Where the peer cannot be set up, Espalier's figures stand alone.
# Results also go to build/bench/results.json. Environment: ESPALIER, the program.
set -eu
cd "$(dirname "$0")/.."
espalier=${ESPALIER:-build/release/espalier}
data=${ESPALIER_DATA:-../shared/data}/conll2000
work=build/bench
mkdir -p "$work"

[ -x "$espalier" ] || {
  echo "bench: $espalier is not there; make build" >&2
  exit 1
}
if [ "${1:-}" != --quick ] && [ -f "$data/train.txt.gz" ] && [ -f "$data/test.txt.gz" ]; then
  name=CoNLL-2000
  gzip -dc "$data/train.txt.gz" >"$work/train.txt"
  gzip -dc "$data/test.txt.gz" >"$work/test.txt"
else
  name="bundled corpus"
  cut -f 1-3 corpus/train.txt >"$work/train.txt"
  cut -f 1-3 corpus/test.txt >"$work/test.txt"
fi

peer=yes
bench/peer/setup.sh --native-only || {
  [ $? -eq 3 ] || exit 1
  peer=no
}
exec node bench/compare.js --espalier "$espalier" --train "$work/train.txt" --test "$work/test.txt" \
  --template bench/chunking.template --work "$work" --name "$name" --peer "$peer"
