#!/usr/bin/env python3
"""What `train --start-from` does to a model that gets a few sentences of another kind of text.

   bench/further.py [--learners crf,perceptron] [--sizes 15,100,1000] [--draws 3] [--test] [--espalier PROGRAM] [--work FOLDER]
   bench/further.py --again [--learners …]

English Web Treebank, universal tags from words alone. For each of its five genres a model of the other four is trained further on
so many sentences of this one, drawn from the training part. Prints how the accuracy changes on the new genre and on the old ones,
in points: the mean over genres and draws, in how many of them it fell, and the worst.

Scores are those of held-out training data: sentences of the genre that no draw can take, and the development part of the other
genres. With --test they are those of the test part; choose nothing by these. Needs the treebank under ESPALIER_DATA (default
../shared/data).

--again: one more pass over the same data instead. CoNLL-2000's training data; five times another tenth of it is held out. Prints how
F1 on that tenth changes.
"""
import argparse
import gzip
import json
import os
import random
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

GENRES = ["answers", "email", "newsgroup", "reviews", "weblog"]
HELD_OUT = 500  # sentences of each genre's training part that are never drawn


def read(part):
    """Sentences of a part of the treebank by genre, each as lines of word and tag."""
    folder = os.path.join(os.environ.get("ESPALIER_DATA", "../shared/data"), "ud")
    found = {genre: [] for genre in GENRES}
    genre, rows = None, []
    with gzip.open(os.path.join(folder, f"en_ewt-ud-{part}.conllu.gz"), "rt", encoding="utf-8") as file:
        for line in file:
            if line.startswith("# sent_id = "):
                genre = re.match(r"[a-z]+", line[12:]).group()
            elif line[0].isdigit():
                cells = line.split("\t")
                if cells[0].isdigit():
                    rows.append(f"{cells[1].replace(' ', '_')}\t{cells[3]}\n")
            elif line == "\n":
                found[genre].append("".join(rows) + "\n")
                rows = []
    return found


def write(path, sentences):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(sentences)
    return path


class Runs:
    def __init__(self, options, work):
        self.espalier, self.work = options.espalier, work
        train, dev, test = read("train"), read("dev"), read("test")
        self.draw_from, self.files = {}, {}
        for genre in GENRES:
            shuffled = random.Random(0).sample(train[genre], len(train[genre]))
            self.draw_from[genre] = shuffled[HELD_OUT:]
            others = [other for other in GENRES if other != genre]
            new = test[genre] if options.test else shuffled[:HELD_OUT]
            old = [s for other in others for s in (test if options.test else dev)[other]]
            self.files[genre] = {
                "base": write(f"{work}/{genre}.base", [s for other in others for s in train[other]]),
                "new": write(f"{work}/{genre}.new", new),
                "old": write(f"{work}/{genre}.old", old),
            }

    def accuracy(self, model, data):
        command = [self.espalier, "eval", data, "-m", model, "--json", "--threads", "1"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["accuracy"]

    def both(self, model, genre):
        return tuple(self.accuracy(model, self.files[genre][kind]) for kind in ("new", "old"))

    def train(self, data, model, *more):
        subprocess.run([self.espalier, "train", data, "-m", model, "--threads", "1", "-q", *more], check=True)

    def first(self, learner, genre):
        """The model of the other genres, kept for the next run in the same folder, and its scores."""
        model = f"{self.work}/{learner}.{genre}.model"
        if not os.path.exists(model):
            self.train(self.files[genre]["base"], model, "--learner", learner)
        return model, self.both(model, genre)

    def cell(self, first, learner, genre, size, draw):
        """Points won by one draw: on the new genre, on the old ones."""
        model, before = first
        name = f"{self.work}/{learner}.{genre}.{size}.{draw}"
        drawn = random.Random(1000 * draw + size).sample(self.draw_from[genre], size)
        self.train(write(name, drawn), name + ".model", "--start-from", model)
        after = self.both(name + ".model", genre)
        os.remove(name + ".model")
        return after[0] - before[0], after[1] - before[1]


def again(options, work):
    path = os.path.join(os.environ.get("ESPALIER_DATA", "../shared/data"), "conll2000", "train.txt.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        sentences = [s + "\n\n" for s in file.read().split("\n\n") if s.strip()]

    def run(*words):
        return subprocess.run([options.espalier, *words], check=True, capture_output=True).stdout

    def f1(model, data):
        return json.loads(run("eval", data, "-m", model, "--json"))["f1"]

    print("learner     one more pass over the same data: mean   worst", flush=True)
    for learner in options.learners.split(","):
        points = []
        for fold in range(5):
            rest = write(f"{work}/rest", [s for i, s in enumerate(sentences) if i % 10 != fold])
            tenth = write(f"{work}/tenth", sentences[fold::10])
            run("train", rest, "-m", f"{work}/first", "--learner", learner, "-q")
            run("train", rest, "-m", f"{work}/second", "--start-from", f"{work}/first", "-p", "passes=1", "-q")
            points.append(f1(f"{work}/second", tenth) - f1(f"{work}/first", tenth))
        print(f"{learner:<12}{sum(points) / len(points):+40.3f} {min(points):+7.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="accuracy of models that were trained further")
    parser.add_argument("--learners", default="crf,memm,perceptron,svm,cascade,laso-br,searn")
    parser.add_argument("--sizes", default="15,100,1000")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--espalier", default="build/release/espalier")
    parser.add_argument("--work")
    options = parser.parse_args()
    work = options.work or tempfile.mkdtemp(prefix="espalier-further-")
    os.makedirs(work, exist_ok=True)
    if options.again:
        again(options, work)
        return
    runs = Runs(options, work)
    print("learner     sentences   new: mean   fell   worst   old: mean   fell   worst", flush=True)
    for learner in options.learners.split(","):
        with ThreadPoolExecutor(options.jobs) as pool:
            firsts = dict(zip(GENRES, pool.map(lambda genre, l=learner: runs.first(l, genre), GENRES)))
            for size in (int(word) for word in options.sizes.split(",")):
                cells = [(genre, draw) for genre in GENRES for draw in range(options.draws)]
                won = list(pool.map(lambda c, l=learner, n=size: runs.cell(firsts[c[0]], l, c[0], n, c[1]), cells))
                line = f"{learner:<12}{size:>9}"
                for side in (0, 1):
                    points = [w[side] for w in won]
                    fell = sum(p < 0 for p in points)
                    line += f"   {sum(points) / len(points):+9.3f}{fell:>4}/{len(points)} {min(points):+7.2f}"
                print(line, flush=True)


if __name__ == "__main__":
    main()
