# Pages about models, and labels that cross-validation contradicts.
source "$(dirname "$0")/testing.sh"
[ -x "$(dirname "$espalier")/espalier-compare" ] || { echo "espalier-compare is not built" >&2; exit 1; }

chunk_data 80 1 >train.txt
chunk_data 40 2 >test.txt
# A gold label that is wrong, and a word that must not become markup.
awk 'NR == 1 {$3 = "B-VP"} NR == 3 {$1 = "<b>&\"x"} {print}' test.txt >wrong.txt
expect 0 "$espalier" train train.txt -m a.model -p passes=8 --dev test.txt --json
cp out a.json
expect 0 "$espalier" train train.txt -m b.model --learner laso-br -p passes=2

expect 0 "$espalier" report wrong.txt -m a.model -o one.html
says err "one.html: "
for section in scores labels errors confusions calibration coverage length rareness; do says one.html "<section id=\"$section\">"; done
says_not one.html '<b>&"x'
says one.html '&lt;b&gt;&amp;&quot;x'
says one.html 'wrong.txt:1'
says_not one.html '://'
expect 0 "$espalier" report wrong.txt -m a.model -m b.model --log a.json --train train.txt --title 'Two & more' -o two.html -q
equal "$(cat err)" ""
says two.html '<title>Two &amp; more</title>'
says two.html '<section id="differences">'
says two.html '<section id="training">'
says two.html "b.model has no probabilities"
says two.html "0: never seen"

# A parser: trees as arcs. The second sentence has another gold head.
tree() { printf '1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\t%s\t_\tNOUN\t_\t_\t%s\tnsubj\t_\t_\n3\tslept\t_\tVERB\t_\t_\t0\troot\t_\t_\n4\there\t_\tADV\t_\t_\t3\tadvmod\t_\t_\n\n' "$1" "$2"; }
for i in 1 2 3 4 5 6 7 8; do tree cat 3; tree dog 3; done >trees.conllu
{ tree cat 3; tree '<b>dog' 4; } >some.conllu
expect 0 "$espalier" train trees.conllu --task parse -m parser.model -q
expect 0 "$espalier" report some.conllu -m parser.model -o trees.html -q
for section in scores relations trees; do says trees.html "<section id=\"$section\">"; done
says trees.html 'some.conllu:6: 1 of 4 arcs are wrong'
says trees.html '&lt;b&gt;dog'
says_not trees.html '<b>dog'
expect 1 "$espalier" report some.conllu -m parser.model -m a.model -o no.html
says err "compare models of one task"
# A summariser: the documents with the words of the summary marked.
printf '{"docs":[{"sents":["The storm hit the <north>.","Nobody came."]}],"refs":[{"sents":["The storm hit the north."]}]}\n' >cluster.jsonl
# Other clusters to learn from: their words are general language, what is new in this one is its topic.
for word in rain snow hail; do sed "s/storm/$word/g; s/north/south/g" cluster.jsonl; done >clusters.jsonl
expect 0 "$espalier" train clusters.jsonl --task summary -p limit=5 -m summary.model -q
expect 0 "$espalier" report cluster.jsonl -m summary.model -o summary.html -q
says summary.html '<th scope="col">words</th>'
for section in scores summaries; do says summary.html "<section id=\"$section\">"; done
says summary.html '<span class="g">The storm hit the &lt;north&gt;.</span>'
says_not summary.html '<north>'

# What is wrong is said, and nothing is written.
expect 1 "$espalier" report wrong.txt -m missing.model -o no.html
expect 1 "$espalier" report missing.txt -m a.model -o no.html
expect 1 "$espalier" report wrong.txt -m a.model --log train.txt -o no.html
says err "espalier train --json"
expect 2 "$espalier" report wrong.txt -m a.model -m b.model -m a.model -o no.html
expect 2 "$espalier" report wrong.txt -m a.model
absent no.html
cp a.model before.model
expect 1 "$espalier" report wrong.txt -m a.model -o a.model
same a.model before.model
expect 1 "$espalier" report wrong.txt -m a.model -o missing/no.html

# Labels that models of the other folds contradict: the one that was made wrong comes first.
awk 'NR == 1 {$3 = "B-VP"} {print}' train.txt >suspect.txt
expect 0 "$espalier" check suspect.txt --suspicious 3
says out "labels that models trained without them contradict"
says out "  suspect.txt:1: "
expect 0 "$espalier" check suspect.txt --suspicious 2 --json -q
equal "$(json /suspicious_labels/0/line)" 1
equal "$(json /suspicious_labels/0/label)" B-VP
expect 2 "$espalier" check - --suspicious 3 <suspect.txt
expect 2 "$espalier" check suspect.txt --suspicious 0
finish
