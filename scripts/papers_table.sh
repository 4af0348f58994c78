#!/bin/sh
# Prints what the kept results of the papers' experiments say, for docs/papers.md.
#
#   scripts/papers_table.sh [ROOT]         the section between its marks "results: begin" and "results: end": for each
#                                          experiment how many claims and checks hold, how long it took, when and from which
#                                          commit; then every claim that does not hold, with its figure
#   scripts/papers_table.sh --fill [ROOT]  all of docs/papers.md, with that section and the tables of figures as they should be
#   scripts/papers_table.sh --figure FILE ROW COLUMN [KIND]   the measured figure of a row of a result (printed or ours)
#
# ROOT is this tree by default. A table of figures stands between these marks, and is made of the rows and columns they name:
#
#   <!-- figures: searn-ner
#   rows: crf | searn unit=chunk
#   columns: small F1 | large F1
#   -->
#   <!-- figures: end -->
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

root=$(cd "$(dirname "$0")/.." && pwd)
if [ "${1:-}" = --fill ]; then
  root=${2:-$root}
  section=$(mktemp)
  trap 'rm -f "$section"' EXIT
  "$0" "$root" >"$section"
  awk -v section="$section" -v results="$root/research/results/" "$reading"'
    # A figure with its deviation, and the one to compare it with; shares have more digits than percent.
    function cell(at,    text, digits) {
      if (!(at in measured)) return ""
      digits = measured[at] * measured[at] < 1 && measured[at] != 0 ? "%.4f" : "%.2f"
      text = sprintf(digits, measured[at])
      if (deviation[at] != "null") text = text " ± " sprintf(digits, deviation[at])
      if (seed[at] != "null") text = text " (paper: " seed[at] ")"
      else if (elsewhere[at] != "null") text = text " (elsewhere: " elsewhere[at] ")"
      return text
    }
    # The lines of a table: one per row and kind, one column of figures per column.
    function table(name, rows, columns,    file, row, kind, at, r, c, n, m, k, names, heads, line, any) {
      split("", measured); split("", deviation); split("", seed); split("", elsewhere)
      file = results name ".json"
      while ((getline < file) > 0) {
        if ($0 ~ /^ "/) part = key()
        if (part != "rows") continue
        if ($0 ~ /^   "row": /) row = value()
        if ($0 ~ /^   "column": /) at = row SUBSEP value()
        if ($0 ~ /^   "kind": /) at = at SUBSEP value()
        if ($0 ~ /^   "measured": /) measured[at] = value()
        if ($0 ~ /^   "deviation": /) deviation[at] = value()
        if ($0 ~ /^   "seed": /) seed[at] = value()
        if ($0 ~ /^   "elsewhere": /) elsewhere[at] = value()
      }
      close(file)
      n = split(rows, names, / *[|] */)
      m = split(columns, heads, / *[|] */)
      line = "| row | kind |"
      for (c = 1; c <= m; c++) line = line " " heads[c] " |"
      print line
      line = "|---|---|"
      for (c = 1; c <= m; c++) line = line "---|"
      print line
      for (r = 1; r <= n; r++)
        for (k = 1; k <= 2; k++) {
          kind = k == 1 ? "printed" : "ours"
          any = 0
          line = "| `" names[r] "` | " kind " |"
          for (c = 1; c <= m; c++) {
            at = names[r] SUBSEP heads[c] SUBSEP kind
            any += at in measured
            line = line " " cell(at) " |"
          }
          if (any) { print line; found[r] = 1 }
        }
      for (r = 1; r <= n; r++) if (!(r in found)) print "| `" names[r] "` | not in the results of " name " |"
      split("", found)
    }
    /^<!-- (results|figures): end/ { skip = 0 }
    skip { next }
    { print }
    /^<!-- results: begin/ { print ""; while ((getline line < section) > 0) print line; print ""; skip = 1 }
    /^<!-- figures: / && !/end -->/ { name = $3; marked = 1; rows = columns = "" }
    marked && /^rows: / { rows = substr($0, 7) }
    marked && /^columns: / { columns = substr($0, 10) }
    marked && /^-->/ { marked = 0; print ""; table(name, rows, columns); print ""; skip = 1 }
  ' "$root/docs/papers.md"
  exit 0
fi
root=${1:-$root}
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
