#!/bin/sh
# Every source has its test, and no file is too long.
#
#   scripts/check_layout.sh [ROOT]       the tree to check; default: this one
#   scripts/check_layout.sh --self-test  shows that each kind of fault is found
#
# In the folders listed below, a source NAME.cc has a test NAME_test.cc next to it (under apps/, also tests/NAME_test.sh);
# or the comment at the top of its header NAME.h names the test that covers it ("Tested in kernels_test.cc."); or, if there
# is no NAME.h, the comment at the top of the source does. A test is named by its file name if it is in the same folder, at
# the top of the same module or in apps/tests, otherwise by its path from the module or from the root, and it must exist. No
# file has 400 lines or more.
#
# The same holds in research/, where a source may also be an experiment: it defines a function that research/experiments.h
# declares, and the first lines of that header say where all experiments are tested.
set -eu

folders="espalier/base espalier/program espalier/data espalier/eval espalier/linear espalier/chain espalier/cascade
  espalier/constrain espalier/search espalier/tasks espalier/model espalier/ensemble espalier/api espalier/combine espalier/own_task
  espalier/report apps server research"
most_lines=399

check() {
  (
    cd "$1"
    for folder in $folders; do
      find "$folder" \( -name '*.h' -o -name '*.cc' \) -type f 2>/dev/null
    done | LC_ALL=C sort |
      awk -v most="$most_lines" '
        function exists(file,    line, answer) { answer = (getline line < file) >= 0; close(file); return answer }
        function name_of(path) { sub(/^.*\//, "", path); return path }
        function complain(file, text) { printf "%s: %s\n", file, text; wrong++ }
        # Whether the comment at the top of a file names a test that exists.
        function names_test(file, folder,    line, found, name, module) {
          module = match(folder, /^espalier\/[^\/]*\//) ? substr(folder, 1, RLENGTH) : folder ~ /^apps\// ? "apps/" : folder
          while ((getline line < file) > 0 && line ~ /^\/\//)
            while (match(line, /[A-Za-z0-9_\/]+_test\.(cc|sh|py)/)) {
              name = substr(line, RSTART, RLENGTH)
              line = substr(line, RSTART + RLENGTH)
              if (exists(folder name) || exists(module name) || exists(module "tests/" name) || (name ~ /\// && exists(name)))
                found = 1
              else complain(file, "names the test " name ", which does not exist")
            }
          close(file)
          return found
        }
        # Whether a source defines an experiment; the names are read from experiments.h once.
        function is_experiment(file,    line, found, name) {
          if (file !~ /^research\//) return 0
          if (!experiments_read) {
            experiments_read = 1
            while ((getline line < experiments) > 0)
              if (match(line, /^Result<Report> [a-z0-9_]+\(/)) declared[substr(line, RSTART, RLENGTH)] = 1
            close(experiments)
            if (!names_test(experiments, "research/")) complain(experiments, "does not say where experiments are tested")
          }
          while ((getline line < file) > 0)
            if (match(line, /^Result<Report> [a-z0-9_]+\(/) && substr(line, RSTART, RLENGTH) in declared) found = 1
          close(file)
          return found
        }
        BEGIN { experiments = "research/experiments.h" }
        {
          file = $0; files++; lines = 0
          while ((getline line < file) > 0) lines++
          close(file)
          if (lines > most) complain(file, lines " lines; at most " most)
          if (file !~ /\.cc$/ || file ~ /_test\.cc$/) next
          stem = file; sub(/\.cc$/, "", stem)
          folder = file; sub(/[^\/]*$/, "", folder)
          if (exists(stem "_test.cc") || (file ~ /^apps\// && exists("apps/tests/" name_of(stem) "_test.sh")) ||
               (!exists(stem ".h") && is_experiment(file))) next
          about = exists(stem ".h") ? stem ".h" : file
          if (!names_test(about, folder))
            complain(file, "no " stem "_test.cc, and the first lines of " about " do not say where it is tested")
        }
        END {
          printf "%d files, %d faults\n", files, wrong
          exit wrong > 0 || files == 0
        }'
  )
}

# shellcheck source=scripts/judge.sh
. "$(dirname "$0")/judge.sh"

# expect_experiment RESULT TEXT EXPERIMENTS SOURCE: research/ in which experiments.h and paper/paper_thing.cc have these lines.
expect_experiment() {
  tree=$(mktemp -d)
  mkdir -p "$tree/research/paper" "$tree/apps"
  mkdir -p "$tree/apps/tests"
  touch "$tree/apps/tests/reproduce_test.sh"
  printf '%s\n' "$3" >"$tree/research/experiments.h"
  printf '%s\n' "$4" >"$tree/research/paper/paper_thing.cc"
  judge "$1" "$2" "experiments \"$3\" and source \"$4\""
}

# expect RESULT TEXT HEADER SOURCE [with_test|- [FOLDER]]: a module in which thing.h and thing.cc begin with these lines;
# "-": no such file.
expect() {
  tree=$(mktemp -d)
  folder=$tree/${6:-espalier/base}
  mkdir -p "$tree/espalier/base" "$tree/espalier/data" "$folder"
  touch "$tree/espalier/base/other_test.cc" "$tree/espalier/data/far_test.cc"
  [ "${folder#"$tree"/apps}" = "$folder" ] || { mkdir -p "$tree/apps/tests"; touch "$tree/apps/tests/verbs_test.sh"; }
  [ "$3" = - ] || printf '%s\nint x;\n' "$3" >"$folder/thing.h"
  [ "$4" = - ] || printf '%s\nint x;\n' "$4" >"$folder/thing.cc"
  [ "${5:-}" = with_test ] && touch "$folder/thing_test.cc"
  judge "$1" "$2" "header \"$3\" and source \"$4\""
}

if [ "${1:-}" = --self-test ]; then
  expect accepted '0 faults' '// A thing.' '' with_test
  expect accepted '0 faults' '// A thing. Tested in other_test.cc.' ''
  expect accepted '0 faults' '// A thing. Tested in espalier/base/other_test.cc.' ''
  expect accepted '0 faults' - '// Part of a thing. Tested in other_test.cc.'
  expect accepted '0 faults' '// A thing. Tested in other_test.cc.' '' - espalier/base/parts
  expect accepted '0 faults' - '// A verb. Tested in espalier/base/other_test.cc.' - apps
  expect accepted '0 faults' - '// A verb. Tested in verbs_test.sh.' - apps/verbs
  expect rejected 'do not say where it is tested' - '// A verb.' - apps/verbs
  expect rejected 'do not say where it is tested' - '// A verb.' - apps
  expect rejected 'does not exist' '// A thing. Tested in far_test.cc.' ''
  expect rejected 'do not say where it is tested' '// A thing.' ''
  expect rejected 'do not say where it is tested' '// A thing.' '// Tested in other_test.cc.'
  expect rejected 'do not say where it is tested' - '// Part of a thing.'
  expect rejected 'does not exist' '// A thing. Tested in lost_test.cc.' ''
  expect rejected '402 lines; at most 399' '// A thing.' "$(awk 'BEGIN { for (i = 0; i < 401; i++) print "x" }')" with_test
  tested='// Tested in apps/tests/reproduce_test.sh.'
  declared='Result<Report> paper_thing(const Request& request);'
  defined='Result<Report> paper_thing(const Request& request) {'
  expect_experiment accepted '0 faults' "$(printf '%s\n%s' "$tested" "$declared")" "$defined"
  expect_experiment rejected 'do not say where it is tested' "$tested" "$defined"
  expect_experiment rejected 'does not say where experiments are tested' "$declared" "$defined"
  echo "every fault was found"
  exit 0
fi

check "${1:-$(cd "$(dirname "$0")/.." && pwd)}"
