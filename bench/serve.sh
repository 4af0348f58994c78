#!/bin/sh
# Measures the service on this machine: requests per second, times of answers, and what idle and slow clients cost.
#
#   bench/serve.sh [--long] [PART...]        parts: single nginx udpipe batch clients (all by default), and
#                                            long (or --long): a million requests, and how much memory they leave behind
#
# Needs build/release/espalier and espalier-serve (make build), wrk, h2load (scripts/setup.sh bench-serve), python3, and the
# CoNLL-2000 data under ESPALIER_DATA (default ../shared/data). Client and server share the cores. SECONDS_EACH (default 8)
# is the length of one measurement. Where nginx is installed, or NGINX names it, it is measured in turn with the server:
# it answers the same requests with a constant of the same size, which is the speed of HTTP without any labelling. Where
# UDPIPE_SERVER and UDPIPE_MODEL name UDPipe's server and a model with a tagger, both give universal tags to the same words in turn,
# ours with a model of the treebank that UDPIPE_TREEBANK names (CoNLL-U; default that of English under ESPALIER_DATA).
# Absolute figures mean little on a shared machine; read the ratios.
set -eu
cd "$(dirname "$0")/.."
: "${ESPALIER_DATA:=../shared/data}"
espalier=${ESPALIER:-build/release/espalier}
each=${SECONDS_EACH:-8}
for tool in wrk h2load python3; do
  command -v $tool >/dev/null || { echo "bench: $tool is missing; scripts/setup.sh bench-serve installs it" >&2; exit 1; }
done
[ -d "$ESPALIER_DATA/conll2000" ] || { echo "bench: no conll2000 under ESPALIER_DATA=$ESPALIER_DATA" >&2; exit 0; }
parts=
for argument; do
  case $argument in
    --long) parts="$parts single nginx udpipe batch clients long" ;;
    single | nginx | udpipe | batch | clients | long) parts="$parts $argument" ;;
    *) echo "bench: $argument: the parts are single, nginx, udpipe, batch, clients and long" >&2; exit 2 ;;
  esac
