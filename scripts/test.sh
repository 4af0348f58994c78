#!/bin/sh
# Configures, builds and tests with each of the named presets, and repeats the last lines of ctest at the end.
#
#   scripts/test.sh PRESET...        release, debug, asan, tsan
#
# release runs every test and the checks of the tree; asan the library's tests again, those on public corpora left out, and the
# fuzz targets for some seconds, under the sanitizers; tsan the tests that use threads.
# Environment: JOBS, LAUNCHER (further arguments for cmake).
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
status=0
summary=

for preset in "$@"; do
  began=$(date +%s)
  printf '\n== %s: configure and build\n' "$preset"
  # shellcheck disable=SC2086
  cmake ${LAUNCHER:-} --log-level=WARNING --preset "$preset" &&
    cmake --build --preset "$preset" --parallel "$jobs"
  built=$?
  if [ $built -ne 0 ]; then
    summary="$summary$preset: the build failed
"
    status=1
    continue
  fi
  printf '\n== %s: test\n' "$preset"
  ctest --preset "$preset" --parallel "$jobs" --output-log "build/$preset.ctest.log" || status=1
  closing=$(grep -E '^[0-9]+% tests passed|^No tests were found' "build/$preset.ctest.log" | tail -n 1)
  summary="$summary$preset: ${closing:-no closing line} ($(($(date +%s) - began)) s with the build)
"
done

printf '\n== all together\n%s' "$summary"
exit $status
