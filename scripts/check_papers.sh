#!/bin/sh
# docs/papers.md names only what exists, and every experiment; what it quotes stands in the kept results.
#
#   scripts/check_papers.sh [ROOT]       the tree to check; default: this one
#   scripts/check_papers.sh --self-test  shows that each kind of fault is found
#
# In backquotes: a name with a slash is a file, Suite.Test a test of GoogleTest, and family-name (searn-, beam-, cascade-,
# constrained-, ensemble-) an experiment of research/experiments.cc. A figure before such brackets, as in
# 61.91 (`searn-ner; crf; small F1`), is the measured figure of that experiment, row and column in research/results, rounded
# to as many digits; a fourth part, printed or ours, tells rows of the same name apart. What stands between marks, the section
# of results and the tables of figures, is what scripts/papers_table.sh --fill makes of research/results.
set -eu
table=$(cd "$(dirname "$0")" && pwd)/papers_table.sh

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
          [ -e "$name" ] || complain "there is no file $name"
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
    # shellcheck disable=SC2016 # backquotes are part of the document
    quoted=$(grep -oE '[-0-9.]+ \(`[a-z0-9-]+; [^;`]+; [^;`]+(; (printed|ours))?`\)' docs/papers.md || true)
    # shellcheck disable=SC2016 # backquotes are part of the document
    while IFS= read -r quote; do
      [ -n "$quote" ] || continue
      figure=${quote%% *}
      where=$(printf '%s' "$quote" | sed 's/^[^`]*`//; s/`)$//')
      name=${where%%; *} rest=${where#*; }
      row=${rest%%; *} column=${rest#*; } kind=
      case $column in *'; printed' | *'; ours') kind=${column##*; } column=${column%; *} ;; esac
      if [ ! -f "research/results/$name.json" ]; then
        complain "quotes $where, which has no result"
        continue
      fi
      measured=$("$table" --figure "research/results/$name.json" "$row" "$column" "$kind")
      if [ -z "$measured" ]; then
        complain "quotes $where, which is not in its result"
      elif ! printf '%s\n' "$measured" | awk -v figure="$figure" '
        { digits = index(figure, ".") ? length(figure) - index(figure, ".") : 0
          if (sprintf("%." digits "f", $1) + 0 == figure + 0) found = 1 }
        END { exit !found }'; then
        complain "quotes $figure for $where, the result has $(printf '%s' "$measured" | tr '\n' ' ')"
      fi
    done <<QUOTES
$quoted
QUOTES
    if grep -q '^<!-- results: begin' docs/papers.md; then
      made=$("$table" --fill .)
      [ "$made" = "$(cat docs/papers.md)" ] ||
        complain "what it says between its marks is not what research/results say; run scripts/papers_table.sh --fill"
      ! printf '%s\n' "$made" | grep '| not in the results of' || complain "has a table of rows that are in no result"
    elif [ -d research/results ]; then
      complain "has no section for research/results"
    fi
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
  [ -z "${4:-}" ] || {
    mkdir "$tree/research/results"
    cat >"$tree/research/results/searn-one.json" <<'JSON'
{
 "commit": "abc",
 "name": "searn-one",
 "rows": [
  {
   "row": "crf",
   "column": "F1, all",
   "kind": "ours",
   "seed": 62.5,
   "measured": 61.914,
   "deviation": 0.25,
   "elsewhere": null
  }
 ],
 "claims": [
  {
   "name": "crf above \"searn\"",
   "holds": false,
   "figure": "61.9 and 62",
   "cause": ""
  }
 ],
 "checks": [],
 "seconds": 90.0,
 "finished": "today"
}
JSON
  }
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
    base='`searn-one` `research/one_test.cc`'
    marks="$base
<!-- results: begin -->

| experiment | claims that hold | checks that hold | minutes | finished | commit |
|---|---|---|---|---|---|
| \`searn-one\` | 0 of 1 | 0 of 0 | 1.5 | today | abc |

Claims of the papers that do not hold on our data, and claims of ours:

- \`searn-one\`: crf above \"searn\": 61.9 and 62

<!-- results: end -->"
    expect rejected 'which has no result' "$base 61.91 (\`searn-one; crf; F1, all\`)"
    expect accepted '1 experiments' "$marks 61.91 (\`searn-one; crf; F1, all\`)" with
    expect accepted '1 experiments' "$marks 61.9 (\`searn-one; crf; F1, all\`)" with
    expect rejected 'the result has 61.914' "$marks 61.92 (\`searn-one; crf; F1, all\`)" with
    expect rejected 'not in its result' "$marks 61.91 (\`searn-one; svm; F1, all\`)" with
    expect accepted '1 experiments' "$marks 61.91 (\`searn-one; crf; F1, all; ours\`)" with
    expect rejected 'not in its result' "$marks 61.91 (\`searn-one; crf; F1, all; printed\`)" with
    expect rejected 'has no section' "$base" with
    expect rejected 'not what research/results say' "$(printf '%s' "$marks" | sed 's/0 of 1/1 of 1/')" with
    figures="$marks

<!-- figures: searn-one
rows: crf
columns: F1, all
-->

| row | kind | F1, all |
|---|---|---|
| \`crf\` | ours | 61.91 ± 0.25 (paper: 62.5) |

<!-- figures: end -->"
    expect accepted '1 experiments' "$figures" with
    expect rejected 'not what research/results say' "$(printf '%s' "$figures" | sed 's/61.91 ±/61.92 ±/')" with
    expect rejected 'rows that are in no result' "$(printf '%s' "$figures" | sed 's/^rows: crf/rows: svm/; s/^| .crf. .*/| `svm` | not in the results of searn-one |/')" with
  }
  exit 0
fi
check "${1:-$(cd "$(dirname "$0")/.." && pwd)}"
