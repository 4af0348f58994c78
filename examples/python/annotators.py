"""Three annotators, or three language models, and one answer with a confidence.

Each of them is weak somewhere: one misses places, one mixes up organizations, one does not answer every sentence. From 300
sentences whose labels are known, an ensemble learns whom to trust where; on the others it combines their answers and says how
sure it is of each. To use your own: put the labels that each gave in place of `answers`, None for a sentence without an answer.

    PYTHONPATH=build/python python3 examples/python/annotators.py
"""

import random

import espalier as es

KNOWN = 300


def answers(gold, replace, error, silent=0.0, seed=0):
    """What an annotator says: labels that `replace` names are often wrong, some sentences are not answered."""
    rng = random.Random(seed)
    said = []
    for labels in gold:
        if rng.random() < silent:
            said.append(None)
        else:
            said.append([replace.get(x, x) if rng.random() < error else x for x in labels])
    return said


def f1(gold, got):
    """F1 of the names. A sentence without an answer has none."""
    return es.evaluate_labels(gold, [found or ["O"] * len(labels) for labels, found in zip(gold, got)]).f1


def main():
    gold = es.Corpus.read("corpus/train.txt").labels
    experts = {
        "anna": answers(gold, {"B-LOC": "O", "I-LOC": "O"}, 0.7, seed=1),
        "ben": answers(gold, {"B-ORG": "B-PER", "I-ORG": "I-PER", "B-LOC": "B-ORG"}, 0.6, seed=2),
        "model": answers(gold, {"B-PER": "O", "I-PER": "O", "B-ORG": "B-LOC"}, 0.6, silent=0.2, seed=3),
    }
    ensemble = es.Ensemble.fit(gold[:KNOWN], {name: said[:KNOWN] for name, said in experts.items()})
    rest = gold[KNOWN:]
    for name, said in experts.items():
        print(f"{name}: F1 {f1(rest, said[KNOWN:]):.1f}")
    combined = ensemble.combine_batch([said[KNOWN:] for said in experts.values()])
    print(f"all, by {ensemble.method}: F1 {f1(rest, [one.labels for one in combined]):.1f}")
    tokens = [(confidence, label == right) for one, labels in zip(combined, rest)
              for confidence, label, right in zip(one.confidence, one.labels, labels)]
    for least, most in ((0.0, 0.99), (0.99, 1.01)):
        some = [right for confidence, right in tokens if least <= confidence < most]
        if some:
            print(f"confidence of {least} to {min(most, 1)}: {len(some)} labels, {100 * sum(some) / len(some):.1f} % right")


if __name__ == "__main__":
    main()
