#!/bin/sh
# Prints what the kept results of the papers' experiments say, as the section of docs/papers.md between its two marks:
# for each experiment how many claims and checks hold, how long it took, when and from which commit; then every claim that
# does not hold, with its figure.
#
#   scripts/papers_table.sh [ROOT]                        the section; default: of this tree
#   scripts/papers_table.sh --figure FILE ROW COLUMN [KIND]   the measured figure of a row of a result (printed or ours)
#
# Results are the files of research/results, which scripts/update_papers.sh copies from a run of `espalier reproduce --all`.
# They are JSON with one key per line, as the command writes them.
set -eu

# Functions of awk over such a file: the key of a line, its value without quotes, and which array of the result it is in.
# shellcheck disable=SC2016 # a program of awk
reading='
  function key() { match($0, /"[^"]*": /); return substr($0, RSTART + 1, RLENGTH - 4) }
  function value(    v) {
    v = $0
    sub(/^ *"[^"]*": /, "", v)
    sub(/,$/, "", v)
    if (v ~ /^"/) { v = substr(v, 2, length(v) - 2); gsub(/\\"/, "\"", v); gsub(/\\\\/, "\\", v) }
    return v
  }
  /^ "/ { part = key() }
'

if [ "${1:-}" = --figure ]; then
  awk -v row="$3" -v column="$4" -v kind="${5:-}" "$reading"'
    part == "rows" && /^   "row": / { own = value() == row }
    part == "rows" && /^   "column": / { own = own && value() == column }
    part == "rows" && /^   "kind": / { own = own && (kind == "" || value() == kind) }
    part == "rows" && /^   "measured": / && own { print value() }
  ' "$2"
  exit 0
fi

root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
experiments=$(grep -oE '\{"(searn|beam|cascade|constrained|ensemble)-[a-z0-9-]+",' "$root/research/experiments.cc" | tr -d '{",')
echo '| experiment | claims that hold | checks that hold | minutes | finished | commit |'
echo '|---|---|---|---|---|---|'
for experiment in $experiments; do
  file=$root/research/results/$experiment.json
  if [ ! -f "$file" ]; then
    echo "| \`$experiment\` | not run | | | | |"
    continue
  fi
  awk "$reading"'
    /^ "(name|finished|commit|seconds)": / { top[part] = value() }
    /^   "holds": / { all[part]++; held[part] += value() == "true" }
    END {
      printf "| `%s` | %d of %d | %d of %d | %.1f | %s | %s |\n", top["name"], held["claims"], all["claims"], held["checks"],
        all["checks"], top["seconds"] / 60, top["finished"], top["commit"]
    }
  ' "$file"
done
echo
echo 'Claims of the papers that do not hold on our data, and claims of ours:'
echo
found=no
for experiment in $experiments; do
  file=$root/research/results/$experiment.json
  [ -f "$file" ] || continue
  list=$(awk "$reading"'
    /^ "name": / { name = value() }
    part == "claims" && /^   "name": / { claim = value() }
    part == "claims" && /^   "holds": / { holds = value() }
    part == "claims" && /^   "figure": / { figure = value() }
    part == "claims" && /^   "cause": / && holds == "false" {
      printf "- `%s`: %s: %s%s\n", name, claim, figure, value() == "" ? "" : "; probably because " value()
    }
  ' "$file")
  [ -z "$list" ] || { printf '%s\n' "$list"; found=yes; }
done
[ $found = yes ] || echo '- none'
