#!/bin/sh
# Measures ratios to CRFsuite and to Espalier itself at other sizes, all in one run; verifies outputs first.
#
#   bench/run.sh [PART...]        parts: peer, ensemble, search and cascade (default), brown, scaling, tagging, training; or all
#   bench/run.sh serve [--long] [PART...]   the service, see bench/serve.sh
#
# Needs build/release/espalier (make build), node, and the CoNLL-2000 data under ESPALIER_DATA (default ../shared/data).
set -u
cd "$(dirname "$0")/.." || exit 1
if [ "${1:-}" = serve ]; then
  shift
  exec bench/serve.sh "$@"
fi
: "${ESPALIER_DATA:=../shared/data}"
export ESPALIER_DATA
if [ ! -d "$ESPALIER_DATA/conll2000" ]; then
  echo "bench: no conll2000 under ESPALIER_DATA=$ESPALIER_DATA; nothing to measure on" >&2
  exit 0
fi
# Only one part has a peer.
case " ${*:-peer} " in *" peer "* | *" all "*)
  bench/peer/setup.sh
  peer=$?
  if [ $peer -eq 3 ]; then
    echo "bench: CRFsuite is not available here; its ratios are left out" >&2
  elif [ $peer -ne 0 ]; then
    exit $peer
  fi
  ;;
esac
# The plots.
case " $* " in *" scaling "* | *" all "*) cmake --build --preset release --target bench_plot >/dev/null || exit 1 ;; esac
exec node bench/run.js "$@"
