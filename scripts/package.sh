#!/bin/sh
# Makes Debian packages and a folder that runs anywhere from a release build that is there (make package builds it first).
#
#   scripts/package.sh [BUILD_DIRECTORY [OUT]]        default: build/release, build/packages
#
# In OUT:
#   espalier_V_ARCH.deb          the program with manual pages, completions and documentation
#   libespalierX.Y_V_ARCH.deb    the shared library. A package of its own, named after the SONAME: versions that are not
#                                compatible can then be installed next to each other, and programs that were linked with
#                                the older one go on working. The program above does not need it.
#   libespalier-dev_V_ARCH.deb   headers, CMake and pkg-config files, the static library
#   espalier-V-ARCH.tar.gz       a folder with the program and all libraries that it needs except the C library, and their
#                                licences. It runs from wherever it is unpacked, on Linux with glibc as new as this one.
#
# Libraries are in /usr/lib and not in /usr/lib/TRIPLET: the build is the one that `make install` installs.
# Needs the group [package] of packages.txt. Files belong to root without fakeroot. Built twice, packages are the same bytes.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
out=${2:-$root/build/packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
version=$(sed -n 's/^project(espalier VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
series=${version%.*}  # the SONAME changes with it
arch=$(dpkg --print-architecture)
# Times inside packages: that of the change log, so that the same sources make the same packages.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(stat -c %Y "$root/CHANGELOG.md")}
export SOURCE_DATE_EPOCH
umask 022
work=$(mktemp -d "${TMPDIR:-/tmp}/espalier-package-XXXXXX")
trap 'rm -rf "$work"' EXIT
say() { echo "package: $*"; }

DESTDIR="$work/all" cmake --install "$build" --prefix /usr >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
all=$work/all/usr
for verb in compare ensemble reproduce serve; do
  [ -x "$all/libexec/espalier/espalier-$verb" ] || { say "the program of \`espalier $verb\` is not built"; exit 1; }
done
rm -f "$all/bin/espalier-mpi"  # built where MPI is; it needs that machine's own
find "$all" -type f \( -perm -u+x -o -name '*.so.*' \) -exec strip --strip-unneeded {} +

# part PACKAGE PATH...: moves these files of the installation into the tree of a package.
part() {
  tree=$work/$1
  shift
  for path in "$@"; do
    mkdir -p "$tree/usr/$(dirname "$path")"
    mv "$all/$path" "$tree/usr/$path"
  done
}
cp -R "$work/all" "$work/whole"  # for the folder
part espalier bin libexec share lib/systemd
part "libespalier$series" "lib/libespalier.so.$version" "lib/libespalier.so.$series"
part libespalier-dev include lib
if find "$work/all" ! -type d | grep .; then say "these files belong to no package"; exit 1; fi

# libraries_of FILE...: the packages whose libraries they need, as Debian names them.
libraries_of() {
  mkdir -p "$work/debian"
  printf 'Source: espalier\n\nPackage: espalier\nArchitecture: any\n' >"$work/debian/control"
  (cd "$work" && dpkg-shlibdeps -O "$@" 2>"$work/log") | sed -n 's/^shlibs:Depends=//p'
}

# finish PACKAGE DEPENDS SECTION DESCRIPTION: what every package has; then the package. DESCRIPTION is a line, then a text.
finish() {
  tree=$work/$1
  doc=$tree/usr/share/doc/$1
  mkdir -p "$tree/DEBIAN" "$doc"
  rm -f "$doc/LICENSE" "$doc/CHANGELOG.md"
  gzip -9nc "$root/CHANGELOG.md" >"$doc/changelog.gz"
  printf '%s\n' 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' 'Upstream-Name: espalier' '' \
    'Files: *' 'Copyright: the authors of Espalier' 'License: Apache-2.0' \
    ' The text of the licence is in /usr/share/common-licenses/Apache-2.0.' >"$doc/copyright"
  [ ! -d "$tree/usr/share/man" ] || find "$tree/usr/share/man" -type f -exec gzip -9n {} +
  {
    printf 'Package: %s\nSource: espalier\nVersion: %s\nArchitecture: %s\n' "$1" "$version" "$arch"
    printf 'Maintainer: The authors of Espalier <espalier@localhost>\nSection: %s\nPriority: optional\n' "$3"
    printf 'Installed-Size: %s\nDepends: %s\n' "$(du -sk --exclude=DEBIAN "$tree" | cut -f1)" "$2"
    printf 'Description: %s\n' "$4"
  } >"$tree/DEBIAN/control"
  (cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group --build "$tree" "$out" >"$work/log"
  say "$(cd "$out" && du -h "$1_${version}_$arch.deb" | tr '\t' ' ')"
}

rm -f "$out"/*.deb "$out"/espalier-*.tar.gz
programs=-e$work/espalier/usr/bin/espalier
for program in "$work/espalier/usr/libexec/espalier/"*; do programs="$programs -e$program"; done
# shellcheck disable=SC2086 # words; mktemp's names have no blanks
finish espalier "$(libraries_of $programs)" \
  science 'trains and runs structured predictors
 Taggers, chunkers, named-entity labellers: chains, cascades of filters, searches,
 constraints on their output and ensembles of several predictors, trained from
 labelled data on an ordinary CPU.'
mkdir -p "$work/libespalier$series/DEBIAN"
printf 'libespalier %s libespalier%s (>= %s)\n' "$series" "$series" "$version" >"$work/libespalier$series/DEBIAN/shlibs"
echo 'activate-noawait ldconfig' >"$work/libespalier$series/DEBIAN/triggers"
finish "libespalier$series" "$(libraries_of -e"$work/libespalier$series/usr/lib/libespalier.so.$version")" \
  libs 'structured prediction, shared library
 What programs need that were linked with Espalier.'
finish libespalier-dev "libespalier$series (= $version)" libdevel 'structured prediction, files for development
 Headers, CMake and pkg-config files, and the static library of Espalier. Those who
 link the static library need the libraries that espalier.pc names as well.'

# The folder. RPATH, not RUNPATH: it holds for the libraries' own libraries, too.
name=espalier-$version-$arch
folder=$work/$name
mkdir -p "$folder/lib" "$folder/licences"
mv "$work/whole/usr/bin" "$work/whole/usr/libexec" "$work/whole/usr/share" "$folder"
cp "$root/LICENSE" "$folder/LICENSE"
for library in $(ldd "$folder/bin/espalier" "$folder/libexec/espalier/"* | awk '$2 == "=>" { print $3 }' | sort -u); do
  real=$(readlink -f "$library")
  # The list of a package may say /lib where the file is in /usr/lib.
  package=$({ dpkg -S "$real" || dpkg -S "${real#/usr}"; } 2>/dev/null | head -n 1 | cut -d: -f1)
  [ -n "$package" ] || { say "no package owns $real: its licence is not known"; exit 1; }
  [ "$package" != libc6 ] || continue
  cp "$real" "$folder/lib/$(basename "$library")"
  chmod 644 "$folder/lib/$(basename "$library")"
  patchelf --force-rpath --set-rpath "\$ORIGIN" "$folder/lib/$(basename "$library")"
  cp "/usr/share/doc/$package/copyright" "$folder/licences/$package"
done
patchelf --force-rpath --set-rpath "\$ORIGIN/../lib" "$folder/bin/espalier"
for program in "$folder/libexec/espalier/"*; do patchelf --force-rpath --set-rpath "\$ORIGIN/../../lib" "$program"; done
cat >"$folder/README" <<END
Espalier $version for Linux on $arch, with the libraries that it needs. Run bin/espalier; move the folder wherever you like.
It needs a C library (glibc) of at least version $(ldd --version | sed -n '1s/.* //p').
LICENSE is the licence of Espalier; licences/ has those of the libraries in lib/, one file per Debian package that they were
taken from. Their sources are Debian's.
END
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$work" -c "$name" | gzip -9n >"$out/$name.tar.gz"
say "$(cd "$out" && du -h "$name.tar.gz" | tr '\t' ' '): $(find "$folder/lib" -type f | wc -l) libraries, $(find "$folder/licences" -type f | wc -l) licences"
