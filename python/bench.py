"""Ratios against python-crfsuite on feature dictionaries: CoNLL-2002 Spanish, the features of its tutorial.

    ESPALIER_DATA=... PYTHONPATH=build/python python3 python/bench.py [SENTENCES]

Needs python-crfsuite; without it, only Espalier is measured. Processor seconds of both, conversion of dictionaries included,
one run after the other in the same process; F1 on testb next to them.
"""

import gzip
import os
import sys
import tempfile
import time

# The package next to this file has no extension module; the one that was built has.
sys.path = [folder for folder in sys.path if os.path.abspath(folder) != os.path.dirname(os.path.abspath(__file__))]

import espalier as es  # noqa: E402


def read(name):
    """Sentences of (word, label)."""
    path = os.path.join(os.environ["ESPALIER_DATA"], "conll2002-esp", name)
    sentences, rows = [], []
    with gzip.open(path, "rt", encoding="latin1") as file:
        for line in file:
            cells = line.split()
            if cells:
                rows.append((cells[0], cells[1] if len(cells) > 2 else "", cells[-1]))
            elif rows:
                sentences.append(rows)
                rows = []
    return sentences + ([rows] if rows else [])


def features(rows, i):
    """Of a token, and of its neighbours."""
    def of(word, tag, prefix):
        return {prefix + "word.lower": word.lower(), prefix + "word.isupper": word.isupper(),
                prefix + "word.istitle": word.istitle(), prefix + "postag": tag, prefix + "postag[:2]": tag[:2]}

    word, tag, _ = rows[i]
    found = {"bias": 1.0, "word[-3:]": word[-3:], "word[-2:]": word[-2:], "word.isdigit": word.isdigit(),
             **of(word, tag, "")}
    if i > 0:
        found.update(of(rows[i - 1][0], rows[i - 1][1], "-1:"))
    else:
        found["BOS"] = True
    if i + 1 < len(rows):
        found.update(of(rows[i + 1][0], rows[i + 1][1], "+1:"))
    else:
        found["EOS"] = True
    return found


def timed(work):
    """What it returns, and processor and elapsed seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    value = work()
    return value, time.process_time() - cpu, time.perf_counter() - wall


def main():
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    train = read("esp.train.gz")[:numbers[0] if numbers else None]
    test = read("esp.testb.gz")
    X, y = [[features(s, i) for i in range(len(s))] for s in train], [[r[-1] for r in s] for s in train]
    Xt, yt = [[features(s, i) for i in range(len(s))] for s in test], [[r[-1] for r in s] for s in test]
    print(f"{len(X)} sentences, {sum(map(len, X))} tokens")

    tagger, train_cpu, train_wall = timed(lambda: es.train(X, y, threads=1))
    got, tag_cpu, tag_wall = timed(lambda: tagger.tag_batch(Xt, threads=1))
    print(f"espalier: training {train_cpu:.2f} s cpu, {train_wall:.2f} s; tagging {tag_cpu:.2f} s cpu, {tag_wall:.2f} s; "
          f"F1 {es.evaluate_labels(yt, got).f1:.2f}", flush=True)
    try:
        import pycrfsuite
    except ImportError:
        print("python-crfsuite is not installed")
        return

    def peer_train(path):
        trainer = pycrfsuite.Trainer(verbose=False, params={"c2": 1.0})
        for items, labels in zip(X, y):
            trainer.append(items, labels)
        trainer.train(path)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.crfsuite")
        _, peer_cpu, peer_wall = timed(lambda: peer_train(path))
        peer = pycrfsuite.Tagger()
        peer.open(path)
        said, peer_tag_cpu, peer_tag_wall = timed(lambda: [peer.tag(x) for x in Xt])
    print(f"python-crfsuite: training {peer_cpu:.2f} s cpu, {peer_wall:.2f} s; tagging {peer_tag_cpu:.2f} s cpu, "
          f"{peer_tag_wall:.2f} s; F1 {es.evaluate_labels(yt, said).f1:.2f}")
    print(f"ratios of processor time: training {peer_cpu / train_cpu:.1f}, tagging {peer_tag_cpu / tag_cpu:.1f}")


if __name__ == "__main__":
    main()
