"""Ratios against python-crfsuite on feature dictionaries: CoNLL-2002 Spanish, the features of its tutorial.

    ESPALIER_DATA=... PYTHONPATH=build/python python3 python/bench.py [speed] [sklearn] [tuned] [memory] [threads] [words] [SENTENCES]

Needs python-crfsuite; without it, only Espalier is measured. SENTENCES: only so many for training. Without names, all parts:

speed    processor seconds of both, conversion of dictionaries included, in the same process, with F1 on testb and a paired
         test of the difference
sklearn  fit and predict of SequenceLabeler, of compat.sklearn_crfsuite and of sklearn-crfsuite, if that is installed
tuned    the same with the L2 penalty of each that is best on the last fifth of the training data
memory   peaks of processes that make the dictionaries and train
threads  two Python threads that tag at once against one after the other
words    words in batches against the command (ESPALIER, default build/release/espalier)
"""

import gzip
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time

# The package next to this file has no extension module; the one that was built has.
sys.path = [folder for folder in sys.path if os.path.abspath(folder) != os.path.dirname(os.path.abspath(__file__))]

import espalier as es  # noqa: E402

try:
    import pycrfsuite
except ImportError:
    pycrfsuite = None


def read(name):
    """Sentences of (word, label)."""
    path = os.path.join(os.environ["ESPALIER_DATA"], "conll2002-esp", name)
    sentences, rows = [], []
    with gzip.open(path, "rt", encoding="utf-8") as file:
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


def data(sentences):
    """Dictionaries and labels of the training data and of testb."""
    def of(part):
        return [[features(s, i) for i in range(len(s))] for s in part], [[r[-1] for r in s] for s in part]

    return (*of(read("esp.train.gz")[:sentences]), *of(read("esp.testb.gz")))


def peer_train(X, y, path, **params):
    """A model of python-crfsuite."""
    trainer = pycrfsuite.Trainer(verbose=False, params={"c2": 1.0, **params})
    for items, labels in zip(X, y):
        trainer.append(items, labels)
    trainer.train(path)


def f1(gold, labels):
    """In percent."""
    return es.evaluate_labels(gold, labels).f1


def chance(gold, one, other, rounds=1000):
    """How often labels exchanged at random, a sentence at a time, differ in F1 as much as these (approximate randomization)."""
    seen, draw = abs(f1(gold, one) - f1(gold, other)), random.Random(1)
    differing = [i for i in range(len(gold)) if list(one[i]) != list(other[i])]
    as_much = 0
    for _ in range(rounds):
        a, b = list(one), list(other)
        for i in differing:
            if draw.random() < 0.5:
                a[i], b[i] = b[i], a[i]
        as_much += abs(f1(gold, a) - f1(gold, b)) >= seen
    return (as_much + 1) / (rounds + 1)


