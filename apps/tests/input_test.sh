# What tag and eval read: other formats, raw text, several files, bad sequences in the middle, odd files.
source "$(dirname "$0")/testing.sh"

chunk_data 200 1 >train.txt
chunk_data 30 2 >test.txt
cut -d' ' -f1,2 test.txt >bare.txt
expect 0 "$espalier" train train.txt -m chunks.model -q -p passes=4
expect 0 "$espalier" tag bare.txt -m chunks.model
cp out tagged.txt
awk '{print $3}' tagged.txt >labels.txt

# --- formats by name and by option
expect 0 "$espalier" convert test.txt --to jsonl -o test.jsonl
sed 's/, "labels".*/}/' test.jsonl >bare.jsonl
expect 0 "$espalier" tag bare.jsonl -m chunks.model
equal "$(head -c 10 out)" '{"tokens":'
expect 0 "$espalier" tag bare.jsonl -m chunks.model --format columns
awk '{print $3}' out | cmp -s - labels.txt || fail_test "JSON lines of the same cells get other labels"
cp bare.jsonl bare.data
expect 1 "$espalier" tag bare.data -m chunks.model
expect 0 "$espalier" tag bare.data -m chunks.model --input-format jsonl --format columns
awk '{print $3}' out | cmp -s - labels.txt || fail_test "--input-format jsonl gives other labels"
gzip -c bare.jsonl >zipped.jsonl.gz
expect 0 "$espalier" tag zipped.jsonl.gz -m chunks.model --format columns
awk '{print $3}' out | cmp -s - labels.txt || fail_test "jsonl.gz gives other labels"
expect 0 "$espalier" eval test.txt -m chunks.model --json
f1=$(json /f1)
expect 0 "$espalier" eval test.jsonl -m chunks.model --json
equal "$(json /f1)" "$f1"
expect 0 "$espalier" eval test.txt test.jsonl -m chunks.model --json
equal "$(json /sequences)" 60
expect 2 "$espalier" tag bare.txt -m chunks.model --input-format nonsense
says err "unknown format"
# explain and tune, too
expect 0 "$espalier" explain bare.txt -m chunks.model --sequence 2
cp out explained.txt
sed -n '/^$/q;p' <(sed '1,/^$/d' bare.txt) | wc -l >tokens
for input in "bare.jsonl" "bare.data --input-format jsonl"; do
  # shellcheck disable=SC2086 # several words
  expect 0 "$espalier" explain $input -m chunks.model --sequence 2
  sed 1d out | cmp -s - <(sed 1d explained.txt) || fail_test "explain $input explains something else"
done
expect 2 "$espalier" explain bare.txt -m chunks.model --input-format nonsense
says err "unknown format"
expect 0 "$espalier" train train.txt -m cascade.model --learner cascade -q -p passes=2 -p filter-passes=2
cp test.jsonl test.data
expect 0 "$espalier" tune cascade.model --dev test.txt -o by-columns.model
for input in "test.jsonl" "test.data --input-format jsonl"; do
  # shellcheck disable=SC2086 # several words
  expect 0 "$espalier" tune cascade.model --dev $input -o by-jsonl.model
  same by-columns.model by-jsonl.model
done
expect 2 "$espalier" tune cascade.model --dev test.txt --input-format nonsense -o no.model
absent no.model

# the label need not be the last column of the training data
awk '{print $1, $3, $2}' train.txt | sed 's/ *$//' >middle.txt
expect 0 "$espalier" train middle.txt --label-column 2 -m middle.model -q -p passes=4
expect 0 "$espalier" tag bare.jsonl -m middle.model --format columns
awk '{print $3}' out | cmp -s - labels.txt || fail_test "a label in the middle: JSON lines get other labels"

# a format is known by its name in training, too; files of different formats are refused
expect 0 "$espalier" train test.jsonl -m jsonl.model -q -p passes=2
expect 0 "$espalier" inspect jsonl.model --json
equal "$(json /format)" jsonl
expect 0 "$espalier" tag bare.txt -m jsonl.model --input-format columns
expect 2 "$espalier" train train.txt test.jsonl -m no.model
says err "different formats"
absent no.model

