#!/bin/sh
# docs/command.md and docs/learners.md say what the program's own help says.
#
#   scripts/check_docs.sh [--write] ESPALIER [DOCS]
#
# command.md has a section `## VERB` for every verb, and each section a table row for every option of the verb, unless
# the section `## Options that several verbs take` has one. Options that a verb does not have are errors, too.
# In learners.md, the block of text after a line `<!-- help: LEARNER -->` is what `espalier help LEARNER` prints; --write
# puts it right. Every learner has one.
set -eu
mode="check"
[ "${1:-}" = --write ] && { mode="write"; shift; }
espalier=$1
docs=${2:-$(cd "$(dirname "$0")/.." && pwd)/docs}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
names=0

complain() {
  echo "$*"
  status=1
}

# The verbs that a help text lists.
verbs_of() { "$espalier" "$@" --help | awk '/^Subcommands:/ { list = 1; next } /^[^ ]/ { list = 0 } list && NF { print $1 }'; }
# The options that a help text lists: lines that begin with two blanks and a hyphen.
options_of() { "$espalier" "$@" --help | sed -n 's/^  \(-[^ ]*\).*/\1/p' | tr ',' '\n' | LC_ALL=C sort -u; }
# The options in the first cells of the tables of a section of command.md.
documented() {
  awk -v heading="## $1" '/^## / { inside = $0 == heading } inside && /^\| `-/ { split($0, cell, "|"); print cell[2] }' \
    "$docs/command.md" | tr '`,' '\n' | sed -n 's/^ *\(-[^ ]*\).*/\1/p' | LC_ALL=C sort -u
}

documented "Options that several verbs take" >"$work/common"
[ -s "$work/common" ] || complain "command.md: no options that several verbs take"
: >"$work/used"
for verb in $(verbs_of); do
  grep -q "^espalier $verb " "$docs/command.md" || complain "command.md: the overview does not have $verb"
  below=$(verbs_of "$verb")
  for inner in ${below:-.}; do
    words=$verb
    [ "$inner" = . ] || words="$verb $inner"
    # shellcheck disable=SC2086 # two words
    options_of $words >"$work/real"
    documented "$words" >"$work/said"
    cat "$work/real" >>"$work/used"
    names=$((names + $(wc -l <"$work/real")))
    grep -q "^## $words\$" "$docs/command.md" || complain "command.md: no section for $words"
    for option in $(LC_ALL=C sort -u "$work/said" "$work/common" | LC_ALL=C comm -13 - "$work/real"); do
      complain "command.md: nothing about $option of $words"
    done
    for option in $(LC_ALL=C comm -23 "$work/said" "$work/real"); do
      complain "command.md: $words has no option $option"
    done
  done
done
[ $names -gt 0 ] || complain "no options in the help of $espalier"
LC_ALL=C sort -u "$work/used" -o "$work/used"
for option in $(LC_ALL=C comm -23 "$work/common" "$work/used"); do complain "command.md: no verb has $option"; done
for heading in $(sed -n 's/^## \([a-z ]*\)$/\1/p' "$docs/command.md" | tr ' ' '+'); do
  # shellcheck disable=SC2046 # several words
  "$espalier" $(echo "$heading" | tr '+' ' ') --help >"$work/out" 2>&1 || complain "command.md: there is no verb $heading"
done

# learners.md, with every block as the program prints it.
learners=$("$espalier" help | awk '/^Learners / { list = 1; next } list && /^  [a-z]/ { print $1 }')
[ -n "$learners" ] || complain "no learners in the help of $espalier"
for learner in $learners; do
  names=$((names + 1))
  "$espalier" help "$learner" >"$work/$learner.help"
  grep -q "^<!-- help: $learner -->\$" "$docs/learners.md" || complain "learners.md: no block for $learner"
done
awk -v work="$work" '
  skipping && /^```$/ { skipping = 0 }
  skipping { next }
  { print }
  pending && /^```/ {
    file = work "/" learner ".help"; pending = 0; skipping = 1
    while ((getline line < file) > 0) print line
    close(file)
  }
  /^<!-- help: / { learner = $3; pending = 1 }' "$docs/learners.md" >"$work/learners.md"
if [ $mode = write ]; then
  cat "$work/learners.md" >"$docs/learners.md"
elif ! diff -u "$docs/learners.md" "$work/learners.md"; then
  complain "learners.md differs from the program's help; scripts/check_docs.sh --write puts it right"
fi
echo "$names names looked up"
exit $status
