#!/bin/sh
# Makes the results of a run of `espalier reproduce --all -o DIR` those that docs/papers.md quotes: copies them to
# research/results with the commit that they are of, and writes the section of docs/papers.md that says what they say.
#
#   scripts/update_papers.sh DIR
#
# A result is taken if it is of a full version, and if the code that made it is that of the tree: the program must have been
# built from the tree as it is (`make build`), and espalier/ and research/ must hold nothing that is not committed. Results
# of other code are named and left out; those in research/results that the run has nothing newer for stay.
set -eu

[ $# -eq 1 ] && [ -d "$1" ] || { echo "usage: scripts/update_papers.sh DIR, the folder of a run of reproduce --all" >&2; exit 2; }
from=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
build=${ESPALIER_BUILD:-build/release}
say() { echo "update_papers: $1" >&2; }

if ! git diff --quiet HEAD -- espalier research cmake || [ -n "$(git ls-files --others --exclude-standard espalier research cmake)" ]; then
  say "espalier/, research/ or cmake/ hold changes that are not committed"
  exit 1
fi
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
cmake -DROOT="$PWD" -DOUT="$fresh" -P cmake/code_parts.cmake
if ! cmp -s "$fresh" "$build/research/code_parts.cc"; then
  say "$build is not built from this tree; run make build"
  exit 1
fi
commit=$(git rev-parse --short=12 HEAD)
mkdir -p research/results
taken=0
# NAME CODE, one line per experiment.
list=$("$build/espalier" reproduce --list --json | tr -d '\n ' | sed 's/{"name":/\n/g' |
  sed -n 's/^"\([^"]*\)".*"code":"\([^"]*\)".*/\1 \2/p')
for name in $(printf '%s\n' "$list" | cut -d' ' -f1); do
  code=$(printf '%s\n' "$list" | sed -n "s/^$name //p")
  file=$from/$name.json
  if [ ! -f "$file" ]; then
    say "$name: no result"
  elif ! grep -q '^ "quick": false' "$file"; then
    say "$name: of a quick version; left out"
  elif ! grep -qF "\"code\": \"$code\"" "$file"; then
    say "$name: of other code than this tree's; left out"
  else
    sed "1 s/^{\$/{\n \"commit\": \"$commit\",/" "$file" >"research/results/$name.json"
    taken=$((taken + 1))
  fi
done
[ $taken -gt 0 ] || { say "nothing to take"; exit 1; }
scripts/papers_table.sh >"$fresh"
awk -v table="$fresh" '
  /^<!-- results: end/ { skip = 0 }
  !skip { print }
  /^<!-- results: begin/ { print ""; while ((getline line < table) > 0) print line; print ""; skip = 1; marks++ }
  END { if (marks != 1) exit 1 }
' docs/papers.md >"$fresh.md" || { say "docs/papers.md has no marks for the results"; rm -f "$fresh.md"; exit 1; }
cat "$fresh.md" >docs/papers.md
rm -f "$fresh.md"
echo "$taken results of commit $commit"
