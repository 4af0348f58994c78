# Manual pages and completions: they name every verb and option of the help, and the shells and man accept them.
source "$(dirname "$0")/testing.sh"

options_of() { "$espalier" "$@" --help | sed -n 's/^  \(-[^ ]*\).*/\1/p' | tr ',' '\n'; }
verbs=$("$espalier" --help | awk '/^Subcommands:/ { list = 1; next } /^[^ ]/ { list = 0 } list && NF { print $1 }')
[ "$(echo "$verbs" | wc -w)" -ge 13 ] || fail_test "too few verbs: $verbs"

# Whether man, or mandoc, finds nothing to complain about.
clean_page() {
  if command -v groff >/dev/null; then equal "$(groff -man -Tutf8 -Kutf8 -ww -z "$1" 2>&1)" ""; fi
  if command -v mandoc >/dev/null; then equal "$(mandoc -T lint -W error "$1" 2>&1)" ""; fi
}

expect 0 "$espalier" help --man
cp out espalier.1
clean_page espalier.1
for verb in $verbs; do
  says espalier.1 "espalier\\-$verb"
  expect 0 "$espalier" help "$verb" --man
  cp out "espalier-$verb.1"
  clean_page "espalier-$verb.1"
  for section in NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS"; do says "espalier-$verb.1" ".SH $section"; done
  for option in $(options_of "$verb"); do says "espalier-$verb.1" "\\fB${option//-/\\-}\\fR"; done
done
says espalier-train.1 "crf"
says espalier-ensemble.1 "\\fB\\-\\-substructures\\fR"  # verbs below a verb are on its page

expect 0 "$espalier" help --completion bash
cp out completion.bash
expect 0 bash -n completion.bash
# completes WORD ANSWER WORDS...: bash offers ANSWER for WORD after the words.
completes() {
  local word=$1 answer=$2
  shift 2
  bash -c 'source ./completion.bash; compopt() { :; }; word=$1; shift; COMP_WORDS=("$@" "$word"); COMP_CWORD=$#
           _espalier; printf "%s\n" "${COMPREPLY[@]}"' bash "$word" "$@" >offered 2>&1
  grep -qxF -- "$answer" offered || fail_test "after '$*', '$word' is not completed to '$answer' but to: $(tr '\n' ' ' <offered)"
}
for verb in $verbs; do
  completes "${verb:0:2}" "$verb" espalier
  for option in $(options_of "$verb"); do completes "${option:0:3}" "$option" espalier "$verb"; done
done
for option in $(options_of ensemble learn); do completes "${option:0:3}" "$option" espalier ensemble learn; done
completes le learn espalier ensemble
completes "" perceptron espalier train t.txt --learner
completes lab label espalier train --task
completes drop dropout= espalier train t.txt -p
completes cas cascade espalier help
completes "" espboost espalier ensemble learn --method
completes t "" espalier train  # files: the shell's own completion

# Words that are listed in the source of the completions are words that the program knows.
expect 0 "$espalier" train --help
cp out train_help
for format in $(bash -c 'source ./completion.bash; COMP_WORDS=(espalier train --format ""); COMP_CWORD=3; _espalier
                         echo "${COMPREPLY[@]}"'); do says train_help "$format"; done
expect 0 "$espalier" tag --help
cp out tag_help
for decoder in $(bash -c 'source ./completion.bash; COMP_WORDS=(espalier tag --decoder ""); COMP_CWORD=3; _espalier
                          echo "${COMPREPLY[@]}"'); do says tag_help "$decoder"; done

for shell in zsh fish; do
  expect 0 "$espalier" help --completion $shell
  cp out "completion.$shell"
  for verb in $verbs; do
    says "completion.$shell" "$verb"
    for option in $(options_of "$verb"); do
      case $shell,$option in
        zsh,*) says completion.zsh "$option[" ;;
        fish,--*) says completion.fish " -l ${option#--}" ;;
        fish,-*) says completion.fish " -s ${option#-}" ;;
      esac
    done
  done
done
if command -v zsh >/dev/null; then expect 0 zsh -n completion.zsh; fi
if command -v fish >/dev/null; then expect 0 fish --no-execute completion.fish; fi

expect 2 "$espalier" help --completion tcsh
says err "there are bash, zsh and fish"
expect 2 "$espalier" help crf --man
says err "manual pages are about verbs"
expect 2 "$espalier" help --man --completion bash
expect 2 "$espalier" help train --completion bash
finish