# a CoNLL-U tagger takes plain words, JSON lines, and raw text
awk 'BEGIN {n = 0} !NF {print ""; n = 0; next} {printf "%d\t%s\t_\t%s\t_\tCase=%s\t_\t_\t_\t_\n", ++n, $1, $2, $2}' train.txt >ud.conllu
expect 0 "$espalier" train ud.conllu -m ud.model -q -p passes=4
cut -d' ' -f1 bare.txt >words.txt
expect 0 "$espalier" tag words.txt -m ud.model --input-format columns
cut -d' ' -f2 out | cmp -s - <(cut -d' ' -f2 bare.txt) || fail_test "plain words get other tags than in training"
expect 1 "$espalier" tag words.txt -m ud.model
says err "--input-format columns"
expect 0 "$espalier" eval bare.txt -m ud.model --input-format columns --json
equal "$(json /accuracy)" 100.0
expect 0 "$espalier" tag words.txt -m ud.model --input-format columns --format conllu
awk 'NF && NF != 10' out | grep -q . && fail_test "not CoNLL-U"
expect 1 "$espalier" tag ud.conllu -m chunks.model
says err "the model looks at 2 columns"

# --- raw text
printf 'The big dog sees it.  It likes the\nold king.\n\nA house' >raw.txt
expect 0 "$espalier" tag raw.txt -m ud.model --text
equal "$(grep -c '^$' out)" 3
equal "$(head -1 out)" "The DT"
expect 0 "$espalier" tag raw.txt -m ud.model --text --json
equal "$(json /sequences/1/tokens/0 | tr -d '"')" It
equal "$(json /sequences/1/offsets/0/0)" 22
equal "$(json /sequences/1/offsets/4/0)" 39
equal "$(json /sequences/2/offsets/1/1)" 53
printf 'the dog sees it .\n\nit is old .\n' >blanks.txt
expect 0 "$espalier" tag blanks.txt -m ud.model --text=blanks
equal "$(grep -c . out)" 9
equal "$(grep -c '^$' out)" 2
expect 2 "$espalier" tag raw.txt -m ud.model --text=sentences
expect 2 "$espalier" tag raw.txt -m ud.model --text --input-format columns
expect 1 "$espalier" tag raw.txt -m chunks.model --text
says err "looks at 2 columns"

# raw text is not taken for rows
printf 'the dog sleeps\n' >row.txt
expect 1 "$espalier" tag row.txt -m chunks.model
says err "'sleeps' is in the place of the label"
says err "--text"
printf 'Hello world\n' >row2.txt
expect 1 "$espalier" tag row2.txt -m chunks.model -o row2.out
says err "if this is raw text, use --text"
absent row2.out
# one token with its tag is a row: the cell is one that the model knows
printf 'dog NN\n' >row3.txt
expect 0 "$espalier" tag row3.txt -m chunks.model
equal "$(sed -n 1p out)" "dog NN $("$espalier" tag row3.txt -m chunks.model --input-format columns | awk 'NR == 1 {print $3}')"
expect 0 "$espalier" tag row2.txt -m chunks.model --input-format columns
says_not err "--text"
expect 0 "$espalier" tag bare.txt -m chunks.model
says_not err "--text"

# --- a pipe that pauses: what has come in whole is answered, also where the next sequence has begun to come
mkfifo slow
for form in columns text; do
  case $form in
    columns) set -- "$(awk -v RS= -v ORS='\n\n' 'NR <= 2' bare.txt)" chunks.model ;;
    text) set -- $'The dog sleeps.\n\nA cat' ud.model --text ;;
  esac
  pieces=$1
  shift
  : >answers
  "$espalier" tag -q -m "$@" <slow >answers 2>err &
  pid=$!
  exec 3>slow
  printf '%s' "$pieces" >&3  # the last sequence has no end yet
  for _ in $(seq 600); do
    [ ! -s answers ] || break
    sleep 0.05
  done
  [ -s answers ] || fail_test "$form: no answer while the input pauses"
  grep -q '^$' answers || fail_test "$form: the answer has no end"
  exec 3>&-
  wait $pid
  equal $? 0
done

