# Task summary: training, summaries as text and JSON, scores, reasons, and what is refused.
source "$(dirname "$0")/testing.sh"

# clusters NUMBER SEED: documents that repeat a few facts among chatter; the references have the facts. Sentences
# come with trees.
clusters() {
  awk -v n="$1" -v seed="$2" 'BEGIN {
    srand(seed); split("storm fire flood quake", event, " "); split("north south east west", place, " ");
    for (i = 1; i <= n; ++i) {
      e = event[1 + int(rand() * 4)]; p = place[1 + int(rand() * 4)];
      fact = "{\"tokens\":[\"the\",\"" e "\",\"hit\",\"the\",\"" p "\",\"today\",\".\"],\"tags\":[\"DET\",\"NOUN\",\"VERB\",\"DET\",\"NOUN\",\"ADV\",\"PUNCT\"],\"heads\":[2,3,0,5,3,3,3],\"relations\":[\"det\",\"nsubj\",\"root\",\"det\",\"obj\",\"advmod\",\"punct\"]}";
      printf "{\"id\":\"c%d\",\"docs\":[", i;
      for (d = 1; d <= 3; ++d) {
        printf "%s{\"id\":\"d%d\",\"sents\":[", (d > 1 ? "," : ""), d;
        for (s = 1; s <= 3; ++s) {
          if (s == 1 + (i + d) % 3) printf "%s%s", (s > 1 ? "," : ""), fact;
          else printf "%s{\"tokens\":[\"we\",\"heard\",\"word%d\",\"and\",\"word%d\"],\"heads\":[2,0,2,5,3]}", (s > 1 ? "," : ""), rand() * 1000, rand() * 1000;
        }
        printf "]}";
      }
      printf "],\"refs\":[{\"sents\":[\"The %s hit the %s.\"]},{\"sents\":[\"Today the %s hit the %s.\"]}]}\n", e, p, e, p;
    } }'
}
clusters 12 1 >train.jsonl
clusters 6 2 >test.jsonl

expect 0 "$espalier" train train.jsonl --task summary -m sentences.model -p limit=6 --dev test.jsonl --json -q
equal "$(json /learner /dev_measure | tr '\n' ' ')" "searn ROUGE-2 "
expect 0 "$espalier" eval test.jsonl -m sentences.model --json -q
equal "$(json /summaries /words_per_summary | tr '\n' ' ')" "6 6.0 "
awk -v r="$(json /rouge_2/recall)" 'BEGIN { exit !(r > 70) }' || fail_test "ROUGE-2 is $(json /rouge_2/recall)"
expect 0 "$espalier" eval test.jsonl -m sentences.model --stemmer porter
says out "ROUGE-SU4"
printf 'the\nhit\n' >stop.txt
expect 0 "$espalier" eval test.jsonl -m sentences.model --stopwords stop.txt --json -q
awk -v r="$(json /words_per_summary)" 'BEGIN { exit !(r < 4) }' || fail_test "stop words were counted"

# Words grow along the trees of the input; each word says where it came from.
expect 0 "$espalier" train train.jsonl --task summary -m words.model -p unit=word -p limit=5 -q
expect 0 "$espalier" tag test.jsonl -m words.model -o summary.txt -q
equal "$(grep -c hit summary.txt)" 6
equal "$(grep -c '^$' summary.txt)" 6
expect 0 "$espalier" tag test.jsonl -m words.model --json -q
equal "$(json /sequences/0/id /sequences/0/words | tr '\n' ' ')" "c1 5 "
equal "$(json /sequences/0/sources/0/document | cut -c1)" d
expect 0 "$espalier" explain test.jsonl -m words.model --sequence 1
says out "step 1: hit"
expect 0 "$espalier" inspect words.model
says out "summary, learned by searn"
# A limit of its own.
sed 's/{"id"/{"limit":2,"id"/' test.jsonl >short.jsonl
expect 0 "$espalier" eval short.jsonl -m words.model --json -q
equal "$(json /words_per_summary)" 2.0

# The same bytes at any number of threads.
for threads in 1 3; do
  expect 0 "$espalier" train train.jsonl --task summary -p unit=word -p limit=5 -m "t$threads.model" --threads $threads -q
done
same t1.model t3.model

