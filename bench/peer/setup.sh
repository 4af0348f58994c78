#!/bin/sh
# Sets up the peer of the benchmark: CRFsuite, from the npm package "crfsuite".
#
#   bench/peer/setup.sh [--native-only] [--force]
#
# Into $PEER_DIR (default: build/peer of this repository) it
#   1. installs the package pinned in package.json and lets its install script
#      build the Node binding from source;
#   2. compiles the CRFsuite sources that the package carries, together with
#      crfsuite_native.cpp, into the program crfsuite_native.
# What is already there is kept unless --force is given.  --native-only does
# without the binding (the sources are fetched, no install script runs).
#
# Environment: PEER_DIR; PEER_CFLAGS (default: -O3 -ffast-math, as CRFsuite's own
# configure sets them, and -march=native); CC, CXX.
#
# Exit: 0 the peer is ready; 3 the peer is not available (the reason is said);
# 2 wrong usage.
set -u

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dir=${PEER_DIR:-$root/build/peer}
cc=${CC:-cc}
cxx=${CXX:-c++}
cflags=${PEER_CFLAGS:--O3 -ffast-math -march=native}
binding=yes
force=no

say() { printf 'peer: %s\n' "$*" >&2; }
unavailable() {
  say "not available: $*"
  exit 3
}

for arg in "$@"; do
  case $arg in
    --native-only) binding=no ;;
    --force) force=yes ;;
    *)
      say "unknown argument $arg (known: --native-only --force)"
      exit 2
      ;;
  esac
done

command -v node >/dev/null 2>&1 || unavailable "node is missing (Debian: nodejs)"
command -v npm >/dev/null 2>&1 || unavailable "npm is missing (Debian: npm)"
command -v "$cc" >/dev/null 2>&1 || unavailable "no C compiler '$cc' (Debian: build-essential)"
command -v "$cxx" >/dev/null 2>&1 || unavailable "no C++ compiler '$cxx' (Debian: build-essential)"

mkdir -p "$dir" || unavailable "cannot make the directory $dir"
dir=$(cd "$dir" && pwd)
package=$dir/node_modules/crfsuite
native=$dir/crfsuite_native

[ "$force" = no ] || rm -rf "$dir/node_modules" "$native"
cmp -s "$here/package.json" "$dir/package.json" || {
  rm -rf "$dir/node_modules" "$native"
  cp "$here/package.json" "$dir/package.json" || unavailable "cannot write to $dir"
}

# 1. The package.  No lock file: it would record the registry's address.
npm_in_dir() (
  cd "$dir" || exit 1
  # npm_config_*: read by node-pre-gyp and node-gyp below the install script.
  # Headers of a Node from a distribution lie beside it; without them node-gyp
  # would fetch them from the network.
  prefix=$(node -p 'path.dirname(path.dirname(fs.realpathSync(process.execPath)))')
  [ ! -f "$prefix/include/node/node_api.h" ] || export npm_config_nodedir="$prefix"
  export npm_config_build_from_source=true
  npm "$@" --no-package-lock --no-audit --no-fund --foreground-scripts >>"$dir/npm.log" 2>&1
)
binding_works() { (cd "$dir" && node -e 'new (require("crfsuite").Trainer)()' >/dev/null 2>&1); }

: >"$dir/npm.log"
if [ ! -f "$package/crfsuite/include/crfsuite.hpp" ]; then
  say "installing the npm package crfsuite into $dir (log: npm.log there)"
  npm_in_dir install --ignore-scripts || {
    tail -n 5 "$dir/npm.log" >&2
    unavailable "npm install failed; is the npm registry within reach?"
  }
fi
[ -f "$package/crfsuite/include/crfsuite.hpp" ] || unavailable "the package carries no CRFsuite sources"

if [ "$binding" = yes ] && ! binding_works; then
  say "building the Node binding from source"
  npm_in_dir rebuild crfsuite
  binding_works || say "the binding could not be built (see npm.log; node-gyp needs python3, make and Node's headers); going on without it"
fi

# 2. The native program: exactly the sources that the package's binding.gyp names.
stamp="$cc | $cxx | $cflags | $(cksum <"$here/crfsuite_native.cpp")"
if [ ! -x "$native" ] || [ "$stamp" != "$(cat "$dir/native.stamp" 2>/dev/null)" ]; then
  say "compiling the native driver ($cflags)"
  case $(uname -m) in
    x86_64 | amd64 | i?86) sse="-DUSE_SSE -DHAVE_EMMINTRIN_H" ;; # its own vector exp and L-BFGS arithmetic
    *) sse="" ;;
  esac
  objects=$dir/native.objects
  rm -rf "$objects" "$native"
  mkdir -p "$objects"
  : >"$dir/native.log"
  includes="-I$package/crfsuite/include -I$package/crfsuite/lib/cqdb/include -I$package/liblbfgs/include"
  for source in "$package"/liblbfgs/lib/lbfgs.c "$package"/crfsuite/lib/crf/src/*.c \
    "$package"/crfsuite/lib/cqdb/src/cqdb.c "$package"/crfsuite/lib/cqdb/src/lookup3.c; do
    # shellcheck disable=SC2086
    "$cc" -std=gnu99 -w $cflags $sse $includes -c "$source" -o "$objects/$(basename "$source" .c).o" 2>>"$dir/native.log" ||
      unavailable "$source does not compile (see native.log in $dir)"
  done
  # shellcheck disable=SC2086
  "$cxx" -std=c++17 $cflags $includes "$here/crfsuite_native.cpp" "$objects"/*.o -lm -o "$native" 2>>"$dir/native.log" ||
    unavailable "the native driver does not compile (see native.log in $dir)"
  rm -rf "$objects"
  printf '%s\n' "$stamp" >"$dir/native.stamp"
fi

if binding_works; then say "ready: native driver and Node binding"; else say "ready: native driver only"; fi
exit 0
