#!/bin/sh
# docs/papers.md names only what exists, and every experiment.
#
#   scripts/check_papers.sh [ROOT]       the tree to check; default: this one
#   scripts/check_papers.sh --self-test  shows that each kind of fault is found
#
# In backquotes: a name with a slash is a file, Suite.Test a test of GoogleTest, and family-name (searn-, beam-, cascade-,
# constrained-, ensemble-) an experiment of research/experiments.cc.
set -eu

check() {
  (
    cd "$1"
    status=0
    complain() {
      echo "docs/papers.md: $1"
      status=1
    }
    # shellcheck disable=SC2016 # backquotes are part of the document
    names=$(awk '/^```/ { code = !code } !code' docs/papers.md | grep -o '`[^` ]*`' | tr -d '`' | sort -u)
    experiments=$(grep -oE '\{"(searn|beam|cascade|constrained|ensemble)-[a-z0-9-]+",' research/experiments.cc | tr -d '{",')
    tests=$(grep -rhoE '^TEST(_F|_P)?\([A-Za-z0-9]+, *[A-Za-z0-9_]+' --include='*_test.cc' . |
      sed -E 's/^TEST(_F|_P)?\(//; s/, */./')
    files=0
    for name in $names; do
      case $name in
        DIR/*) ;;
        */*)
          files=$((files + 1))
          [ -f "$name" ] || complain "there is no file $name"
          ;;
        *.*)
          case $name in [A-Z]*) printf '%s\n' "$tests" | grep -qxF -- "$name" || complain "there is no test $name" ;; esac
          ;;
        searn-* | beam-* | cascade-* | constrained-* | ensemble-*)
          printf '%s\n' "$experiments" | grep -qxF -- "$name" || complain "there is no experiment $name"
          ;;
      esac
    done
    for experiment in $experiments; do
      printf '%s\n' "$names" | grep -qxF -- "$experiment" || complain "does not mention the experiment $experiment"
    done
    if [ -z "$experiments" ] || [ $files -eq 0 ]; then complain "nothing to check"; fi
    echo "$(printf '%s\n' "$experiments" | wc -l) experiments, $files files"
    exit $status
  )
}

# shellcheck source=scripts/judge.sh
. "$(dirname "$0")/judge.sh"

# expect RESULT TEXT LINE: a small tree whose document has this line.
expect() {
  tree=$(mktemp -d)
  mkdir -p "$tree/docs" "$tree/research"
  echo '      {"searn-one", "summary", {}, searn_one},' >"$tree/research/experiments.cc"
  echo 'TEST(Suite, Behaves) {' >"$tree/research/one_test.cc"
  printf '%s\n' "$3" >"$tree/docs/papers.md"
  judge "$1" "$2" "$3"
}

if [ "${1:-}" = --self-test ]; then
  # shellcheck disable=SC2016 # backquotes are part of the documents
  {
    expect accepted '1 experiments, 1 files' '`searn-one` `research/one_test.cc` `Suite.Behaves`'
    expect rejected 'no file research/two.cc' '`searn-one` `research/two.cc`'
    expect rejected 'no test Suite.Other' '`searn-one` `research/one_test.cc` `Suite.Other`'
    expect rejected 'no experiment beam-two' '`searn-one` `research/one_test.cc` `beam-two`'
    expect rejected 'does not mention the experiment searn-one' '`research/one_test.cc`'
  }
  exit 0
fi
check "${1:-$(cd "$(dirname "$0")/.." && pwd)}"