# Trees from models.
printf '1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n2\tstorm\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n3\thit\t_\tVERB\t_\t_\t0\troot\t_\t_\n4\tthe\t_\tDET\t_\t_\t5\tdet\t_\t_\n5\tnorth\t_\tNOUN\t_\t_\t3\tobj\t_\t_\n\n' >tree.conllu
for i in 1 2 3 4 5 6 7 8; do cat tree.conllu; done >trees.conllu
expect 0 "$espalier" train trees.conllu -m tags.model -q
expect 0 "$espalier" train trees.conllu --task parse -m parser.model -q
printf '{"docs":[{"sents":["The storm hit the north.","We heard of it."]}],"refs":[{"sents":["storm hit the north"]}]}\n' >text.jsonl
expect 0 "$espalier" train text.jsonl --task summary -p unit=word -p limit=4 --parser tags.model --parser parser.model -m parsed.model
says err "parser.model was trained on columns that it will find empty here (3)"
expect 0 "$espalier" train trees.conllu --task parse --feature-columns 2,4 -m plain.model -q
expect 0 "$espalier" train text.jsonl --task summary -p unit=word -p limit=4 --parser tags.model --parser plain.model -m parsed.model
grep -q "find empty" out err && fail_test "a parser of words and tags was complained about"
expect 0 "$espalier" tag text.jsonl -m parsed.model -q
says out "hit"
expect 1 "$espalier" train text.jsonl --task summary -p unit=word -m none.model -q
says err "text.jsonl:1: unit=word chooses words by their dependency trees"
expect 1 "$espalier" tag text.jsonl -m words.model -q
says err "text.jsonl:1: "
says err "--parser"
expect 1 "$espalier" train text.jsonl --task summary -p unit=word --parser tags.model -m none.model -q
says err "needs a model of task parse as the last"

# Other learners.
for learner in laso-br laso-bst laso incremental; do
  expect 0 "$espalier" train train.jsonl --task summary --learner $learner -p limit=6 -p passes=3 -m other.model -q
  expect 0 "$espalier" eval test.jsonl -m other.model --json -q
  equal "$(json /summaries)" 6
done
expect 0 "$espalier" cv train.jsonl --task summary -k 3 -p limit=6 --json -q
equal "$(json /folds/0/summaries /folds/1/summaries /folds/2/summaries | awk '{ n += $1 } END { print n }')" 12
awk -v m="$(json /mean/rouge_2)" -v p="$(json /pooled/rouge_2/recall)" 'BEGIN { exit !(m > 70 && p > 70) }' || fail_test "cv has ROUGE-2 $(json /mean/rouge_2)"
expect 0 "$espalier" cv train.jsonl --task summary -k 3 -p limit=6
says out "ROUGE-SU4"
says err "fold 1 of 3: ROUGE-2"

# What is refused, with file and line.
bad() {  # bad LINE MESSAGE
  { head -n 1 train.jsonl; printf '%s\n' "$1"; } >bad.jsonl
  expect 1 "$espalier" train bad.jsonl --task summary -m none.model -q
  says err "$2"
}
bad '{"docs":[{"sents":["a b"]}]}' "bad.jsonl:2: the cluster has no references"
bad '{"docs":[{"sents":["a b"]},{"sents":[]}],"refs":[{"sents":["a"]}]}' "bad.jsonl:2: document 2 is empty"
bad '{"docs":[{"sents":["a b"]}],"refs":[{"sents":["a"]}],"limit":0}' 'bad.jsonl:2: "limit" is 0'
bad '{"docs":[{"sents":[{"tokens":["a","b"],"heads":[2,1]}]}],"refs":[{"sents":["a"]}]}' "its own ancestor"
bad '{"docs":[{"sents":[{"tokens":["a","b"],"heads":[0,0]}]}],"refs":[{"sents":["a"]}]}' "bad.jsonl:2: document 1, sentence 1: \"heads\": token 2 is a second root"
bad 'nonsense' "bad.jsonl:2: expected a JSON object"
# Of several files the one that is wrong is named.
expect 1 "$espalier" train train.jsonl text.jsonl --task summary -p unit=word -m none.model -q
says err "text.jsonl:1: unit=word chooses words by their dependency trees"
expect 1 "$espalier" train train.jsonl --dev test.jsonl --dev text.jsonl --task summary -p unit=word -m none.model -q
says err "text.jsonl:1: unit=word chooses words by their dependency trees"
expect 2 "$espalier" train train.jsonl --task summary -m none.model -p limit=0
says err "limit"
expect 2 "$espalier" train train.jsonl --task summary -m none.model -p classifier=liblinear
says err "on line"
expect 2 "$espalier" train train.jsonl --task summary -m none.model -p stemmer=klingon
says err "no stemmer"
expect 2 "$espalier" train train.jsonl --task summary -m none.model -p unit=chunk
says err "unit=sentence or unit=word"
expect 2 "$espalier" train train.jsonl --task summary --learner crf -m none.model
says err "does not learn task summary"
expect 1 "$espalier" eval test.jsonl -m sentences.model --calibration -q
says err "no probabilities"

finish
