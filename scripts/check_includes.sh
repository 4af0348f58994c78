#!/bin/sh
# Includes point down the module order, and programs include public headers only.
#
#   scripts/check_includes.sh [ROOT]       the tree to check; default: this one
#   scripts/check_includes.sh --self-test  shows that each kind of wrong include is found
#
# The public headers are espalier/espalier.h, espalier/task.h and their parts in espalier/public/. Every file may include
# them; they themselves include only each other and the standard library. All other headers under espalier/ are private.
#
# Modules: their order is that of the espalier_module(...) lines in ROOT/espalier/CMakeLists.txt, lowest first. A file of a
# module may include its own module and lower ones, and nothing outside espalier/.
# Programs (apps, server, python, examples) may include public headers and their own folder. The few files that also need
# private headers are listed below with the reason. apps/verbs/reproduce_run.cc, the program behind `espalier reproduce`, may
# also include research/; apps/serve_main.cc, the program behind `espalier serve`, server/.
# research, fuzz and bench may include all modules and their own folder; fuzz/fuzz_command_line.cc also apps/command.h,
# fuzz/fuzz_request.cc server/.
# Project headers are named by their path from the root.
set -eu

# Programs' files that may include private headers, at most three:
#   apps/command.h    the macros for early return (ESPALIER_TRY, ESPALIER_ASSIGN), fail() and checked preconditions, for
#                     all verbs
#   apps/terminal.h   text layout for all verbs: padding by display width, shortening, suggestions for misspelled names
#   apps/terminal.cc  reading gzipped text, and writing a file whole or not at all, for options that name such files
private_users="apps/command.h apps/terminal.h apps/terminal.cc"
most_private_users=3

check() {
  (
    cd "$1"
    find espalier apps server python examples research fuzz bench \( -name '*.h' -o -name '*.cc' -o -name '*.cpp' \) -type f \
      2>/dev/null | LC_ALL=C sort |
      awk -v private_users="$private_users" -v most_private_users="$most_private_users" '
        BEGIN {
          count = split(private_users, list, " ")
          for (i = 1; i <= count; i++) allowed[list[i]] = 1
          if (count > most_private_users) {
            printf "%d files of programs may include private headers; at most %d\n", count, most_private_users
            wrong++
          }
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
              return complain("\"" included "\": " to " is above " from "; includes only point down")
          } else if (included ~ /^espalier\//) {
            if (!(to in rank)) return complain("\"" included "\": module " to " is not in espalier/CMakeLists.txt")
            if (from ~ /^(apps|server|python|examples)$/) {
              if (!(file in allowed)) return complain("\"" included "\": private; programs include public headers only")
              used[file] = 1
            }
          } else if (to != from && !(file == "apps/verbs/reproduce_run.cc" && to == "research") &&
                     !(file == "apps/serve_main.cc" && to == "server") &&
                     !(file == "fuzz/fuzz_request.cc" && to == "server") &&
                     !(file == "fuzz/fuzz_command_line.cc" && included == "apps/command.h")) {
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
          if (file in allowed && !(file in used)) {
            number = 1
            complain("includes no private header; remove it from the list in check_includes.sh")
          }
        }
        END {
          printf "%d files, %d modules, %d includes of project headers, %d wrong\n", files, modules, includes, wrong
          exit wrong > 0 || files == 0
        }'
  )
}

# shellcheck source=scripts/judge.sh
. "$(dirname "$0")/judge.sh"

# expect RESULT TEXT FILE INCLUDE: a tree of two modules in which FILE includes INCLUDE, in quotes unless it has its own.
expect() {
  tree=$(mktemp -d)
  mkdir -p "$tree/espalier/low" "$tree/espalier/high" "$tree/espalier/public" "$tree/apps/verbs" "$tree/server" "$tree/python" \
    "$tree/examples" "$tree/research"
  printf 'espalier_module(low)\nespalier_module(high USES espalier_low)\n' >"$tree/espalier/CMakeLists.txt"
  case $4 in
    \<*) printf '#include <vector>\n#include %s\n' "$4" >"$tree/$3" ;;
    *) printf '#include <vector>\n#include "%s"\n' "$4" >"$tree/$3" ;;
  esac
  judge "$1" "$2" "$3 including $4"
}

if [ "${1:-}" = --self-test ]; then
  expect accepted '0 wrong' espalier/high/a.cc espalier/low/b.h
  expect accepted '0 wrong' espalier/high/a.cc espalier/high/b.h
  expect accepted '0 wrong' apps/command.h espalier/high/b.h
  expect rejected 'a.cc:2: .*public headers only' apps/a.cc espalier/high/b.h
  expect rejected 'public headers only' server/a.cc espalier/low/b.h
  expect rejected 'public headers only' python/a.cpp espalier/low/b.h
  expect rejected 'public headers only' examples/a.cc espalier/low/b.h
  expect accepted '0 wrong' examples/a.cc espalier/espalier.h
  expect rejected 'neither under' server/a.cc apps/b.h
  expect accepted '0 wrong' server/a.cc server/b.h
  expect accepted '0 wrong' apps/serve_main.cc server/b.h
  expect rejected 'neither under' apps/a.cc server/b.h
  expect rejected 'remove it from the list' apps/command.h espalier/espalier.h
  expect accepted '0 wrong' apps/a.cc apps/b.h
  expect accepted '0 wrong' apps/verbs/reproduce_run.cc research/b.h
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
  private_users="$private_users apps/fourth.cc"
  expect rejected 'at most 3' apps/a.cc espalier/task.h
  echo "every wrong include was found"
  exit 0
fi

check "${1:-$(cd "$(dirname "$0")/.." && pwd)}"
