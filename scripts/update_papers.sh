#!/bin/sh
# Makes the results of a run of `espalier reproduce --all -o DIR` those that docs/papers.md quotes: copies them to
# research/results with the commit that they are of, and writes the section of docs/papers.md that says what they say.
#
#   scripts/update_papers.sh DIR
#   scripts/update_papers.sh --self-test  shows on a made-up tree what is taken and what is refused
#
# A result is taken if it is of a full version, and if the code that made it is that of the tree: the program must have been
# built from the tree as it is (`make build`), and espalier/ and research/ must hold nothing that is not committed. Results
# of other code are named and left out; those in research/results that the run has nothing newer for stay.
set -eu

# A tree with one experiment, its program and a result.
self_test() {
  own=$(cd "$(dirname "$0")/.." && pwd)
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  mkdir -p "$tree/scripts" "$tree/cmake" "$tree/docs" "$tree/espalier/base" "$tree/research" "$tree/run" "$tree/build/release/research"
  cp "$own/scripts/update_papers.sh" "$own/scripts/papers_table.sh" "$tree/scripts"
  cp "$own/cmake/code_parts.cmake" "$tree/cmake"
  echo 'int one = 1;' >"$tree/espalier/base/one.cc"
  echo '      {"searn-one", "summary", {}, searn_one},' >"$tree/research/experiments.cc"
  printf 'Before.\n<!-- results: begin -->\nold\n<!-- results: end -->\nAfter.\n' >"$tree/docs/papers.md"
  printf '/build/\n/run/\n' >"$tree/.gitignore"
  # shellcheck disable=SC2016 # the program's text
  printf '#!/bin/sh\necho "{\\"experiments\\": [{\\"name\\": \\"searn-one\\", \\"minutes\\": 1, \\"code\\": \\"c0de\\"}]}"\n' >"$tree/build/release/espalier"
  chmod +x "$tree/build/release/espalier"
  git -C "$tree" init -q
  git -C "$tree" add -A
  git -C "$tree" -c user.name=test -c user.email=test@example.org commit -qm one
  fresh_build() { cmake -DROOT="$tree" -DOUT="$tree/build/release/research/code_parts.cc" -P "$tree/cmake/code_parts.cmake"; }
  result() {  # CODE QUICK
    printf '{\n "name": "searn-one",\n "rows": [],\n "claims": [],\n "checks": [],\n "seconds": 60.0,\n "quick": %s,\n "code": "%s",\n "finished": "today"\n}\n' "$2" "$1" >"$tree/run/searn-one.json"
  }
  try() {  # STATUS TEXT
    status=0
    "$tree/scripts/update_papers.sh" "$tree/run" >"$tree/run/said" 2>&1 || status=1
    if [ $status -ne "$1" ] || ! grep -q -- "$2" "$tree/run/said"; then
      echo "status $status where $1 was expected, with '$2', saying:"
      cat "$tree/run/said"
      exit 1
    fi
  }
  result c0de false
  try 1 'is not built from this tree'
  fresh_build
  result other false
  try 1 'of other code'
  result c0de true
  try 1 'of a quick version'
  echo 'int two = 2;' >>"$tree/espalier/base/one.cc"
  result c0de false
  try 1 'not committed'
  git -C "$tree" checkout -q espalier
  try 0 '1 results of commit'
  grep -q '"commit": "[0-9a-f]' "$tree/research/results/searn-one.json"
  # shellcheck disable=SC2016 # backquotes are part of the document
  grep -q '^| `searn-one` | 0 of 0 | 0 of 0 | 1.0 | today | [0-9a-f]* |$' "$tree/docs/papers.md"
  grep -q '^After.$' "$tree/docs/papers.md"
  if grep -q '^old$' "$tree/docs/papers.md"; then exit 1; fi
}
if [ "${1:-}" = --self-test ]; then
  self_test
  exit 0
fi

if [ $# -ne 1 ] || [ ! -d "$1" ]; then
  echo "usage: scripts/update_papers.sh DIR, the folder of a run of reproduce --all" >&2
  exit 2
fi
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
grep -q '^<!-- results: begin' docs/papers.md || { say "docs/papers.md has no marks for the results"; exit 1; }
scripts/papers_table.sh --fill >"$fresh.md"
cat "$fresh.md" >docs/papers.md
rm -f "$fresh.md"
echo "$taken results of commit $commit"
