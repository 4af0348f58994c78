#!/bin/sh
# Includes only point down the module order.
#
#   scripts/check_includes.sh [ROOT]       the tree to look at; default: this one
#   scripts/check_includes.sh --self-test  shows that each kind of wrong include is found
#
# The order is that of the espalier_module(...) lines in ROOT/espalier/CMakeLists.txt, lowest first. A file of a module
# may include its own module and those before it, and nothing outside espalier/. apps, research, examples, fuzz and bench may
# include all modules and themselves; apps/reproduce_main.cc, the program behind `espalier reproduce`, may also include research.
# Project headers are named by their path from the root.
# The public headers (espalier/espalier.h, espalier/task.h and their parts in espalier/public/) may be included from everywhere;
# they themselves include nothing of the modules, only each other and the standard library.
set -eu

check() {
  (
    cd "$1"
    find espalier apps research examples fuzz bench \( -name '*.h' -o -name '*.cc' \) -type f 2>/dev/null | LC_ALL=C sort |
      awk '
        BEGIN {
          while ((getline line < "espalier/CMakeLists.txt") > 0)
            if (line ~ /^[ \t]*espalier_module\(/) {
              sub(/^[ \t]*espalier_module\([ \t]*/, "", line)
              sub(/[ \t)].*/, "", line)
              rank[line] = ++modules
            }
          if (modules == 0) { print "espalier/CMakeLists.txt names no modules"; wrong++ }
        }
        function is_public(header) { return header ~ /^espalier\/((espalier|task)\.h|public\/[a-z_]+\.h)$/ }
        function complain(text) { printf "%s:%d: %s\n", file, number, text; wrong++ }
        function look(included,    from, to, part) {
          split(file, part, "/"); from = part[1] == "espalier" ? part[2] : part[1]
          split(included, part, "/"); to = part[1] == "espalier" ? part[2] : part[1]
          if (included ~ /(^|\/)\.\.?\//) return complain("\"" included "\": name headers by their path from the root")
          if (is_public(included)) return
          if (is_public(file)) return complain("\"" included "\": a public header includes nothing of the modules")
          if (included ~ /^espalier\/[^\/]*$/ || file ~ /^espalier\/[^\/]*$/)
            return complain("\"" (included ~ /^espalier\/[^\/]*$/ ? included : file) "\": not one of the public headers")
          if (file ~ /^espalier\//) {
            if (included !~ /^espalier\//) return complain("\"" included "\": not under espalier/")
            if (!(from in rank)) return complain("module " from " is not in espalier/CMakeLists.txt")
            if (!(to in rank)) return complain("\"" included "\": module " to " is not in espalier/CMakeLists.txt")
            if (rank[to] > rank[from])
              return complain("\"" included "\": " to " stands above " from "; includes only point down")
          } else if (included ~ /^espalier\//) {
            if (!(to in rank)) return complain("\"" included "\": module " to " is not in espalier/CMakeLists.txt")
          } else if (to != from && !(file == "apps/reproduce_main.cc" && to == "research")) {
            return complain("\"" included "\": neither under espalier/ nor under " from "/")
          }
        }
        {
          file = $0; number = 0; files++
          while ((getline line < file) > 0) {
            number++
            if (is_public(file) && line ~ /^[ \t]*#[ \t]*include[ \t]*<[^>]*[\/.]/)
              complain(line ": a public header includes no header of a dependency")
            if (line !~ /^[ \t]*#[ \t]*include[ \t]*"/) continue
            sub(/^[^"]*"/, "", line); sub(/".*/, "", line)
            includes++
            look(line)
          }
          close(file)
        }
        END {
          printf "%d files, %d modules, %d includes of project headers, %d wrong\n", files, modules, includes, wrong
          exit wrong > 0 || files == 0
        }'
  )
}

# expect RESULT TEXT FILE INCLUDE: a tree of two modules in which FILE includes INCLUDE, in quotes unless it has its own.
expect() {
  tree=$(mktemp -d)
  mkdir -p "$tree/espalier/low" "$tree/espalier/high" "$tree/espalier/public" "$tree/apps" "$tree/research"
  printf 'espalier_module(low)\nespalier_module(high USES espalier_low)\n' >"$tree/espalier/CMakeLists.txt"
  case $4 in
    \<*) printf '#include <vector>\n#include %s\n' "$4" >"$tree/$3" ;;
    *) printf '#include <vector>\n#include "%s"\n' "$4" >"$tree/$3" ;;
  esac
  found=accepted
  check "$tree" >"$tree/said" || found=rejected
  if [ "$found" != "$1" ] || ! grep -q -- "$2" "$tree/said"; then
    printf '%s including %s was %s, saying:\n' "$3" "$4" "$found"
    cat "$tree/said"
    rm -rf "$tree"
    exit 1
  fi
  rm -rf "$tree"
}

if [ "${1:-}" = --self-test ]; then
  expect accepted '0 wrong' espalier/high/a.cc espalier/low/b.h
  expect accepted '0 wrong' espalier/high/a.cc espalier/high/b.h
  expect accepted '0 wrong' apps/a.cc espalier/high/b.h
  expect accepted '0 wrong' apps/a.cc apps/b.h
  expect accepted '0 wrong' apps/reproduce_main.cc research/b.h
  expect accepted '0 wrong' research/a.cc espalier/high/b.h
  expect rejected 'neither under' apps/a.cc research/b.h
  expect rejected 'not under espalier/' espalier/high/a.cc research/b.h
  expect rejected 'neither under' research/a.cc apps/b.h
  expect rejected 'low/a.h:2: .*only point down' espalier/low/a.h espalier/high/b.h
  expect rejected 'only point down' espalier/low/a_test.cc espalier/high/b.h
  expect rejected 'not under espalier/' espalier/high/a.cc apps/b.h
  expect rejected 'path from the root' espalier/high/a.cc ../low/b.h
  expect rejected 'not under espalier/' espalier/high/a.cc b.h
  expect rejected 'module other is not in' espalier/high/a.cc espalier/other/b.h
  expect accepted '0 wrong' espalier/low/a.h espalier/public/result.h
  expect accepted '0 wrong' apps/a.cc espalier/task.h
  expect accepted '0 wrong' espalier/task.h espalier/public/result.h
  expect accepted '0 wrong' espalier/task.h '<vector>'
  expect rejected 'nothing of the modules' espalier/task.h espalier/low/b.h
  expect rejected 'nothing of the modules' espalier/public/part.h espalier/low/b.h
  expect rejected 'no header of a dependency' espalier/task.h '<fmt/format.h>'
  expect rejected 'not one of the public headers' espalier/low/a.h espalier/other.h
  expect rejected 'not one of the public headers' espalier/other.h espalier/low/b.h
  echo "every wrong include was found"
  exit 0
fi

check "${1:-$(cd "$(dirname "$0")/.." && pwd)}"
