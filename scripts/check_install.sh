#!/bin/sh
# Installs a build and uses it from outside the tree, as another project would.
#
#   scripts/check_install.sh BUILD_DIRECTORY
#
# Checks what an installation promises: two headers; a shared library that exports only the public API; a program that
# builds with find_package(espalier) or pkg-config, shared or static, and trains, saves, opens, tags and scores.
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/espalier-install-XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "check_install: $*" >&2; exit 1; }

cmake --build "$build" --target library >"$work/log" 2>&1 || { cat "$work/log"; fail "the library does not build"; }
cmake --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; fail "cmake --install failed"; }
cd "$work"
headers=$(cd prefix/include && find . -type f | LC_ALL=C sort | tr '\n' ' ')
[ "$headers" = "./espalier/espalier.h ./espalier/task.h " ] || fail "installed headers: $headers"
lib=$(dirname "$(find prefix -name 'libespalier.so')")
[ -f "$lib/libespalier.a" ] || fail "there is no static library"

# The shared library exports names of the namespace espalier, and none of its modules.
nm -D --defined-only -C "$lib/libespalier.so" | awk '{ $1 = $2 = ""; print }' >symbols
grep -q 'espalier::Tagger::open' symbols || fail "Tagger::open is not visible"
if grep -E '^ *(espalier::(data|linear|chain|cascade|search|constrain|tasks|model|ensemble|eval|program|api|report)::|fst::|fmt::|icu|nlohmann)' symbols |
  head -5 | grep .; then
  fail "the shared library shows more than the public API"
fi

cp "$root/examples/library/from_file_to_labels.cc" program.cc
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(program CXX)
find_package(espalier REQUIRED)
add_executable(program program.cc)
target_link_libraries(program PRIVATE espalier::espalier)
END
run() {
  "$@" "$root/corpus/train.txt" "$root/corpus/test.txt" "$work/program.model" >out || fail "$1 failed"
  grep -q '^F1 ' out || { cat out; fail "$1 printed no score"; }
}
cmake -S . -B by_cmake -DCMAKE_PREFIX_PATH="$work/prefix" >log 2>&1 && cmake --build by_cmake >log 2>&1 || { cat log; fail "find_package"; }
run ./by_cmake/program
PKG_CONFIG_PATH=$(cd "$lib/pkgconfig" && pwd)
export PKG_CONFIG_PATH
start=$(date +%s%N)
# shellcheck disable=SC2046 # the flags are words
g++ -fsyntax-only program.cc $(pkg-config --cflags espalier)
echo "a program that includes espalier.h is compiled in $((($(date +%s%N) - start) / 1000000)) ms"
# shellcheck disable=SC2046
g++ program.cc $(pkg-config --cflags --libs espalier) -Wl,-rpath,"$(cd "$lib" && pwd)" -o by_pkg_config || fail "pkg-config"
run ./by_pkg_config
# The second header compiles, too, together with the first.
printf '#include <espalier/task.h>\n#include <espalier/espalier.h>\nint main() {}\n' >both.cc
# shellcheck disable=SC2046
g++ -fsyntax-only -Wall -Wextra -Werror both.cc $(pkg-config --cflags espalier) || fail "espalier/task.h does not compile"
cp "$root/examples/library/own_task.cc" own_task.cc
# shellcheck disable=SC2046
g++ own_task.cc $(pkg-config --cflags espalier) "$lib/libespalier.a" $(pkg-config --libs --static espalier | sed 's/-lespalier//') -o static_program ||
  fail "the static library does not link"
./static_program "$work/own.policy" >out || fail "the program with the static library failed"
"$work/prefix/bin/espalier" --version >out || fail "the installed command does not run"
echo "installed: $(du -sm prefix | cut -f1) MB; used by find_package, pkg-config, shared and static"
