#!/bin/sh
# Checks that code shown in the documentation is the code that the tests compile and run.
#
#   scripts/check_examples.sh [--write] [ROOT]
#
# In README.md and docs/*.md, a block of code after a line `<!-- example: FILE: TITLE -->` is the part of FILE between
# `// [docs: TITLE]` and `// [end]`, less its indentation. Blocks that differ are errors; --write corrects them.
set -eu
mode="check"
[ "${1:-}" = --write ] && { mode="write"; shift; }
cd "${1:-$(cd "$(dirname "$0")/.." && pwd)}"

# render FILE: the document with every example as it is in its source.
render() {
  awk '
    function fill(file, title,    line, inside, indent, any) {
      inside = 0; any = 0
      while ((getline line < file) > 0) {
        if (inside && line ~ /^[ \t]*\/\/ \[end\]/) { inside = 0; continue }
        if (inside) { if (substr(line, 1, indent) ~ /^ *$/) line = substr(line, indent + 1); print line; any = 1 }
        if (index(line, "// [docs: " title "]")) { inside = 1; indent = match(line, /[^ ]/) - 1 }
      }
      close(file)
      if (!any) { printf "%s:%d: %s has no part \"%s\"\n", FILENAME, FNR, file, title > "/dev/stderr"; wrong = 1 }
    }
    skipping && /^```$/ { skipping = 0 }
    skipping { next }
    { print }
    pending && /^```cpp$/ { fill(file, title); skipping = 1; pending = 0 }
    /^<!-- example: / {
      text = $0; sub(/^<!-- example: /, "", text); sub(/ -->$/, "", text)
      file = text; sub(/: .*/, "", file); title = text; sub(/^[^:]*: /, "", title); pending = 1
    }
    END { exit wrong }' "$1"
}

status=0
blocks=0
for document in README.md docs/*.md; do
  count=$(grep -c '^<!-- example: ' "$document" || true)
  [ "$count" -gt 0 ] || continue
  blocks=$((blocks + count))
  fresh=$(mktemp)
  render "$document" >"$fresh" || status=1
  if [ $mode = write ]; then
    cat "$fresh" >"$document"
  elif ! diff -u "$document" "$fresh"; then
    echo "$document: examples differ from their sources; scripts/check_examples.sh --write puts them right"
    status=1
  fi
  rm -f "$fresh"
done
echo "$blocks examples"
[ "$blocks" -gt 0 ] || status=1
exit $status
