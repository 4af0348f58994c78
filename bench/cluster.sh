#!/bin/sh
# Measures training over a network: two "hosts" in network namespaces of this machine, with a wire between them that has a delay
# and a speed and counts bytes (cluster_relay.py). Prints a table, and what a model of the cost fitted to it predicts for more
# nodes (cluster_model.py).
#
#   bench/cluster.sh [FILE...]        training files; default: the CoNLL-2000 data under ESPALIER_DATA (../shared/data)
#
# Needs root, build/release/espalier-mpi (make build MPI=1), python3, ip, /dev/net/tun. Each host runs one rank with one thread.
# PASSES (default 3) is the length of each run. Seconds mean little on a machine that does other work; bytes are exact. What a rank
# computes is measured without a wire, as processor time: in runs of one pass, too, whose difference is free of reading.
set -eu
cd "$(dirname "$0")/.."
mpi=$PWD/build/release/espalier-mpi
passes=${PASSES:-3}
[ $# -gt 0 ] || set -- "${ESPALIER_DATA:-../shared/data}/conll2000/train.txt.gz"
[ "$(id -u)" -eq 0 ] || { echo "bench: network namespaces need root" >&2; exit 1; }
[ -x "$mpi" ] || { echo "bench: no $mpi; make build MPI=1 makes it" >&2; exit 1; }
for file in "$@"; do
  [ -e "$file" ] || { echo "bench: $file is missing" >&2; exit 1; }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/espalier-cluster-XXXXXX")
relay=
cleanup() {
  [ -z "$relay" ] || kill "$relay" 2>/dev/null || true
  ip netns del "espalier-10.77.0.1" 2>/dev/null || true
  ip netns del "espalier-10.77.0.2" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# Takes the place of ssh: host, then the command as the remote shell would get it.
cat >"$work/agent" <<'END'
#!/bin/sh
host=$1
shift
exec ip netns exec "espalier-$host" unshare --uts sh -c "hostname $host; $*"
END
chmod +x "$work/agent"

# one_run NAME DELAY SPEED RANKS SETTINGS...: two hosts with a wire; a line of JSON in results.
one_run() {
  name=$1 delay=$2 speed=$3 ranks=$4
  shift 4
  ip netns add espalier-10.77.0.1
  ip netns add espalier-10.77.0.2
  rm -f "$work/relay"  # its "ready" is that of the run before
  : >"$work/relay"
  /usr/bin/python3 bench/cluster_relay.py espalier-10.77.0.1 espalier-10.77.0.2 --delay "$delay" --speed "$speed" \
    >"$work/relay" &
  relay=$!
  while ! grep -q ready "$work/relay"; do sleep 0.1; done
  hosts=10.77.0.1:1
  [ "$ranks" -eq 1 ] || hosts=$hosts,10.77.0.2:1
  ip netns exec espalier-10.77.0.1 unshare --uts sh -c 'hostname 10.77.0.1; exec "$@"' - \
    mpirun --allow-run-as-root -H "$hosts" -n "$ranks" --mca plm_rsh_agent "$work/agent" --mca btl self,tcp \
    --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
    "$mpi" train $files -m "$work/model" --threads 1 --json "$@" >"$work/report" 2>"$work/messages" ||
    { cat "$work/messages" >&2; exit 1; }
  kill "$relay"
  wait "$relay" || true
  relay=
  ip netns del espalier-10.77.0.1
  ip netns del espalier-10.77.0.2
  /usr/bin/python3 bench/cluster_model.py --add "$work/results" "$work/report" "$work/relay" \
    "$name" "$delay" "$speed" "$ranks"
}

# local_run NAME RANKS SETTINGS...: ranks of this machine, which reach each other through its memory.
local_run() {
  name=$1 ranks=$2
  shift 2
  # shellcheck disable=SC2086
  mpirun --allow-run-as-root --oversubscribe --mca plm isolated --mca btl self,vader -n "$ranks" \
    "$mpi" train $files -m "$work/model" --threads 1 --json "$@" >"$work/report" 2>"$work/messages" ||
    { cat "$work/messages" >&2; exit 1; }
  /usr/bin/python3 bench/cluster_model.py --add "$work/results" "$work/report" - "$name" 0 0 "$ranks"
}

files=
for file in "$@"; do files="$files $file"; done
for shape in "0 1000 1" "0 1000 2" "1 1000 2" "10 1000 2" "0 10 2"; do
  # shellcheck disable=SC2086
  one_run lbfgs $shape -p algorithm=lbfgs -p iterations="$passes"
  # shellcheck disable=SC2086
  one_run adagrad-512 $shape -p batch=512 -p passes="$passes"
  # shellcheck disable=SC2086
  one_run mixing $shape -p passes="$passes" $([ "${shape##* }" = 1 ] || echo "-p mixing=every-pass")
done
# shellcheck disable=SC2086
one_run adagrad-8 0 1000 2 -p passes="$passes"
one_run adagrad-8 1 1000 2 -p passes="$passes"
for ranks in 1 2 4; do
  mixing=
  [ "$ranks" -eq 1 ] || mixing="-p mixing=every-pass"
  for length in 1 "$passes"; do
    local_run lbfgs "$ranks" -p algorithm=lbfgs -p iterations="$length"
    local_run adagrad-512 "$ranks" -p batch=512 -p passes="$length"
    # shellcheck disable=SC2086
    local_run mixing "$ranks" -p passes="$length" $mixing
  done
done
/usr/bin/python3 bench/cluster_model.py "$work/results"
