#!/bin/sh
# Runs the commands of the README's five-minute tour and of docs/guide.md, in order, on the bundled corpus, and compares
# what they print with what the documents show.
#
#   scripts/check_readme.sh ESPALIER
#
# The commands are those in blocks marked sh. They find train.txt, dev.txt, test.txt and new.txt: word, tag and chunk; a
# few sentences each, for speed. A block marked text right after one of them shows what it prints on standard output; a
# line `...` there stands for any lines. Times, speeds and memory may differ, and what comes after two decimals.
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

# What differs from run to run, left out.
comparable() {
  sed -E -e 's/[0-9][0-9.,]* (ms|s|min|h|B|KB|MB|GB)([^a-zA-Z]|$)/# \1\2/g' -e 's/[0-9,]+ tokens per second/# tokens per second/' \
    -e 's/([0-9]\.[0-9]{2})[0-9]+/\1/g' -e 's/ +$//' "$1"
}

cd "$work"
commands=0
shown=0
for document in README.md docs/guide.md; do
  rm -rf blocks
  mkdir blocks
  # blocks/N.sh and, where it is shown, what it prints: blocks/N.text
  awk '
    /^```sh$/ { name = sprintf("blocks/%03d", ++n); kind = ".sh"; next }
    /^```text$/ && after { kind = ".text"; printf "" >(name kind); next }
    /^```$/ && kind { after = kind == ".sh"; kind = ""; next }
    kind { print >(name kind); next }
    NF { after = 0 }' "$root/$document"
  cat blocks/*.sh >tour.sh
  found=$(grep -c '^espalier ' tour.sh || true)
  if [ "$found" -lt 5 ]; then
    echo "$document: found only $found commands"
    exit 1
  fi
  commands=$((commands + found))
  for block in blocks/*.sh; do
    PATH=$program:$PATH sh -eux "$block" >printed || {
      echo "$document: failed: $(cat "$block")"
      exit 1
    }
    text=${block%.sh}.text
    [ -e "$text" ] || continue
    shown=$((shown + 1))
    comparable "$text" >wanted
    comparable printed >seen
    # Each stretch of lines between `...` has to occur, in order; the first at the beginning, the last at the end.
    awk '
      NR == FNR { if ($0 == "...") { ++parts; size[parts] = 0 } else { line[parts + 0, size[parts + 0]++] = $0 } next }
      { seen[count++] = $0 }
      function fits(part, at,  i) {
        for (i = 0; i < size[part]; ++i) if (at + i >= count || seen[at + i] != line[part, i]) return 0
        return 1
      }
      END {
        at = 0
        for (part = 0; part <= parts + 0; ++part) {
          if (part > 0) {
            if (part == parts) at = count - size[part] > at ? count - size[part] : at
            while (at < count && !fits(part, at)) ++at
          }
          if (!fits(part, at)) exit 1
          at += size[part]
        }
        if (at != count) exit 1
      }' wanted seen || {
      echo "$document: this is not what is printed:"
      cat "$block"
      diff wanted seen || true
      exit 1
    }
  done
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
if [ $shown -lt 5 ]; then
  echo "README.md and docs/guide.md show what only $shown blocks print"
  exit 1
fi
echo "$commands commands of the tours ran; $shown outputs are as shown"