done
wanted() { case " ${parts:-single nginx udpipe batch clients} " in *" $1 "*) true ;; *) false ;; esac; }
work=$(mktemp -d "${TMPDIR:-/tmp}/espalier-bench-XXXXXX")
server=
peer=
tagger=
cleanup() {
  [ -z "$tagger" ] || kill "$tagger" 2>/dev/null || true
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$peer" ] || kill "$peer" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

"$espalier" train "$ESPALIER_DATA/conll2000/train.txt.gz" -m "$work/chunks.model" -p passes=4 -q >/dev/null
zcat "$ESPALIER_DATA/conll2000/test.txt.gz" | tr ' ' '\t' | cut -f 1,2 >"$work/test.txt"

# Requests: one sentence of 20 words; and batches of sentences of the test file, as Lua for wrk.
python3 - "$work" <<'END'
import json, sys, urllib.parse
work = sys.argv[1]
sequences, rows = [], []
for line in open(work + "/test.txt", encoding="utf-8"):
    line = line.rstrip("\n")
    if line:
        rows.append(line.split("\t"))
    elif rows:
        sequences.append(rows)
        rows = []
words = [row for sequence in sequences for row in sequence]
def lua(name, bodies, kind="application/json"):
    with open(work + "/" + name, "w", encoding="utf-8") as out:
        out.write('wrk.method = "POST"\nwrk.headers["Content-Type"] = "' + kind + '"\nlocal bodies = {\n')
        for body in bodies:
            out.write("[==========[" + body + "]==========],\n")
        out.write("}\nlocal at = 0\nrequest = function()\n  at = at % #bodies + 1\n  return wrk.format(nil, nil, nil, bodies[at])\nend\n")
singles = [json.dumps({"rows": words[i:i + 20]}) for i in range(0, 20000, 20)]
lua("single.lua", singles)
open(work + "/single.json", "w", encoding="utf-8").write(singles[0])
forms = ["input=vertical&tagger=&data=" + urllib.parse.quote("\n".join(w for w, _ in words[i:i + 20]) + "\n\n") for i in range(0, 20000, 20)]
lua("words.lua", [json.dumps({"tokens": [w for w, _ in words[i:i + 20]]}) for i in range(0, 20000, 20)])
lua("form.lua", forms, "application/x-www-form-urlencoded")
size = 100
batches = [json.dumps({"sequences": [{"rows": s} for s in sequences[i:i + size]]}) for i in range(0, len(sequences) - size + 1, size)]
lua("batch.lua", batches)
tokens = sum(len(s) for s in sequences[:len(batches) * size])
print(f"batches: {len(batches)} of {size} sentences, {tokens / len(batches):.0f} tokens on average")
open(work + "/tokens_per_batch", "w").write(str(tokens / len(batches)))
with open(work + "/many.txt", "w", encoding="utf-8") as out:
    text = open(work + "/test.txt", encoding="utf-8").read()
    for _ in range(20):
        out.write(text)
END

# start MODEL: starts a server; sets started, its process, and address.
start() {
  "$espalier" serve "$1" --port 0 --quiet --max-requests 0 2>"$work/said" &
  started=$!
  while ! grep -q listening "$work/said"; do sleep 0.1; done
  address=$(sed -n 's/.*listening on \(http:[^ ]*\)\/$/\1/p' "$work/said")
}
start "$work/chunks.model"
server=$started
url=$address

# Outputs first: the server and the command give the same labels.
"$espalier" tag "$work/test.txt" -m "$work/chunks.model" -o "$work/tagged.txt" -q
python3 - "$work" "$url" <<'END'
import json, sys, urllib.request
work, url = sys.argv[1:]
rows, want = [], []
for line in open(work + "/tagged.txt", encoding="utf-8"):
    cells = line.split()
    if not cells:
        break
    rows.append(cells[:2])
    want.append(cells[2])
body = json.dumps({"rows": rows}).encode()
answer = json.load(urllib.request.urlopen(url + "/v1/tag", body))
assert answer["sequences"][0]["labels"] == want, (answer, want)
print("the same labels as espalier tag")
END

# Processor time that a process has used, in hundredths of a second.
used() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
# A port that is free.
free_port() {
  python3 -c 'import socket
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    print(s.getsockname()[1])'
}
memory() { awk '/VmRSS/ { print $2 }' "/proc/$server/status"; }
# measure CONNECTIONS SCRIPT [PROCESS URL]: sets rate, requests per second, and cost, the processor time of the server, or of
# another process, per request in microseconds.
measure() {
  before=$(used "${3:-$server}")
  wrk -t1 "-c$1" "-d${each}s" -s "$work/$2" "${4:-$url/v1/tag}" >"$work/wrk"
  after=$(used "${3:-$server}")
  ! grep "Non-2xx" "$work/wrk" || { echo "bench: requests failed" >&2; exit 1; }
  rate=$(awk '/Requests\/sec/ { print $2 }' "$work/wrk")
  cost=$(awk -v ticks=$((after - before)) '/requests in/ { printf "%.1f", ticks * 10000 / $1 }' "$work/wrk")
}

if wanted single; then
  measure 64 single.lua
  single=$rate
  echo "single sentences of 20 words, wrk -t1 -c64: $rate requests/s, $cost us of processor time each"
  half=$(awk -v r="$single" 'BEGIN { printf "%d", r / 2 / 16 }')
  h2load --h1 -c 16 -t 1 -D "$each" --rps "$half" -d "$work/single.json" -H 'Content-Type: application/json' "$url/v1/tag" >"$work/h2load" 2>&1 || true
  echo "h2load --h1 at half that rate:"
  grep -E "requests:|time for request|status codes" "$work/h2load" | sed 's/^/  /'
  # Percentiles, which h2load prints only as minimum, maximum and mean, from its log.
  rm -f "$work/log"
  h2load --h1 -c 16 -t 1 -D "$each" --rps "$half" -d "$work/single.json" --log-file="$work/log" -H 'Content-Type: application/json' "$url/v1/tag" >/dev/null 2>&1 || true
  [ ! -s "$work/log" ] || sort -n -k3 "$work/log" | awk '{ t[NR] = $3 } END { printf "  p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms of %d\n", t[int(NR * .5)] / 1e3, t[int(NR * .99)] / 1e3, t[int(NR * .999)] / 1e3, NR }'
fi

# nginx and the server, in turn.
nginx=${NGINX:-$(command -v nginx || true)}
if wanted nginx && [ -n "$nginx" ]; then
  answer=$(python3 -c 'import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1] + "/v1/tag", open(sys.argv[2], "rb").read()).read().decode().strip())' "$url" "$work/single.json" | tr -d "'\\\\\$")
  free=$(free_port)
  cat >"$work/nginx.conf" <<END
daemon off; worker_processes auto; pid $work/nginx.pid; error_log $work/nginx.log;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000000; client_body_temp_path $work; proxy_temp_path $work;
  fastcgi_temp_path $work; uwsgi_temp_path $work; scgi_temp_path $work;
  server { listen 127.0.0.1:$free; location / { default_type application/json; return 200 '$answer'; } }
}
END
  "$nginx" -p "$work" -e "$work/nginx.log" -c "$work/nginx.conf" 2>"$work/nginx.said" &
  peer=$!
  sleep 1
  for round in 1 2 3; do
    measure 64 single.lua
    constant=$(wrk -t1 -c64 "-d${each}s" -s "$work/single.lua" "http://127.0.0.1:$free/v1/tag" | awk '/Requests\/sec/ { print $2 }')
    awk -v r="$rate" -v c="$constant" -v n=$round \
      'BEGIN { printf "nginx with a constant, round %d: %d requests/s, espalier serve %d, ratio %.2f\n", n, c, r, r / c }'
  done
  kill "$peer"
  wait "$peer" 2>/dev/null || true
  peer=
