#!/bin/sh
# Checks without changing anything: clang-format on all sources, clang-tidy on all but the tests (.clang-tidy lists the
# checks), shellcheck on the scripts. Needs build/debug configured, for its compile commands: the other presets compile
# several sources as one.
#
#   scripts/lint.sh [FILE...]        only these sources
#
# Environment: JOBS.
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
status=0

if [ $# -gt 0 ]; then
  sources=$*
else
  sources=$(find espalier apps server research examples fuzz bench python -name '*.h' -o -name '*.cc' | LC_ALL=C sort)
fi

echo "lint: clang-format"
# shellcheck disable=SC2086
clang-format --dry-run -Werror $sources || status=1

echo "lint: shellcheck"
shellcheck scripts/*.sh bench/*.sh bench/peer/*.sh .ci/run || status=1

# Sources that the build knows; those of other builds (the fuzz targets) have no compile command here.
echo "lint: clang-tidy"
units=
for source in $sources; do
  case $source in
    *_test.cc | *.h) continue ;;
  esac
  if grep -q "/$source\"" build/debug/compile_commands.json; then units="$units $source"; fi
done
# shellcheck disable=SC2086
printf '%s\n' $units | xargs -P "$jobs" -n 1 clang-tidy -p build/debug --quiet 2>/dev/null || status=1

[ $status -eq 0 ] && echo "lint: nothing found"
exit $status
