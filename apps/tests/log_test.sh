# What people read while and after they train: the log, warnings, colours, counted nouns; and predictions of cross-validation.
source "$(dirname "$0")/testing.sh"

chunk_data 60 1 >train.txt
chunk_data 20 2 >dev.txt

# The log says what its numbers are. In a file it has a line every few seconds, not one per pass.
expect 0 "$espalier" train train.txt --dev dev.txt -m a.model -p passes=40 -p patience=40
[ "$(wc -l <err)" -le 15 ] || fail_test "$(wc -l <err) lines of progress"
says err "training  pass 40  loss per token "
says err "  dev F1 "
says out "best on development data: pass"
says out " with F1 "
says out "loss per token"
awk '{print $1, $2, ($3 == "O" ? "X" : substr($3, 3))}' train.txt | sed 's/^ *X*$//' >plain.txt
expect 0 "$espalier" train plain.txt --dev plain.txt -m b.model -p passes=3 --learner perceptron
says err "errors per token"
says err "dev accuracy"
expect 0 "$espalier" train train.txt -m c.model -p passes=3 -p dropout=.3 --json
equal "$(json /objective_name)" "loss per token, under dropout"
expect 0 "$espalier" train train.txt -m c.model -p passes=3 --dev dev.txt --json -q
equal "$(json /dev_measure)" "F1"
# The objective counts the penalties: it does not rise while they shrink the weights.
expect 0 "$espalier" train train.txt -m c.model -p passes=30 --json -q
awk -v a="$(json /log/4/objective)" -v b="$(json /log/29/objective)" 'BEGIN {exit !(b < a)}' || fail_test "the objective does not fall"

# Development data that cannot be what was meant.
expect 0 "$espalier" train train.txt --dev train.txt -m d.model -p passes=2
says err "espalier: warning: train.txt: 60 of 60 development sequences are also in the training data"
says out "also in the training data"
expect 0 "$espalier" train train.txt --dev dev.txt -m d.model -p passes=2
says_not err "warning"
awk 'NF {print $1, $2, "Z-" NR; next} {print}' dev.txt >other.txt
expect 0 "$espalier" train train.txt --dev other.txt -m d.model -p passes=2 -q --json
says out "other.txt: no label here occurs in the training data"
equal "$(cat err)" ""

# Predictions of cross-validation: every sequence once, in its place, with the labels it gets from a model of the others.
expect 0 "$espalier" cv train.txt -k 3 -p passes=3 --save-predictions held-out.txt --json -q
f1=$(json /pooled/f1)
cut -d' ' -f1-3 held-out.txt >given.txt
same given.txt train.txt
expect 0 "$espalier" eval --columns held-out.txt --json
equal "$(json /f1)" "$f1"
expect 1 "$espalier" cv train.txt -k 3 -p passes=1 --save-predictions train.txt
says err "both an input and a file to be written"
expect 2 "$espalier" cv train.txt -k 3 -p passes=1 --save-predictions -

# One of something is one thing.
printf 'a DT B-NP\n' >one.txt
expect 0 "$espalier" train one.txt -m one.model -p passes=1
says out "1 sequence, 1 token, 1 label"
expect 0 "$espalier" check one.txt
says out "1 token, at"
expect 0 "$espalier" tag one.txt -m one.model -o tagged.txt
says err "1 sequence and 1 token"

# Names of schemes that other programs use.
for scheme in BIO IOB bio; do
  expect 0 "$espalier" convert train.txt --scheme $scheme -o same.txt
  same same.txt train.txt
done
expect 0 "$espalier" convert train.txt --scheme iobes -o iobes.txt
expect 0 "$espalier" convert train.txt --scheme BIOES -o bioes.txt
same iobes.txt bioes.txt
expect 0 "$espalier" convert train.txt --scheme BMEWO -o bmewo.txt
tr 'MW' 'IS' <bmewo.txt | cut -d' ' -f3 >letters.txt
cut -d' ' -f3 iobes.txt >wanted.txt
same letters.txt wanted.txt
expect 0 "$espalier" check bmewo.txt
says out "scheme     bmewo"
expect 0 "$espalier" convert bmewo.txt --scheme BIO -o back.txt
same back.txt train.txt
echo "valid BMEWO" >bmewo.rules
expect 0 "$espalier" train bmewo.txt -m bmewo.model --constraints bmewo.rules -q -p passes=2
echo "valid BIO" >bio.rules
expect 0 "$espalier" tag dev.txt -m a.model --constraints bio.rules

# Mistyped verbs of verbs.
expect 2 "$espalier" ensemble lern gold.txt a.txt -m x.model
says err "unknown verb 'ensemble lern'; did you mean ensemble learn?"
says err "See espalier ensemble --help"
expect 2 "$espalier" ensemble learn --metod x
says err "did you mean --method?"
says err "See espalier ensemble learn --help"
expect 2 "$espalier" ensemble
says err "ensemble needs one of learn, apply, report"
expect 0 "$espalier" version
says out "espalier 0."
expect 0 "$espalier" -V
expect 0 "$espalier" help
says out "Each verb has its own help"

# Partial files of killed writers are removed by the next write of the same file; nobody else's are.
sh -c 'exit 0' &
dead=$!
wait $dead
touch one.model.partial-$dead one.model.partial-$$ other.model.partial-$dead
expect 0 "$espalier" train one.txt -m one.model -p passes=1 -q
absent one.model.partial-$dead
[ -e one.model.partial-$$ ] || fail_test "the partial file of a living process is gone"
[ -e other.model.partial-$dead ] || fail_test "the partial file of another target is gone"
rm -f one.model.partial-$$ other.model.partial-$dead

# Colours: on terminals only, and not if NO_COLOR is set. `script` (bsdutils) makes a terminal.
escape=$(printf '\033')
on_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null >out 2>&1; }
on_terminal "$espalier tag nowhere.txt -m a.model"
says out "${escape}[1;31mespalier:${escape}[0m"
on_terminal "NO_COLOR=1 $espalier tag nowhere.txt -m a.model"
says out "espalier: "
says_not out "$escape"
on_terminal "$espalier explain one.txt -m a.model"
says out "${escape}[1;32m"
on_terminal "NO_COLOR=1 $espalier explain one.txt -m a.model"
says_not out "$escape"
expect 0 "$espalier" explain one.txt -m a.model
says_not out "$escape"
expect 1 "$espalier" tag nowhere.txt -m a.model
says_not err "$escape"
finish
