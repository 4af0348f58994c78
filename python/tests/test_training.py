"""Training: learners, progress, Ctrl-C."""

import os
import pty
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import espalier as es


def test_files_a_corpus_and_lists_give_the_same_model(corpus_files):
    path = corpus_files[0]
    corpus = es.Corpus.read(path)
    rows = [tokens for tokens, _ in corpus]
    from_file = es.train(path, learner=es.Crf(passes=2))
    assert es.train(corpus, learner=es.Crf(passes=2)).tag_batch(rows[:20]) == from_file.tag_batch(rows[:20])
    assert es.train(rows, corpus.labels, learner=es.Crf(passes=2)).tag_batch(rows[:20]) == from_file.tag_batch(rows[:20])


def test_the_report_says_how_it_went(word_tagger):
    training = word_tagger.training
    assert training.sequences == 524 and training.tokens == 8028
    assert len(training.log) == 8 and training.log[0].number == 1
    assert not training.interrupted


def test_development_data_keeps_the_best_pass(corpus_files):
    tagger = es.train(corpus_files[0], dev=corpus_files[1])
    assert tagger.training.best_pass is not None
    assert tagger.training.log[-1].dev_score is not None


def test_every_learner_has_a_class_with_its_parameters():
    for name, made in es.LEARNERS.items():
        assert made.name == name
        assert getattr(es, made.__name__) is made
        assert made.parameters
    assert es.LasoBr(beam=3).pairs() == [("beam", "3")]
    assert es.Crf(weight_bits=32, names=False, label_weights={"O": 0.5}).pairs() == [
        ("weight-bits", "32"), ("names", "no"), ("label-weights", "O:0.5")]
    assert es.Crf(l2=1) == es.Crf(l2=1) != es.Crf(l2=2)


@pytest.mark.parametrize("learner", [name for name in es.LEARNERS if name != "brackets"])
def test_every_learner_trains(learner, sentences):
    words, labels = sentences
    settings = {"passes": 2} if "passes" in es.LEARNERS[learner].parameters else {}
    tagger = es.train(words[:60], labels[:60], learner=es.LEARNERS[learner](**settings))
    assert tagger.info.learner == learner
    assert len(tagger.tag(words[0])) == len(words[0])


def test_wrong_settings_are_errors(sentences):
    with pytest.raises(TypeError, match="Crf has no parameter 'beam'"):
        es.Crf(beam=5)
    with pytest.raises(es.Error, match="l2"):
        es.train(*sentences, learner=es.Crf(l2=-1))
    with pytest.raises(ValueError, match="unknown learner 'cfr'; there are crf"):
        es.train(*sentences, learner="cfr")
    with pytest.raises(FileNotFoundError):
        es.train("no-such-file.txt")
    with pytest.raises(es.Error):
        es.train([["a"]], None)
    with pytest.raises(ValueError, match="save_to"):
        es.train(*sentences, resume=True)


def test_progress_is_reported_on_the_calling_thread(sentences):
    seen = []
    es.train(*sentences, learner=es.Crf(passes=2),
             progress=lambda p: seen.append((threading.current_thread(), p)))
    assert {thread for thread, _ in seen} == {threading.current_thread()}
    assert any(p.phase == "training" and p.round == 2 for _, p in seen)
    assert all(0 <= p.fraction <= 1 for _, p in seen)


def test_progress_may_stop_training_and_leaves_a_model(sentences):
    tagger = es.train(*sentences, learner=es.Crf(passes=50), progress=lambda p: not (p.round or 0) >= 2)
    assert tagger.training.interrupted
    assert len(tagger.training.log) < 10
    assert tagger.tag(["Anna"])


def test_an_exception_of_the_progress_function_comes_out(sentences):
    class Mine(Exception):
        pass

    def fail(_):
        raise Mine("no")

    with pytest.raises(Mine):
        es.train(*sentences, progress=fail)
    with pytest.raises(TypeError):
        es.train(*sentences, progress=5)


