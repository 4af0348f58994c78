#!/bin/sh
# Checks files with columns of word, part of speech, chunk and entity, as in corpus/.
#
#   scripts/check_corpus.sh FILE...        checks each file, then the total number of sentences: at least 400
#   scripts/check_corpus.sh --self-test    shows that each kind of damage is found
#
# Checked: four cells per row, separated by single tabs, none empty; a universal part of speech; chunks and entities of
# known types in IOB2, where an I continues a segment of the same type; no empty sentence; no sentence in two files.
set -eu

check() {
  least=$1
  shift
  awk -v least="$least" '
    BEGIN {
      FS = "\t"
      split("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X", list, " ")
      for (i in list) upos[list[i]] = 1
      split("ADJP ADVP CONJP INTJ NP PP PRT SBAR VP", list, " ")
      for (i in list) chunk[list[i]] = 1
      split("LOC MISC ORG PER", list, " ")
      for (i in list) entity[list[i]] = 1
    }
    function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; wrong++ }
    # The label of one column after the one above it.
    function segment(label, before, types,    type) {
      if (label == "O") return
      type = substr(label, 3)
      if (label !~ /^[BI]-/ || !(type in types)) return complain("label " label)
      if (label ~ /^I-/ && before != "B-" type && before != label) complain(label " after " before)
    }
    function finish_sentence() {
      if (words == 0) return
      sentences++
      if (sentence in seen && seen[sentence] != name) complain("this sentence is in " seen[sentence] ", too")
      seen[sentence] = name
      words = 0; sentence = ""; last_chunk = last_entity = "O"
    }
    FNR == 1 { finish_sentence(); name = FILENAME; blank = 1 }
    $0 == "" { if (blank) complain("blank line without a sentence before it"); finish_sentence(); blank = 1; next }
    {
      blank = 0; words++; tokens++; name = FILENAME
      if (words == 1) last_chunk = last_entity = "O"
      sentence = sentence " " $1
      if (NF != 4) { complain(NF " columns instead of 4"); next }
      for (i = 1; i <= 4; i++) if ($i !~ /^[^ \t]+$/) complain("column " i " is empty or holds a space")
      if (!($2 in upos)) complain("part of speech " $2)
      segment($3, last_chunk, chunk); last_chunk = $3
      segment($4, last_entity, entity); last_entity = $4
    }
    END {
      finish_sentence()
      if (sentences < least) { printf "%d sentences, at least %d wanted\n", sentences, least; wrong++ }
      printf "%d sentences, %d tokens, %d complaints\n", sentences, tokens, wrong
      exit wrong > 0
    }' "$@"
}

# expect RESULT TEXT SENTENCES: what check says about them (printf format).
expect() {
  file=$(mktemp)
  # shellcheck disable=SC2059
  printf "$3" >"$file"
  found=accepted
  said=$(check 1 "$file") || found=rejected
  rm -f "$file"
  if [ "$found" != "$1" ] || ! printf '%s\n' "$said" | grep -q -- "$2"; then
    printf '%s was %s, saying:\n%s\n' "$3" "$found" "$said"
    exit 1
  fi
}

if [ "${1:-}" = --self-test ]; then
  expect accepted '2 sentences, 3 tokens' 'New\tPROPN\tB-NP\tB-LOC\nYork\tPROPN\tI-NP\tI-LOC\n\nHi\tINTJ\tB-INTJ\tO\n'
  expect rejected ':2: I-VP after B-NP' 'a\tDET\tB-NP\tO\nb\tVERB\tI-VP\tO\n'
  expect rejected ':3: I-NP after O' 'a\tDET\tB-NP\tO\n\nb\tNOUN\tI-NP\tO\n'
  expect rejected ':1: I-LOC after O' 'a\tPROPN\tB-NP\tI-LOC\n'
  expect rejected '3 columns instead of 4' 'a\tDET\tB-NP\n'
  expect rejected 'column 3 is empty' 'a\tDET\t\tO\n'
  expect rejected 'part of speech NN' 'a\tNN\tB-NP\tO\n'
  expect rejected 'label B-XY' 'a\tDET\tB-XY\tO\n'
  expect rejected 'blank line without' 'a\tDET\tB-NP\tO\n\n\nb\tDET\tB-NP\tO\n'
  expect rejected 'at least 1 wanted' ''
  echo "every damage was found"
  exit 0
fi

[ $# -gt 0 ] || set -- corpus/train.txt corpus/test.txt
check 400 "$@"