# --- CRFsuite items without a label in front
awk 'NF {print $3 "\tw=" $1 "\tp=" $2; next} {print ""}' train.txt >train.items
awk 'NF {print "w=" $1 "\tp=" $2; next} {print ""}' bare.txt >bare.items
expect 0 "$espalier" train train.items -m items.model -q -p passes=4
expect 1 "$espalier" tag bare.items -m items.model
says err "bare.items:1: the item begins with 'w="
sed 's/^\(.\)/_\t\1/' bare.items >unknown.items
expect 0 "$espalier" tag unknown.items -m items.model
cut -f1 out | cmp -s - labels.txt || fail_test "items with _ in front get other labels"
{ sed -n 1,2p unknown.items; sed -n 3p bare.items; sed -n '4,$p' unknown.items; } >mixed.items
expect 1 "$espalier" tag mixed.items -m items.model
says err "mixed.items:3: 'w="
expect 1 "$espalier" tag mixed.items -m items.model --keep-going
equal "$(awk -v RS= 'END {print NR}' out)" "$(($(awk -v RS= 'END {print NR}' bare.items) - 1))"

# --- CoNLL-U: no features is a value
awk 'BEGIN {n = 0} !NF {print ""; n = 0; next}
     {printf "%d\t%s\t_\t%s\t_\t%s\t_\t_\t_\t_\n", ++n, $1, $2, $2 == "NN" ? "Number=Sing" : "_"}' train.txt >feats.conllu
expect 0 "$espalier" train feats.conllu --label-column feats -m feats.model -q -p passes=4
expect 0 "$espalier" tag feats.conllu -m feats.model
same out feats.conllu
expect 0 "$espalier" eval feats.conllu -m feats.model --json
equal "$(json /tokens)" "$(grep -c . feats.conllu)"

# --- -DOCSTART- is not a sequence
{ printf -- '-DOCSTART- -X- O\n\n'; head -60 train.txt; printf -- '-DOCSTART- -X- O\n'; sed -n '61,$p' train.txt; } >documents.txt
expect 0 "$espalier" check documents.txt --json
equal "$(json /sequences)" "$(head -60 train.txt | awk -v RS= 'END {n = NR} END {print n + 0}' | { read -r a; b=$(sed -n '61,$p' train.txt | awk -v RS= 'END {print NR}'); echo $((a + b)); })"
expect 0 "$espalier" tag documents.txt -m chunks.model
equal "$(grep -c -e '^-DOCSTART- -X- O$' out)" 2
equal "$(awk 'NF == 4' out | wc -l)" "$(grep -c . train.txt)"

# --- separators and comments
tr ' ' ',' <train.txt | awk 'NR % 7 == 1 {print "# a comment"} {print}' >train.csv
tr ' ' ',' <bare.txt >bare.csv
expect 0 "$espalier" train train.csv --separator , --comment '#' -m csv.model -q -p passes=4
expect 0 "$espalier" tag bare.csv -m csv.model
tr ',' ' ' <out | cmp -s - tagged.txt || fail_test "a comma as separator changes the labels"
{ echo '# first'; cat bare.csv; } >commented.csv
expect 0 "$espalier" tag commented.csv -m csv.model
equal "$(head -1 out)" "# first"
expect 0 "$espalier" tag bare.csv -m chunks.model --separator ,
tr ',' ' ' <out | cmp -s - tagged.txt || fail_test "--separator of tag changes the labels"
tr ' ' ',' <test.txt >test.csv
expect 0 "$espalier" eval test.csv -m chunks.model --separator , --json
equal "$(json /f1)" "$f1"
expect 0 "$espalier" tag test.csv -m csv.model -o scored.csv
expect 0 "$espalier" eval --columns scored.csv --separator , --json
equal "$(json /f1)" "$f1"
expect 2 "$espalier" train train.csv --separator ,, -m no.model
expect 2 "$espalier" train ud.conllu --separator , -m no.model
expect 0 "$espalier" convert train.csv --separator , --comment '#' --to jsonl -o from_csv.jsonl
expect 0 "$espalier" convert train.txt --to jsonl -o from_txt.jsonl
same from_csv.jsonl from_txt.jsonl

# --- several files, and a folder for the output
expect 0 "$espalier" tag bare.txt bare.txt -m chunks.model
cat tagged.txt tagged.txt | cmp -s - out || fail_test "two files are not tagged one after the other"
expect 0 "$espalier" tag bare.txt bare.jsonl -m chunks.model --json
equal "$(json /sequences/59/labels/0)" "$(json /sequences/29/labels/0)"
mkdir in
cp bare.txt in/one.txt
gzip -c bare.txt >in/two.txt.gz
expect 0 "$espalier" tag in/one.txt in/two.txt.gz bare.jsonl -m chunks.model -o all/
same all/one.txt tagged.txt
same all/two.txt tagged.txt
[ -s all/bare.jsonl ] || fail_test "no all/bare.jsonl"
expect 1 "$espalier" tag in/one.txt bare.txt in/one.txt -m chunks.model -o all
says err "would both be written"
expect 1 "$espalier" tag in/one.txt -m chunks.model -o in
says err "is both an input and a file to be written"
expect 1 "$espalier" tag -m chunks.model -o all <bare.txt
{ cat bare.txt; echo one two three four; } >in/bad.txt
expect 1 "$espalier" tag in/one.txt in/bad.txt -m chunks.model -o half
absent half
mkdir half
expect 1 "$espalier" tag in/one.txt in/bad.txt -m chunks.model -o half
same half/one.txt tagged.txt
absent half/bad.txt

