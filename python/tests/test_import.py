"""Models of other programs. The fixtures are those of the library's own tests (espalier/model/foreign)."""

import pathlib

import pytest

import espalier as es
from espalier.compat import CRFPP, pycrfsuite

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "espalier/model/foreign/fixtures"


def sequences(name):
    """Sequences of the lines of a fixture, each split at tabs."""
    blocks = (FIXTURES / name).read_text(encoding="utf-8").split("\n\n")
    return [[tuple(line.split("\t")) for line in block.split("\n") if line] for block in blocks if block.strip()]


@pytest.mark.parametrize("model, expected", [("crfpp.txt", "crfpp"), ("crfpp.bin", "crfpp"), ("wapiti.txt", "wapiti")])
def test_labels_and_probabilities_of_columns(model, expected):
    tagger = es.import_model(FIXTURES / model)
    assert tagger.info.learner == "crf" and tagger.labels
    for rows, wanted in zip(sequences("input.columns"), sequences(f"{expected}.expected")):
        found = tagger.tag([row[:2] for row in rows], confidence=True)
        assert found.labels == [w[0] for w in wanted]
        assert found.probabilities == pytest.approx([float(w[1]) for w in wanted], abs=1e-5)
        assert tagger.tag(rows) == found.labels  # further cells have no effect


def items(rows):
    """Attributes with their values, as the text form of CRFsuite's items gives them."""
    out = []
    for _, *attributes in rows:
        pairs = [a.replace("\\:", "\0").partition(":") for a in attributes]
        out.append({name.replace("\0", ":").replace("\\\\", "\\"): float(value or 1) for name, _, value in pairs})
    return out


def test_labels_and_probabilities_of_crfsuite():
    data = (FIXTURES / "crfsuite.bin").read_bytes()
    tagger = es.import_model(data)
    compat = pycrfsuite.Tagger()
    compat.open(str(FIXTURES / "crfsuite.bin"))
    in_memory = pycrfsuite.Tagger()
    in_memory.open_inmemory(data)
    for rows, wanted in zip(sequences("input.items"), sequences("crfsuite.expected")):
        found = tagger.tag(items(rows), confidence=True)
        assert found.labels == [w[0] for w in wanted] == compat.tag(items(rows)) == in_memory.tag(items(rows))
        assert found.probabilities == pytest.approx([float(w[1]) for w in wanted], abs=1e-5)


@pytest.mark.parametrize("model", ["crfpp.txt", "crfpp.bin"])
def test_crfpp_opens_models_of_crfpp(model):
    tagger = CRFPP.Tagger(f"-m {FIXTURES / model} -v 1")
    assert tagger.xsize() == 2 and tagger.ysize() == 3
    assert not tagger.add("one")
    for rows, wanted in zip(sequences("input.columns"), sequences("crfpp.expected")):
        tagger.clear()
        for row in rows:
            assert tagger.add("\t".join(row))
        assert tagger.parse()
        assert [tagger.y2(i) for i in range(tagger.size())] == [w[0] for w in wanted]
        assert [tagger.prob(i) for i in range(tagger.size())] == pytest.approx([float(w[1]) for w in wanted], abs=1e-5)


def test_can_be_saved_opened_and_trained_further(tmp_path):
    path = tmp_path / "imported.model"
    tagger = es.import_model(FIXTURES / "crfpp.txt")
    tagger.save(path)
    rows = [row[:2] for row in sequences("input.columns")[0]]
    assert es.Tagger.open(path).tag(rows) == tagger.tag(rows)
    assert tagger.inspect(top=3).strongest
    labelled = [([row[:2] for row in s], [row[2] for row in s]) for s in sequences("input.columns")]
    further = es.train([s for s, _ in labelled], [y for _, y in labelled], start_from=tagger)
    assert further.tag(labelled[0][0]) == labelled[0][1]


def test_damaged_files_are_refused(tmp_path):
    for name in ["crfsuite.bin", "crfpp.bin", "crfpp.txt", "wapiti.txt"]:
        data = (FIXTURES / name).read_bytes()
        with pytest.raises(es.Error, match="half"):
            es.import_model(data[:len(data) // 2], "half")
    with pytest.raises(es.Error, match="not a model of CRFsuite"):
        es.import_model(b"something else")
    with pytest.raises(FileNotFoundError):
        es.import_model(tmp_path / "missing")
    (tmp_path / "cut").write_bytes(b"lCRF")
    with pytest.raises(ValueError):
        pycrfsuite.Tagger().open(str(tmp_path / "cut"))
    with pytest.raises(RuntimeError):
        CRFPP.Tagger(f"-m {tmp_path / 'cut'}")
