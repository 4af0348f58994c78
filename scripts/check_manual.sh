#!/bin/sh
# The manual knows every verb, option, learner and parameter that the program's help knows.
#
#   scripts/check_manual.sh ESPALIER [MANUAL]
set -eu
espalier=$1
manual=${2:-$(cd "$(dirname "$0")/.." && pwd)/docs/manual.md}
status=0
names=0

# wanted TEXT WHERE: the manual must contain TEXT.
wanted() {
  names=$((names + 1))
  grep -Fq -- "$1" "$manual" && return
  echo "$manual: nothing about $1 ($2)"
  status=1
}

verbs=$("$espalier" --help | awk '/^Subcommands:/ { list = 1; next } /^[^ ]/ { list = 0 } list && NF { print $1 }')
[ -n "$verbs" ] || {
  echo "no verbs in the help of $espalier"
  exit 1
}
for verb in $verbs; do
  wanted "espalier $verb" "verb"
  # Option names as help lists them: lines that begin with two blanks and a hyphen.
  for option in $("$espalier" "$verb" --help | sed -n 's/^  \(-[^ ]*\).*/\1/p' | tr ',' ' '); do
    case $option in
      -h | --help) ;;
      *) wanted "\`$option" "option of $verb" ;;
    esac
  done
done

# Learners stand at two blanks with a colon, parameters below them at four, as name=default.
for learner in $("$espalier" train --help | sed -n 's/^  \([a-z-]*\): .*/\1/p'); do wanted "**$learner**" learner; done
for parameter in $("$espalier" train --help | sed -n 's/^    \([a-z0-9-]*=[^ ]*\).*/\1/p' | sort -u); do
  wanted "| \`${parameter%%=*}\` | ${parameter#*=} |" "parameter of train with its default"
done
echo "$names names looked up"
exit $status