fi

# UDPipe's server and ours, in turn, on the same words; both give universal tags.
if wanted udpipe && [ -n "${UDPIPE_SERVER:-}" ]; then
  "$espalier" train "${UDPIPE_TREEBANK:-$ESPALIER_DATA/ud/en_ewt-ud-train.conllu.gz}" -m "$work/upos.model" --format conllu --feature-columns 2 -q >/dev/null
  start "$work/upos.model"
  tagger=$started
  free=$(free_port)
  "$UDPIPE_SERVER" --log_file= "$free" model model "$UDPIPE_MODEL" "" >"$work/udpipe.said" 2>&1 &
  peer=$!
  sleep 3
  for round in 1 2 3; do
    measure 64 words.lua "$tagger" "$address/v1/tag"
    own=$rate
    own_cost=$cost
    measure 64 form.lua "$peer" "http://127.0.0.1:$free/process"
    awk -v o="$own" -v p="$rate" -v oc="$own_cost" -v pc="$cost" -v n=$round 'BEGIN {
      printf "UDPipe, round %d: %d requests/s, espalier serve %d, ratio %.1f; ", n, p, o, o / p
      printf "processor time %s us each, espalier serve %s us, ratio %.1f\n", pc, oc, pc / oc }'
  done
  kill "$peer" "$tagger"
  wait "$peer" "$tagger" 2>/dev/null || true
  peer=
  tagger=
fi

# Batches and the command, in turn.
if wanted batch; then
  for round in 1 2 3; do
    measure 4 batch.lua
    batch=$rate
    batch_cost=$(awk -v c="$cost" -v t="$(cat "$work/tokens_per_batch")" 'BEGIN { print c / t }')
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)' "$espalier" tag "$work/many.txt" -m "$work/chunks.model" -o "$work/out.txt" 2>"$work/speed" >"$work/used"
    command=$(sed -n 's/.*(\([0-9,]*\) tokens per second).*/\1/p' "$work/speed" | tr -d ,)
    command_cost=$(awk -v s="$(cat "$work/used")" 'NF { ++n } END { print s * 1e6 / n }' "$work/many.txt")
    awk -v b="$batch" -v t="$(cat "$work/tokens_per_batch")" -v c="$command" -v bc="$batch_cost" -v cc="$command_cost" -v n=$round 'BEGIN {
      printf "batches, round %d: %d tokens/s, espalier tag %d tokens/s, ratio %.2f; ", n, b * t, c, b * t / c
      printf "processor time per token %.2f us, espalier tag %.2f us, ratio %.2f\n", bc, cc, cc / bc }'
  done
fi

# Idle and slow clients: with and without them, in turn.
cat >"$work/clients.py" <<'END'
import socket, sys, threading, time
port, idle, slow = (int(word) for word in sys.argv[1:])
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
held = [socket.create_connection(("127.0.0.1", port)) for _ in range(idle)]
for one in held:
    one.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
drips = [socket.create_connection(("127.0.0.1", port)) for _ in range(slow)]
print("there", flush=True)
text = b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 1000
at = 0
while True:
    for i, one in enumerate(drips):
        try:
            one.send(text[at % len(text):at % len(text) + 1])
        except OSError:
            drips[i] = socket.create_connection(("127.0.0.1", port))
    at += 1
    time.sleep(1)
END
port=${url##*:}
if wanted clients; then
  for round in 1 2 3; do
    measure 64 single.lua
    alone=$rate
    alone_cost=$cost
    python3 "$work/clients.py" "$port" 2000 500 >"$work/clients" &
    clients=$!
    while ! grep -q there "$work/clients"; do sleep 0.1; done
    measure 64 single.lua
    kill $clients
    wait $clients 2>/dev/null || true
    awk -v a="$alone" -v c="$rate" -v ac="$alone_cost" -v cc="$cost" -v n=$round 'BEGIN {
      printf "2,000 idle and 500 slow clients, round %d: %d requests/s, without them %d, ratio %.2f; ", n, c, a, c / a
      printf "processor time of the server %s us each, without them %s, ratio %.2f\n", cc, ac, cc / ac }'
  done
fi

if wanted long; then
  h2load --h1 -c 64 -t 1 -n 50000 -d "$work/single.json" -H 'Content-Type: application/json' "$url/v1/tag" >/dev/null 2>&1
  before=$(memory)
  h2load --h1 -c 64 -t 1 -n 1000000 -d "$work/single.json" -H 'Content-Type: application/json' "$url/v1/tag" >"$work/h2load" 2>&1
  grep "requests:" "$work/h2load"
  after=$(memory)
  echo "memory before a million requests $before KB, after them $after KB"
  [ $((after - before)) -lt 20000 ] || { echo "bench: memory grows" >&2; exit 1; }
fi
kill -TERM "$server"
wait "$server" || { echo "bench: the server did not end well" >&2; exit 1; }
server=