def test_a_bar_is_drawn_only_on_a_terminal(sentences, capsys):
    es.train(*sentences, learner=es.Crf(passes=1), progress=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("without_tqdm", [True, False])
def test_a_bar_is_drawn_on_a_terminal(without_tqdm, corpus_files):
    script = textwrap.dedent(f"""
        import sys
        if {without_tqdm}:
            sys.modules["tqdm"] = None
        import espalier as es
        es.train({str(corpus_files[0])!r}, learner=es.Crf(passes=2), progress=True)
    """)
    parent, child = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", script], stderr=child)
    os.close(child)
    drawn = b""
    while True:
        try:
            some = os.read(parent, 4096)
        except OSError:  # the other end is closed
            break
        if not some:
            break
        drawn += some
    os.close(parent)
    assert process.wait(timeout=60) == 0
    assert b"training" in drawn and b"pass 2" in drawn


def interruptible(script):
    """A Python of its own that heeds Ctrl-C, also where the tests run in the background and SIGINT is ignored."""
    return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def end_of(child):
    """What it printed. It is ended where it does not end by itself."""
    try:
        return child.communicate(timeout=60)
    finally:
        child.kill()


def test_ctrl_c_leaves_a_usable_model(tmp_path, corpus_files):
    script = textwrap.dedent(f"""
        import espalier as es, warnings, sys
        warnings.simplefilter("always")
        print("ready", flush=True)
        tagger = es.train({str(corpus_files[0])!r}, learner=es.Crf(passes=100000))
        print(tagger.training.interrupted, tagger.tag([("Anna", "PROPN", "B-NP")]))
    """)
    child = interruptible(script)
    assert child.stdout.readline() == "ready\n"
    time.sleep(1.5)
    os.kill(child.pid, signal.SIGINT)
    out, err = end_of(child)
    assert child.returncode == 0, err
    assert out.startswith("True ['")
    assert "TrainingInterrupted" in err


def test_ctrl_c_stops_cross_validation(corpus_files):
    script = textwrap.dedent(f"""
        import espalier as es
        print("ready", flush=True)
        try:
            es.cross_validate({str(corpus_files[0])!r}, learner=es.Crf(passes=100000))
        except KeyboardInterrupt:
            print("stopped")
    """)
    child = interruptible(script)
    assert child.stdout.readline() == "ready\n"
    time.sleep(1)
    os.kill(child.pid, signal.SIGINT)
    assert end_of(child)[0] == "stopped\n"


def test_other_threads_run_during_training(sentences):
    counted = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted.append(1)
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    es.train(*sentences, learner=es.Crf(passes=10))
    stop.set()
    thread.join()
    assert len(counted) > 10


def test_constraints_of_the_training_are_obeyed(sentences):
    tagger = es.train(*sentences, learner=es.Crf(passes=3), constraints="scheme: valid iob2\nnone: at most 0 of B-PER\n",
                      allow_contradictions=True)
    assert tagger.info.constrained
    assert "B-PER" not in tagger.tag(["Anna", "Smith", "slept"])


def test_checkpoints_resume(tmp_path, corpus_files):
    path = tmp_path / "a.model"
    es.train(corpus_files[0], learner=es.Crf(passes=4), save_to=path, checkpoint_every=1,
             progress=lambda p: not ((p.round or 0) >= 2 and p.round_ended))
    resumed = es.train(corpus_files[0], learner=es.Crf(passes=4), save_to=path, resume=True)
    straight = es.train(corpus_files[0], learner=es.Crf(passes=4))
    assert resumed.to_bytes() == straight.to_bytes() == path.read_bytes()


def test_bounded_memory_gives_the_same_model(corpus_files):
    free = es.train(corpus_files[0], learner=es.Crf(passes=2))
    assert es.train(corpus_files[0], learner=es.Crf(passes=2), memory=200_000_000).to_bytes() == free.to_bytes()
    with pytest.raises(ValueError, match="64000000 bytes are the least"):
        es.train(corpus_files[0], memory=1000)
    with pytest.raises(es.Error, match="keeps all of its data in memory"):
        es.train(corpus_files[0], learner="svm", memory=200_000_000)


def test_scores_and_cross_validation(word_tagger, sentences, corpus_files):
    words, labels = sentences
    scores = es.evaluate(word_tagger, words, labels)
    assert 90 < scores.f1 <= 100 and scores.tokens == 8028
    assert {s.label for s in scores.by_label} == {"PER", "LOC", "ORG", "MISC"}
    assert "accuracy" in str(scores)
    same = es.evaluate_labels(labels, word_tagger.tag_batch(words))
    assert same.f1 == pytest.approx(scores.f1)
    cv = es.cross_validate(words[:100], labels[:100], folds=3, learner=es.Perceptron(passes=2))
    assert len(cv.folds) == 3 and cv.deviation("accuracy") >= 0
    assert cv.pooled.sequences == 100


def test_attributes_are_read_one_sequence_at_a_time():
    """Lists of attributes are converted while training reads them; a corpus gives the same model."""
    X = [[{"w": f"{(i + t) % 7}", "n": t / 2} for t in range(4)] for i in range(60)] + [[]]
    y = [["A" if (i + t) % 7 < 3 else "B" for t in range(4)] for i in range(60)] + [[]]
    assert es.train(X, y).to_bytes() == es.train(es.Corpus(X, y)).to_bytes()
    y[5] = y[5][:2]
    with pytest.raises(ValueError, match="sequence 6: 4 tokens and 2 labels"):
        es.train(X, y)
    y[5] = ["A", "B", 3, "B"]
    with pytest.raises(TypeError, match="sequence 6: label 3"):
        es.train(X, y)
    y[5] = ["A"] * 4
    X[9] = [("a", "row")] * 4
    with pytest.raises(es.Error, match="sequence 10: rows of cells"):
        es.train(X, y)
