#!/bin/sh
# Links between the documents of the tree lead to files and headings that exist.
#
#   scripts/check_links.sh [ROOT]
#
# Looks at README.md, HACKING.md, CONTRIBUTING.md, CHANGELOG.md and docs/*.md: [text](file), [text](file#heading),
# [text](#heading). Addresses with a scheme (https:) are not looked at.
set -eu
cd "${1:-$(cd "$(dirname "$0")/.." && pwd)}"
status=0
links=0

# The anchors that a document's headings get: lower case, blanks as hyphens, no other punctuation.
anchors() {
  awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
    sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

for document in README.md HACKING.md CONTRIBUTING.md CHANGELOG.md docs/*.md; do
  folder=$(dirname "$document")
  # shellcheck disable=SC2013 # links have no blanks
  for link in $(awk '/^```/ { code = !code } !code' "$document" | grep -o '](\([^) ]*\))' | sed 's/^](//; s/)$//'); do
    case $link in *:*) continue ;; esac
    links=$((links + 1))
    file=${link%%#*}
    target=$document
    [ -z "$file" ] || target=$folder/$file
    if [ ! -e "$target" ]; then
      echo "$document: $link leads nowhere"
      status=1
      continue
    fi
    case $link in
      *'#'*)
        anchors "$target" | grep -qxF -- "${link#*#}" || {
          echo "$document: $link: $target has no such heading"
          status=1
        }
        ;;
    esac
  done
done
echo "$links links"
[ $links -gt 0 ] || status=1
exit $status
