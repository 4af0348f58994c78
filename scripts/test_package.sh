#!/bin/sh
# Installs the packages in a bare Debian 12 root and uses them there: the folder first, since the root then has nothing but
# the C library; then the program's package; then the one for development, with a compiler.
#
#   scripts/test_package.sh [PACKAGES]        default: build/packages
#
# Needs root (for chroot), the group [test-package] of packages.txt and a Debian mirror. About 500 MB under TMPDIR, removed
# afterwards. ESPALIER_BARE_ROOT names a bare root that is there (from mmdebstrap --variant=apt); it is copied.
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
packages=$(cd "${1:-$tree/build/packages}" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "test_package: only root can chroot; run it with sudo" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/espalier-root-XXXXXX")
root=$work/root
# Before anything is removed: what is mounted must not be.
clean_up() {
  if mountpoint -q "$root/proc" 2>/dev/null; then umount "$root/proc"; fi
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
say() { echo "test_package: $*"; }
fail() { say "$*" >&2; exit 1; }
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
# install_inside WORD...: apt, quietly unless it fails.
install_inside() {
  inside apt-get install -y -q --no-install-recommends "$@" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; fail "apt-get install $*"; }
}

if [ -n "${ESPALIER_BARE_ROOT:-}" ]; then
  cp -a "$ESPALIER_BARE_ROOT" "$root"
else
  say "making a bare Debian root"
  mmdebstrap --mode=root --variant=apt --skip=chroot/mount bookworm "$root" >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2; fail "mmdebstrap failed: is a Debian mirror within reach?"; }
fi
# /dev/null and /dev/urandom, should the root have been made without devices.
[ -e "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
[ -e "$root/dev/urandom" ] || mknod -m 666 "$root/dev/urandom" c 1 9
mount -t proc proc "$root/proc"  # programs find libraries next to themselves through it
mkdir "$root/smoke"
cp "$tree/corpus/train.txt" "$tree/corpus/test.txt" "$tree/examples/library/from_file_to_labels.cc" "$root/smoke"
cp "$packages"/*.deb "$packages"/espalier-*.tar.gz "$root/smoke"

# smoke PROGRAM: trains, scores and tags inside the root.
smoke() {
  inside sh -ec "cd /smoke; $1 --version >/dev/null
    $1 train train.txt -m smoke.model -p passes=3 -q
    $1 eval test.txt -m smoke.model >scores
    $1 tag test.txt -m smoke.model -o tagged.txt -q
    $1 reproduce --list >experiments
    $1 ensemble learn test.txt tagged.txt tagged.txt -m votes.model -q
    $1 compare test.txt --learners memm,perceptron -k 2 -q >compared
    $1 serve smoke.model --port 0 2>served & server=\$!
    for i in 1 2 3 4 5 6 7 8 9 10; do grep -q listening served && break; sleep 1; done
    kill -TERM \$server; wait \$server" || fail "$1 failed"
  grep -q 'listening on http://127.0.0.1:' "$root/smoke/served" || fail "$1 does not serve"
  grep -q 'FB1' "$root/smoke/scores" || { cat "$root/smoke/scores"; fail "$1 printed no score"; }
  [ "$(wc -l <"$root/smoke/tagged.txt")" -ge "$(wc -l <"$root/smoke/test.txt")" ] || fail "$1 tagged too little"
  grep -q perceptron "$root/smoke/compared" || { cat "$root/smoke/compared"; fail "$1 compared nothing"; }
  [ -s "$root/smoke/experiments" ] || fail "$1 knows no experiments"
  say "$1: $(grep -m1 -o 'FB1: *[0-9.]*' "$root/smoke/scores")"
}

inside sh -ec 'cd /opt; tar xzf /smoke/espalier-*.tar.gz; mv espalier-* /opt/moved'
[ -n "$(ls "$root/opt/moved/licences")" ] || fail "the folder has no licences"
smoke /opt/moved/bin/espalier

inside apt-get update -q >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "apt-get update"; }
install_inside "/smoke/$(basename "$packages"/espalier_*.deb)"
smoke espalier
for file in /usr/share/man/man1/espalier.1.gz /usr/share/man/man1/espalier-train.1.gz /usr/share/doc/espalier/copyright \
  /usr/share/bash-completion/completions/espalier /usr/share/zsh/site-functions/_espalier; do
  [ -s "$root$file" ] || fail "$file is not installed"
done

install_inside "/smoke/$(basename "$packages"/libespalier[0-9]*.deb)" "/smoke/$(basename "$packages"/libespalier-dev_*.deb)" \
  g++ cmake make pkg-config
cat >"$root/smoke/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(program CXX)
find_package(espalier REQUIRED)
add_executable(program from_file_to_labels.cc)
target_link_libraries(program PRIVATE espalier::espalier)
END
# shellcheck disable=SC2016 # for the shell inside
inside sh -ec 'cd /smoke
  g++ from_file_to_labels.cc $(pkg-config --cflags --libs espalier) -o by_pkg_config
  cmake -S . -B by_cmake >/dev/null; cmake --build by_cmake >/dev/null
  for program in ./by_pkg_config ./by_cmake/program; do $program train.txt test.txt p.model | grep "^F1 "; done' ||
  fail "a program that uses the library failed"
inside apt-get remove -y -q espalier libespalier-dev >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "apt-get remove"; }
[ ! -e "$root/usr/bin/espalier" ] || fail "the program is still there after its package was removed"
say "passed: the folder, the program's package, the packages for development"
