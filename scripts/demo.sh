#!/bin/sh
# Trains a part-of-speech tagger, a chunker and an entity recogniser on the bundled corpus, scores them on its test file,
# tags a few sentences, and shows each command. `make demo` builds first, then runs this.
#
#   scripts/demo.sh [FILE]        sentences to tag: one token per line, a blank line between them; default corpus/try.txt
#
# Environment: ESPALIER, the program (default build/release/espalier); DEMO, where models go (default build/demo).
set -eu
cd "$(dirname "$0")/.."
espalier=${ESPALIER:-build/release/espalier}
out=${DEMO:-build/demo}
sentences=${1:-corpus/try.txt}
mkdir -p "$out"

heading() { printf '\n== %s\n\n' "$*"; }
# Shows a command, then runs it; its messages are shown only if it fails.
run() {
  printf '$ %s\n' "$*"
  "$@" 2>"$out/messages" || {
    cat "$out/messages" >&2
    exit 1
  }
}
# The same for training, without the last lines of its report, which suggest what to do next.
train() { run "$espalier" train corpus/train.txt "$@" >"$out/report" && sed '/^$/,$d' "$out/report"; }

# number KEY: the value of a key of the outermost JSON object on standard input.
number() {
  awk -v key="\"$1\"" '
    { text = text $0 }
    END {
      depth = 0
      for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "\"") {
          start = i
          for (i++; substr(text, i, 1) != "\""; i++) if (substr(text, i, 1) == "\\") i++
          if (depth == 1 && substr(text, start, i - start + 1) == key) {
            rest = substr(text, i + 1)
            sub(/^[ \t]*:[ \t]*/, "", rest)
            sub(/[ \t]*[,}].*/, "", rest)
            print rest
            exit
          }
        } else if (c == "{" || c == "[") depth++
        else if (c == "}" || c == "]") depth--
      }
    }'
}

heading "1. Train: three models from the same file, each told which column to learn and which to look at"
train -m "$out/tagger.model" --label-column 2 --feature-columns 1
echo
train -m "$out/chunker.model" --label-column 3 --feature-columns 1,2
echo
train -m "$out/entities.model" --label-column 4 --feature-columns 1,2

heading "2. Score them on sentences they have not seen (corpus/test.txt)"
rows=
for model in tagger chunker entities; do
  printf '$ %s eval corpus/test.txt -m %s/%s.model --json\n' "$espalier" "$out" "$model"
  "$espalier" eval corpus/test.txt -m "$out/$model.model" --json >"$out/$model.json"
  rows="$rows$model $(number sequences <"$out/$model.json") $(number tokens <"$out/$model.json")"
  rows="$rows $(number accuracy <"$out/$model.json") $(number precision <"$out/$model.json")"
  rows="$rows $(number recall <"$out/$model.json") $(number f1 <"$out/$model.json")
"
done
printf '%s' "$rows" | awk '
  BEGIN { printf "\n%-10s %9s %7s %10s %10s %8s %8s\n", "model", "sentences", "tokens", "accuracy", "precision", "recall", "F1" }
  { printf "%-10s %9d %7d %9.2f%% %9.2f%% %7.2f%% %7.2f%%\n", $1, $2, $3, $4, $5, $6, $7 }'
echo
echo "Accuracy counts tokens. Precision, recall and F1 count whole chunks and whole names; for plain tags they are the"
echo "accuracy. Chunker and entity recogniser see the tags of the file, not those of the tagger. The corpus is small"
echo "(corpus/README.md): entities above all want more data than this."

heading "3. Try sentences: words in, each model adds its column, the next one reads it"
run "$espalier" tag "$sentences" -m "$out/tagger.model" -o "$out/tagged.txt"
run "$espalier" tag "$out/tagged.txt" -m "$out/chunker.model" -o "$out/chunked.txt"
run "$espalier" tag "$out/chunked.txt" -m "$out/entities.model" -o "$out/tried.txt"
awk '
  # Adds a token to a line in which segments are in brackets.
  function bracket(line, label, before, word,    type) {
    if (before != "O" && label !~ /^I-/) line = line "]"
    if (label ~ /^B-/) line = line " [" substr(label, 3)
    return line " " word
  }
  function flush() {
    if (tags == "") return
    if (chunk != "O") chunks = chunks "]"
    if (entity != "O") entities = entities "]"
    printf "\n  tags     %s\n  chunks   %s\n  entities %s\n", tags, chunks, entities
    tags = chunks = entities = ""
  }
  BEGIN { chunk = entity = "O" }
  NF == 0 { flush(); chunk = entity = "O"; next }
  {
    tags = tags " " $1 "/" $2
    chunks = bracket(chunks, $3, chunk, $1); chunk = $3
    entities = bracket(entities, $4, entity, $1); entity = $4
  }
  END { flush() }' "$out/tried.txt"

heading "4. The same with your own data"
cat <<END
One token per line, columns separated by blanks or tabs, the label last, a blank line between sequences:

  $espalier check    mine.txt                           # what is in the file, and what is wrong with it
  $espalier train    mine.txt -m mine.model             # --dev dev.txt to stop at the best pass
  $espalier eval     held-out.txt -m mine.model
  $espalier tag      new.txt -m mine.model -o tagged.txt
  $espalier inspect  mine.model                         # what it learned
  $espalier explain  new.txt -m mine.model              # why a token got its label

Sentences of your own through the three models above (one token per line, a blank line between sentences):

  scripts/demo.sh your-sentences.txt

README.md has the five-minute tour, docs/README.md leads to everything else.
END