# --- keep going
awk -v RS= -v ORS='\n\n' 'NR == 3 {print "a b c d e f"} {print} NR == 9 {print "x\ny"}' bare.txt >holes.txt
expect 1 "$espalier" tag holes.txt -m chunks.model
expect 1 "$espalier" tag holes.txt -m chunks.model --keep-going
same out tagged.txt
equal "$(grep -c 'holes.txt:' err)" 2
says err "holes.txt:$(grep -n '^a b c d' holes.txt | cut -d: -f1):"
says err "2 sequences left out"
expect 1 "$espalier" tag holes.txt -m chunks.model --keep-going -o kept.txt
same kept.txt tagged.txt
expect 1 "$espalier" tag holes.txt -m chunks.model --keep-going --json
equal "$(json /bad_sequences)" 2
equal "$(json /tokens)" "$(grep -c . bare.txt)"
json /errors/1 >/dev/null
expect 1 "$espalier" tag holes.txt -m chunks.model --json
json /errors/0 >/dev/null
equal "$(json /sequences/1/labels/0)" "$(awk -v RS= 'NR == 2 {print $3}' tagged.txt | tr -d '"')"
{ head -4 test.jsonl; echo '{"tokens": ['; sed -n '5,$p' test.jsonl; } >holes.jsonl
expect 1 "$espalier" eval holes.jsonl -m chunks.model --keep-going --json
equal "$(json /f1)" "$f1"
says err "holes.jsonl:5:"
expect 1 "$espalier" eval holes.jsonl -m chunks.model
{ printf 'the DT\nd\xe9g NN\n\n'; cat bare.txt; } >coded.txt
expect 1 "$espalier" tag coded.txt -m chunks.model --keep-going
same out tagged.txt
expect 1 "$espalier" tag nowhere.txt -m chunks.model --keep-going
{ cat bare.items | sed 's/^\(.\)/_\t\1/'; printf '_\tw=a:inf\n_\tw=b\n\n_\tw=dog\n'; } >holes.items
expect 1 "$espalier" tag holes.items -m items.model --keep-going
equal "$(grep -c '^$' out)" 31
expect 1 "$espalier" tag row.txt -m chunks.model --keep-going

# --- JSON lines keep what they have
printf '{"id": 7, "tokens": [["the", "DT"], ["dog", "NN"]], "meta": {"b": [1, 2.5], "a": null}, "labels": null}\n' >keys.jsonl
expect 0 "$espalier" tag keys.jsonl -m chunks.model
equal "$(json /id)" 7
equal "$(json /meta/b/1)" 2.5
equal "$(json /labels/0 | tr -d '"')" B-NP
expect 0 "$espalier" tag keys.jsonl -m chunks.model --json
equal "$(json /sequences/0/id)" 7
# whole numbers of any size come through as they are, also next to text with escapes
big=123456789012345678901234567890
for text in dog 'd\u006fg'; do
  printf '{"id": %s, "tokens": [["the", "DT"], ["%s", "NN"]], "more": {"n": [-%s, 1], "t": "%s"}, "small": 18446744073709551615}\n' \
    $big "$text" $big $big >big.jsonl
  for json in "" --json; do
    # shellcheck disable=SC2086 # nothing, or a word
    expect 0 "$espalier" tag big.jsonl -m chunks.model $json
    says out "\"id\": $big"
    says out "[-$big, 1]"
    says out '"small": 18446744073709551615'
  done
done
printf '{"id": 1e999, "tokens": [["the", "DT"]]}\n' >big.jsonl
expect 1 "$espalier" tag big.jsonl -m chunks.model
says err "big.jsonl:1: "

