#!/bin/sh
# Installs the missing Debian packages of the named groups of packages.txt.
#
#   scripts/setup.sh [GROUP...]        default: build
#
# Prints what it does. Uses sudo only if something has to be installed. Without apt, or without a way to become root, it
# names the packages and succeeds: the build itself then reports what is missing.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
list=$root/packages.txt
[ $# -gt 0 ] || set -- build

say() { printf 'setup: %s\n' "$*" >&2; }

# packages_of GROUP: the names under its heading.
packages_of() {
  awk -v group="[$1]" '
    { sub(/#.*/, ""); gsub(/[ \t\r]/, "") }
    /^\[/ { inside = ($0 == group); if (inside) found = 1; next }
    inside && $0 != "" { print }
    END { exit !found }' "$list"
}

wanted=
for group in "$@"; do
  names=$(packages_of "$group") || {
    say "packages.txt has no group [$group]"
    exit 2
  }
  wanted="$wanted $names"
done

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  # shellcheck disable=SC2086,SC2116
  say "no apt here. These must come from your own package manager (Debian's names): $(echo $wanted). Going on."
  exit 0
fi

# Names that are installed, or that something installed provides (as a packaged Node.js may provide npm).
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides}\n' |
  awk '$1 == "installed" { sub(/^installed /, ""); gsub(/\([^)]*\)/, ""); gsub(/,/, " "); print }' |
  tr -s ' ' '\n' | sort -u)
missing=
for name in $wanted; do
  printf '%s\n' "$installed" | grep -Fqx -- "$name" || missing="$missing $name"
done

if [ -z "$missing" ]; then
  say "every package for $* is there"
  exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1; then
    as_root=sudo
  else
    say "missing, and neither root nor sudo to install them; going on without. As root: apt-get install$missing"
    exit 0
  fi
fi

say "installing with apt${as_root:+ (through sudo)}:$missing"
if ! $as_root apt-get update -q; then
  say "apt-get update failed; trying with the package lists that are there"
fi
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
