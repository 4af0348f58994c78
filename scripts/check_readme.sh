#!/bin/sh
# Runs the commands of the README's five-minute tour and of docs/guide.md, in order, on the bundled corpus.
#
#   scripts/check_readme.sh ESPALIER
#
# The commands are those in blocks marked sh. They find train.txt, dev.txt, test.txt and new.txt: word, tag and chunk; a
# few sentences each, for speed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(cd "$(dirname "$1")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sentences() { awk -v first="$1" -v last="$2" 'BEGIN { RS = ""; ORS = "\n\n" } NR >= first && NR <= last' "$3"; }
sentences 1 250 "$root/corpus/train.txt" | cut -f 1-3 >"$work/train.txt"
sentences 251 300 "$root/corpus/train.txt" | cut -f 1-3 >"$work/dev.txt"
sentences 1 60 "$root/corpus/test.txt" | cut -f 1-3 >"$work/test.txt"
sentences 61 70 "$root/corpus/test.txt" | cut -f 1-2 >"$work/new.txt"

cd "$work"
commands=0
for document in README.md docs/guide.md; do
  awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$root/$document" >tour.sh
  found=$(grep -c '^espalier ' tour.sh || true)
  if [ "$found" -lt 5 ]; then
    echo "$document: found only $found commands"
    exit 1
  fi
  commands=$((commands + found))
  PATH=$program:$PATH sh -eux tour.sh
done
for file in chunks.model tagged.txt with-probabilities.txt three-answers.txt third.model votes.model completed.txt; do
  [ -s "$file" ] || {
    echo "the tour left no $file"
    exit 1
  }
done
[ "$(awk 'NF == 3' tagged.txt | wc -l)" -eq "$(awk 'NF' new.txt | wc -l)" ] || {
  echo "tagged.txt has not one label for each token of new.txt"
  exit 1
}
echo "$commands commands of the tours ran"