# --- empty input is empty output
: >empty.txt
printf '\n\n' >blank.txt
for input in empty.txt blank.txt; do
  expect 0 "$espalier" tag $input -m chunks.model -o nothing.txt
  equal "$(cat nothing.txt)" ""
  expect 0 "$espalier" tag $input -m ud.model --text
  expect 0 "$espalier" tag $input -m chunks.model --json
  equal "$(json /tokens)" 0
done

# --- check and train agree
printf 'a\0b NN X\n\n' >zero.txt
printf 'a _\nb _\n\n' >unknown.txt
printf 'a\xef\xbf\xbd NN\nb VB\n\n' >replaced.txt
for file in zero.txt unknown.txt; do
  expect 1 "$espalier" check $file
  expect 1 "$espalier" train $file -m no.model -q
  absent no.model
done
expect 0 "$espalier" check replaced.txt
says out "U+FFFD"
expect 0 "$espalier" train replaced.txt -m replaced.model -q
expect 1 "$espalier" check zero.txt
says err "zero.txt:1: a zero byte"
expect 0 "$espalier" train zero.txt -m zero.model -q --encoding bytes
expect 0 "$espalier" check zero.txt --encoding bytes

# UTF-16, with and without a byte-order mark
{ printf '\xff\xfe'; sed 's/./&\x00/g; s/$/\x00/' train.txt; } >utf16.txt
tail -c +3 utf16.txt >utf16le.txt
for file in utf16.txt utf16le.txt; do
  for encoding in utf-8 latin1; do
    expect 1 "$espalier" train $file -m no.model --encoding $encoding
    says err "UTF-16"
  done
  expect 1 "$espalier" tag $file -m chunks.model
  says err "UTF-16"
  expect 1 "$espalier" check $file
  says err "the text is UTF-16"
done

{ printf '\xff\xfe'; printf 'U00:%%x[0,0]\n' | sed 's/./&\x00/g'; } >utf16.template
expect 1 "$espalier" train train.txt -t utf16.template -m no.model
says err "utf16.template: the text is UTF-16"

# messages quote a little of the input, not all of it
head -c 200000 /dev/zero | tr '\0' x >long_word
{ printf '{"tokens": ["'; cat long_word; } >long.jsonl
expect 1 "$espalier" tag long.jsonl -m chunks.model
{ printf 'the DT '; cat long_word; echo; } >long_label.txt
expect 1 "$espalier" tag long_label.txt -m chunks.model
{ printf 'the '; cat long_word; echo; } >long_forced.txt
expect 1 "$espalier" tag long_forced.txt -m chunks.model --forced-column 2
[ "$(wc -c <err)" -lt 500 ] || fail_test "a message of $(wc -c <err) bytes"
# Pipelines: each model reads the labels of those before it as columns.
expect 0 "$espalier" train train.txt -m pos.model --label-column 2 --feature-columns 1 -q -p passes=3
expect 0 "$espalier" train train.txt -m chunks3.model -q -p passes=3
printf 'the\ndog\nsees\nit\n.\n\n' >words.txt
expect 0 "$espalier" tag words.txt --pipeline pos.model,chunks3.model
cp out together.txt
expect 0 "$espalier" tag words.txt -m pos.model -o one.txt -q
expect 0 "$espalier" tag one.txt -m chunks3.model
same out together.txt
expect 0 "$espalier" tag words.txt --pipeline pos.model,chunks3.model --json
equal "$(json /sequences/0/others/0/1)" "$(awk 'NR == 2 { print $2 }' together.txt)"
printf 'the dog sees it.' >raw.txt
expect 0 "$espalier" tag raw.txt --text --pipeline pos.model,chunks3.model --confidence
[ "$(awk 'NF && NF != 5' out | wc -l)" -eq 0 ] || fail_test "not word, tag, chunk and two probabilities"
expect 1 "$espalier" tag words.txt --pipeline chunks3.model,none.model
expect 0 "$espalier" tag words.txt --pipeline pos.model,chunks3.model --format conllu
[ "$(awk -F'\t' 'NF && (NF != 10 || $10 !~ /^pos=[^|]+[|]chunks3=[^|]+$/)' out | wc -l)" -eq 0 ] || fail_test "not CoNLL-U with both labels in MISC"
expect 2 "$espalier" tag words.txt --pipeline pos.model,chunks3.model --format crfsuite
says err "a pipeline writes columns"
expect 2 "$espalier" tag words.txt --pipeline pos.model,chunks3.model --forced-column 1

finish
