#!/bin/sh
# Checks every text file of the tree for what compilers and clang-format do not: a line end at the end of the file, no
# carriage returns, no spaces at line ends, tabs only in data and makefiles, no marks of a merge or of unfinished work;
# headers start with a comment and #pragma once; the licence exists.
#
#   scripts/check_text.sh [ROOT]
set -eu
cd "${1:-$(cd "$(dirname "$0")/.." && pwd)}"

status=0
if ! grep -q 'Apache License' LICENSE 2>/dev/null || ! grep -q 'Version 2.0, January 2004' LICENSE; then
  echo "LICENSE: not the Apache License, version 2.0"
  status=1
fi

find . \( -path ./build -o -path ./.git -o -name node_modules -o -name .cache \) -prune -o -type f \
  \( -name '*.h' -o -name '*.cc' -o -name '*.cpp' -o -name '*.js' -o -name '*.css' -o -name '*.html' -o -name '*.svg' -o -name '*.cmake' -o -name '*.txt' -o -name '*.md' \
  -o -name '*.sh' -o -name '*.py' -o -name '*.pyi' -o -name '*.toml' -o -name '*.json' -o -name '*.template' -o -name Makefile -o -name run -o -name '.clang-*' \
  -o -name .editorconfig -o -name .gitignore \) -print | LC_ALL=C sort >"${TMPDIR:-/tmp}/espalier-files.$$"
trap 'rm -f "${TMPDIR:-/tmp}/espalier-files.$$"' EXIT

LC_ALL=C awk '
  function complain(text) { printf "%s:%d: %s\n", file, number, text; wrong++ }
  BEGIN {  # put together here so that this file does not accuse itself
    unfinished = "(TO" "DO|FIX" "ME)([^A-Za-z]|$)"
    merge = "^(<<<<<<" "<|>>>>>>" ">)( |$)"
  }
  {
    file = $0; number = 0; pragma = 0; files++
    data = file ~ /\.\/corpus\/.*\.txt$/
    tabs_belong = data || file ~ /(Makefile|\.md|_test\.cc)$/
    while ((getline line < file) > 0) {
      number++
      if (line ~ /\r/) complain("carriage return")
      if (line ~ /[ \t]$/) complain("space at the line end")
      if (!tabs_belong && index(line, "\t")) complain("tab")
      if (!data && line ~ unfinished) complain("mark of unfinished work")
      if (line ~ merge) complain("mark of a merge")
      if (number == 1 && file ~ /\.h$/ && line !~ /^\/\//) complain("a header starts with a comment that says what it is")
      if (line == "#pragma once") pragma = 1
    }
    close(file)
    if (file ~ /\.h$/ && !pragma) complain("no #pragma once")
  }
  END { printf "%d files, %d complaints\n", files, wrong; exit wrong > 0 || files == 0 }
' "${TMPDIR:-/tmp}/espalier-files.$$" || status=1

# A last line without an end: fewer line ends among the files' last bytes than there are files that are not empty.
list="${TMPDIR:-/tmp}/espalier-files.$$"
if [ "$(xargs tail -q -c 1 <"$list" | wc -l)" -ne "$(xargs wc -c <"$list" | awk '$1 > 0 && $2 != "total"' | wc -l)" ]; then
  while read -r file; do
    if [ -s "$file" ] && [ -n "$(tail -c 1 "$file")" ]; then
      echo "$file: no line end after the last line"
      status=1
    fi
  done <"$list"
fi
exit $status
