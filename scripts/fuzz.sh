#!/bin/sh
# Builds the fuzz targets with clang, libFuzzer and the sanitizers and runs each for a while, several at a time.
#
#   scripts/fuzz.sh [SECONDS [TARGET...]]        default: 60 seconds each, all targets
#
# New inputs are kept in build/fuzz/corpus/TARGET and used again by the next run. An input that breaks a target is written
# to build/fuzz/found, what the target said to build/fuzz/log, and the exit status is 1.
# Environment: JOBS, LAUNCHER; FUZZ_JOBS: how many run at a time (default: JOBS). The seconds are those of the clock on the wall,
# so more than there are processors take less time and try fewer inputs.
set -u
cd "$(dirname "$0")/.." || exit 1
if [ "${1:-}" = --one ]; then  # how the script calls itself: one target, already built
  target=$2
  seconds=$3
  mkdir -p "build/fuzz/corpus/$target"
  seeds=fuzz/seeds/${target#fuzz_}
  [ -d "$seeds" ] || seeds=
  log=build/fuzz/log/$target
  found=clean
  began=$(date +%s)
  # shellcheck disable=SC2086
  if ! "build/fuzz/fuzz/$target" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/found/$target-" "build/fuzz/corpus/$target" $seeds >"$log" 2>&1; then
    found="BROKEN, see $log"
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  line="$target: ${runs:-no} inputs in $(($(date +%s) - began)) s: $found"
  printf 'fuzz: %s\n' "$line"
  printf '%s\n' "$line" >"$log.result"
  [ "$found" = clean ]
  exit
fi

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
seconds=${1:-60}
[ $# -eq 0 ] || shift

# shellcheck disable=SC2086
cmake ${LAUNCHER:-} --log-level=WARNING --preset fuzz &&
  cmake --build --preset fuzz --parallel "$jobs" --target fuzz_targets || exit 1

if [ $# -eq 0 ]; then
  for program in build/fuzz/fuzz/fuzz_*; do
    [ -f "$program" ] && [ -x "$program" ] && set -- "$@" "$(basename "$program")"
  done
fi
if [ $# -eq 0 ]; then
  echo "fuzz: no targets were built" >&2
  exit 1
fi

mkdir -p build/fuzz/found build/fuzz/log
rm -f build/fuzz/log/*.result
status=0
printf '%s\n' "$@" | xargs -P "${FUZZ_JOBS:-$jobs}" -I '{}' scripts/fuzz.sh --one '{}' "$seconds" || status=1
printf '\n== all targets\n'
for target in "$@"; do
  if [ -f "build/fuzz/log/$target.result" ]; then
    cat "build/fuzz/log/$target.result"
  else
    echo "$target: did not run to its end"
    status=1
  fi
done
for target in "$@"; do
  if grep -q BROKEN "build/fuzz/log/$target.result" 2>/dev/null; then
    printf '\n== %s\n' "$target"
    tail -n 40 "build/fuzz/log/$target"
  fi
done
exit $status
