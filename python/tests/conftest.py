"""What several tests use."""

import pathlib

import pytest

import espalier as es

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def corpus_files():
    return ROOT / "corpus" / "train.txt", ROOT / "corpus" / "test.txt"


def features(words):
    """Feature dictionaries as people write them for CRFsuite."""
    return [{"word": w.lower(), "suffix": w[-2:], "capital": w[:1].isupper(), "length": len(w) / 10,
             "shape": {"first": w[:1].isalpha(), "digits": [c for c in w if c.isdigit()]}} for w in words]


@pytest.fixture(scope="session")
def sentences():
    """Words and entity labels of the bundled corpus."""
    corpus = es.Corpus.read(ROOT / "corpus" / "train.txt")
    return [[row[0] for row in rows] for rows, _ in corpus], [labels for _, labels in corpus]


@pytest.fixture(scope="session")
def dicts(sentences):
    words, labels = sentences
    return [features(s) for s in words], labels


@pytest.fixture(scope="session")
def word_tagger(sentences):
    return es.train(*sentences, learner=es.Crf(passes=8))


@pytest.fixture(scope="session")
def dict_tagger(dicts):
    return es.train(*dicts, learner=es.Crf(passes=8))
