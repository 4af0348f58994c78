"""Pipelines of models, raw text, and files in every way that the command tags them."""

import json
import subprocess

import pytest

import espalier as es


@pytest.fixture(scope="module")
def models(root, tmp_path_factory):
    """Files of a tagger of words and of a chunker of words and tags."""
    folder = tmp_path_factory.mktemp("models")
    data = root / "corpus" / "train.txt"
    es.train(data, label_column=2, feature_columns=[1], learner=es.Crf(passes=3), save_to=folder / "tagger.model")
    es.train(data, label_column=3, feature_columns=[1, 2], learner=es.Crf(passes=3), save_to=folder / "chunker.model")
    return folder / "tagger.model", folder / "chunker.model"


def test_each_model_reads_the_labels_of_the_one_before(models):
    pipeline = es.Pipeline.open(*models)
    words = ["Heavy", "rain", "flooded", "the", "city"]
    tagged = pipeline.tag(words)
    tags = es.Tagger.open(models[0]).tag(words)
    chunks = es.Tagger.open(models[1]).tag(list(zip(words, tags)))
    assert (tagged.labels, [others[0] for others in tagged.other_labels]) == (chunks, tags)
    assert [name for name, _ in pipeline.stages] == ["tagger", "chunker"] and "tagger, chunker" in repr(pipeline)
    assert pipeline.labels == es.Tagger.open(models[1]).labels
    rich = pipeline.tag(words, confidence=True, nbest=2, marginals=True)
    assert rich.labels == chunks and len(rich.alternatives) == 2 and rich.marginals.shape == (5, len(pipeline.labels))
    assert pipeline.tag(words, forced=["O", None, None, None, None]).labels[0] == "O"
    assert [t.labels for t in pipeline.tag_batch([words, [], words[:2]], threads=2)][:2] == [chunks, []]
    assert [e.label for e in pipeline.explain(words)] == chunks


def test_a_pipeline_that_does_not_fit_is_an_error(models):
    tagger, chunker = map(es.Tagger.open, models)
    with pytest.raises(es.Error, match="rows of 2 cells, not of 1"):
        es.Pipeline([("chunker", chunker), ("tagger", tagger)]).tag(["rain"])
    with pytest.raises(es.Error):
        es.Pipeline({})
    with pytest.raises(FileNotFoundError):
        es.Pipeline.open("no such.model")


def test_text_keeps_its_offsets(models):
    text = "Zoë 🙂 slept.\n\nThe  rain stopped."
    for sentence in es.split_text(text):
        for token in sentence:
            assert text[token.begin:token.end] == token.text
    assert [[t.text for t in s] for s in es.split_text("one, two\nthree", "blanks")] == [["one,", "two"], ["three"]]
    with pytest.raises(ValueError, match="split is 'words' or 'blanks'"):
        es.split_text("a", "letters")
    tagger = es.Tagger.open(models[0])
    for model in (tagger, es.Pipeline.open(*models)):
        found = model.tag_text(text, confidence=True)
        assert [s.tokens for s in found] == es.split_text(text)
        for sentence in found:
            assert len(sentence.tagged) == len(sentence.tokens) and (sentence.tagged.probabilities > 0).all()
        words = [[t.text for t in s.tokens] for s in found]
        assert [s.tagged.labels for s in found] == [model.tag(w, confidence=True).labels for w in words]


def test_files_as_the_command_tags_them(models, root, tmp_path):
    """The same bytes as the command, where it has been built."""
    espalier = root / "build" / "release" / "espalier"
    if not espalier.exists():
        pytest.skip("the command is not built")
    text, columns, broken = tmp_path / "text.txt", tmp_path / "words.txt", tmp_path / "broken.txt"
    text.write_text("Heavy rain flooded the city. Anna slept.\n", encoding="utf-8")
    columns.write_text("# a comment\nHeavy;ADJ\nrain;_\n\nAnna;_\n\n", encoding="utf-8")
    broken.write_text("Heavy ADJ\nrain\n\nAnna PROPN\n\n", encoding="utf-8")
    tagger = es.Tagger.open(models[0])
    chunker = es.Tagger.open(models[1])
    pipeline = es.Pipeline.open(*models)
    both = ",".join(map(str, models))
    for model, flags, source, given, options in (
            (tagger, ["-m", models[0]], text, ["--text"], {"text": True}),
            (tagger, ["-m", models[0]], text, ["--text=blanks", "--marginals"], {"text": "blanks", "marginals": True}),
            (pipeline, ["--pipeline", both], text, ["--text", "--confidence"], {"text": True, "confidence": True}),
            (tagger, ["-m", models[0]], columns,
             ["--separator", ";", "--comment", "#", "--forced-column", "2", "--decoder", "posterior"],
             {"separator": ";", "comment": "#", "forced_column": 2, "decoder": "posterior"}),
            (chunker, ["-m", models[1]], root / "corpus" / "test.txt", ["--nbest", "2"], {"nbest": 2})):
        done = subprocess.run([espalier, "tag", source, *flags, *given, "-o", tmp_path / "command.txt", "-q"],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        report = model.tag_file(source, tmp_path / "package.txt", **options)
        assert (tmp_path / "package.txt").read_bytes() == (tmp_path / "command.txt").read_bytes(), given
        assert report["tokens"] > 0 and report["errors"] == []
    report = chunker.tag_file([broken, broken], tmp_path / "kept.txt", keep_going=True)
    assert report["sequences"] == 2 and len(report["errors"]) == 2 and "broken.txt:2" in report["errors"][0]
    with pytest.raises(es.Error, match="broken.txt:2"):
        chunker.tag_file(broken, tmp_path / "kept.txt")
    rules = "none: at most 0 of B-NP\n"
    report = chunker.tag_file(root / "corpus" / "test.txt", tmp_path / "ruled.json", constraints=rules, output_format="json")
    assert sum(report["outcomes"].values()) == report["sequences"]
    assert not any("B-NP" in s["labels"] for s in json.loads((tmp_path / "ruled.json").read_text())["sequences"])