def peer_tag(X, y, Xt, **params):
    """Labels of python-crfsuite, and the processor seconds of its training."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.crfsuite")
        _, cpu, _ = timed(lambda: peer_train(X, y, path, **params))
        peer = pycrfsuite.Tagger()
        peer.open(path)
        return [peer.tag(x) for x in Xt], cpu


def own_tag(X, y, Xt, l2):
    """The same of Espalier."""
    tagger, cpu, _ = timed(lambda: es.train(X, y, learner=es.Crf(l2=l2), threads=1))
    return tagger.tag_batch(Xt), cpu


def tuned(sentences):
    """Both with the penalty that is best on the last fifth of the training data, trained again on all of it."""
    X, y, Xt, yt = data(sentences)
    cut = len(X) * 4 // 5
    programs = {"espalier": lambda a, b, c, l2: own_tag(a, b, c, l2)}
    if pycrfsuite:
        programs["python-crfsuite"] = lambda a, b, c, l2: peer_tag(a, b, c, c2=l2)
    found = {}
    for name, run in programs.items():
        held = {l2: f1(y[cut:], run(X[:cut], y[:cut], X[cut:], l2)[0]) for l2 in (0.125, 0.25, 0.5, 1.0)}
        best = max(held, key=held.get)
        found[name], cpu = run(X, y, Xt, best)
        print(f"{name}: held out {', '.join(f'{l2} {score:.2f}' for l2, score in held.items())}; penalty {best}: "
              f"training {cpu:.2f} s of processor time, F1 on testb {f1(yt, found[name]):.2f}", flush=True)
    if pycrfsuite:
        print(f"p of the difference {chance(yt, *found.values()):.3f}")


def speed(sentences):
    """Training and tagging, both programs in turn."""
    X, y, Xt, yt = data(sentences)
    print(f"{len(X)} sentences, {sum(map(len, X))} tokens")
    tagger, train_cpu, train_wall = timed(lambda: es.train(X, y, threads=1))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.crfsuite")
        if pycrfsuite:
            _, peer_cpu, peer_wall = timed(lambda: peer_train(X, y, path))
            peer = pycrfsuite.Tagger()
            peer.open(path)
        tags, singles, peer_tags = [], [], []
        for _ in range(5):
            got, cpu, _ = timed(lambda: tagger.tag_batch(Xt, threads=1))
            tags.append(cpu)
            singles.append(timed(lambda: [tagger.tag(x) for x in Xt])[1])
            if pycrfsuite:
                said, cpu, _ = timed(lambda: [peer.tag(x) for x in Xt])
                peer_tags.append(cpu)
    print(f"espalier: training {train_cpu:.2f} s of processor time, {train_wall:.2f} s; tagging, best of 5: "
          f"{min(tags):.3f} s as a batch, {min(singles):.3f} s one by one; F1 {es.evaluate_labels(yt, got).f1:.2f}", flush=True)
    if not pycrfsuite:
        print("python-crfsuite is not installed")
        return
    print(f"python-crfsuite: training {peer_cpu:.2f} s of processor time, {peer_wall:.2f} s; tagging, best of 5: "
          f"{min(peer_tags):.3f} s; F1 {es.evaluate_labels(yt, said).f1:.2f}")
    print(f"ratios: training {peer_cpu / train_cpu:.1f}, tagging as a batch {min(peer_tags) / min(tags):.1f}, "
          f"one by one {min(peer_tags) / min(singles):.1f}; p of the difference in F1 {chance(yt, got, said):.3f}")


def sklearn(sentences):
    """Estimators, in processor seconds of one thread."""
    from espalier.compat import sklearn_crfsuite as compat
    from espalier.sklearn import SequenceLabeler

    X, y, Xt, yt = data(sentences)
    print(f"{len(X)} sentences, {sum(map(len, X))} tokens")
    estimators = {"SequenceLabeler()": SequenceLabeler(threads=1), "compat.sklearn_crfsuite.CRF(c2=1)": compat.CRF(c2=1)}
    try:
        import sklearn_crfsuite
        estimators["sklearn_crfsuite.CRF(c2=1)"] = sklearn_crfsuite.CRF(c2=1)
    except ImportError:
        print("sklearn-crfsuite is not installed")
    for name, estimator in estimators.items():
        fit = timed(lambda: estimator.fit(X, y))[1]
        runs = [timed(lambda: estimator.predict(Xt)) for _ in range(5)]
        print(f"{name}: fit {fit:.2f} s, predict, best of 5: {min(r[1] for r in runs):.3f} s; "
              f"F1 {f1(yt, [list(labels) for labels in runs[0][0]]):.2f}", flush=True)


def peak():
    """The most memory that this process has had, in megabytes."""
    with open("/proc/self/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1024


def memory(sentences):
    """Peaks of two processes that each make the dictionaries and train, and of one that only makes them."""
    def child(what):
        program = f"import bench; bench.memory_of({what!r}, {sentences!r})"
        path = os.pathsep.join([os.path.dirname(os.path.abspath(__file__)), *sys.path])
        subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": path})

    for what in ("dictionaries alone", "espalier", *(["python-crfsuite"] if pycrfsuite else [])):
        child(what)


def memory_of(what, sentences):
    """What one of these processes does."""
    train = read("esp.train.gz")[:sentences]
    X, y = [[features(s, i) for i in range(len(s))] for s in train], [[r[-1] for r in s] for s in train]
    del train
    before = peak()
    if what == "espalier":
        es.train(X, y, threads=1)
    elif what == "python-crfsuite":
        with tempfile.TemporaryDirectory() as folder:
            peer_train(X, y, os.path.join(folder, "a.crfsuite"), max_iterations=5)  # more need no more memory
    print(f"{what}: peak {peak():.0f} MB, before training {before:.0f} MB", flush=True)


def threads(sentences):
    """Two threads at once against the same work one after the other; elapsed time, best of each."""
    _, _, Xt, _ = data(1)
    words = [[r[0] for r in s] for s in read("esp.testb.gz")]
    train = read("esp.train.gz")[:sentences or 2000]
    X, y = [[features(s, i) for i in range(len(s))] for s in train], [[r[-1] for r in s] for s in train]
    tagger = es.train(X, y)
    word_tagger = es.train([[r[0] for r in s] for s in train], y)
    for name, model, items in (("dictionaries", tagger, Xt), ("words", word_tagger, words)):
        usual = [x for x in items if 20 <= len(x) <= 30]
        # Long enough that the start of the threads does not count: the interpreter takes 5 ms for it next to one that is busy.
        works = {"one by one": lambda: [model.tag(x) for _ in range(2) for x in items],
                 "one by one, 20 to 30 tokens": lambda: [model.tag(x) for _ in range(20) for x in usual],
                 "as a batch": lambda: [model.tag_batch(items, threads=1) for _ in range(2)]}
        for how, work in works.items():
            serial, both = [], []
            for _ in range(25):
                began = time.perf_counter()
                work()
                work()
                serial.append(time.perf_counter() - began)
                workers = [threading.Thread(target=work) for _ in range(2)]
                began = time.perf_counter()
                for worker in workers:
                    worker.start()
                for worker in workers:
                    worker.join()
                both.append(time.perf_counter() - began)
            print(f"{name}, {how}: two threads {min(both):.3f} s, one after the other {min(serial):.3f} s, "
                  f"ratio {min(both) / min(serial):.2f}", flush=True)


def words(sentences):
    """Words in batches against the command, processor time, best of five."""
    train, test = read("esp.train.gz")[:sentences or 2000], read("esp.testb.gz") * 4
    tagger = es.train([[r[0] for r in s] for s in train], [[r[-1] for r in s] for s in train])
    sequences = [[r[0] for r in s] for s in test]
    espalier = os.environ.get("ESPALIER", "build/release/espalier")
    own, command = [], []
    with tempfile.TemporaryDirectory() as folder:
        model, text, out = (os.path.join(folder, name) for name in ("a.model", "in.txt", "out.txt"))
        tagger.save(model)
        with open(text, "w", encoding="utf-8") as file:
            file.writelines("\n".join(s) + "\n\n" for s in sequences)
        for _ in range(5):
            own.append(timed(lambda: tagger.tag_batch(sequences, threads=1))[1])
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([espalier, "tag", text, "-m", model, "-o", out, "-q", "--threads", "1"], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            command.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"words in a batch: {min(own):.3f} s, the command {min(command):.3f} s with its start, "
          f"speed of the package / speed of the command {min(command) / min(own):.2f}")


def main():
    parts = {"speed": speed, "sklearn": sklearn, "tuned": tuned, "memory": memory, "threads": threads, "words": words}
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    for name in [a for a in sys.argv[1:] if a in parts] or parts:
        parts[name](numbers[0] if numbers else None)


if __name__ == "__main__":
    main()
