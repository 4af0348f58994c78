"""Several Python threads that tag at once: the same labels, nobody waits for long, and, in `make nightly`, how much time it saves."""

import concurrent.futures
import os
import subprocess
import sys
import threading
import time

import pytest


def in_threads(works):
    """Runs them at once; returns the elapsed seconds."""
    threads = [threading.Thread(target=work) for work in works]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began


def test_threads_share_a_model(word_tagger, dict_tagger, sentences, dicts):
    for tagger, items in ((word_tagger, sentences[0]), (dict_tagger, dicts[0])):
        wanted = tagger.tag_batch(items)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for got in pool.map(lambda _: tagger.tag_batch(items, threads=1), range(8)):
                assert got == wanted
            for got in pool.map(lambda _: [tagger.tag(x) for x in items], range(8)):
                assert got == wanted
            assert list(pool.map(tagger.tag, items)) == wanted


def test_labels_of_threads_are_equal_strings_of_their_own(word_tagger):
    """Each thread counts references to its own; what is freed elsewhere is counted all the same."""
    words = ["Anna", "slept", "in", "London"] * 8
    wanted, results = word_tagger.tag(words), []
    in_threads([lambda: results.extend(word_tagger.tag(words) for _ in range(2000))] * 3)
    assert len(results) == 6000 and all(got == wanted for got in results)
    counted = {id(label): label for label in results[0] + results[-1]}
    counts = {i: sys.getrefcount(counted[i]) for i in counted}
    gone = {i: sum(label is counted[i] for got in results[::2] for label in got) for i in counted}
    del results[::2]
    assert sum(gone.values()) and {i: counts[i] - sys.getrefcount(counted[i]) for i in counted} == gone


def test_what_is_read_may_tag(word_tagger):
    words = ["Anna", "slept", "in", "London"]

    def source():
        for word in words:
            assert word_tagger.tag(["London", "is", "a", "city", "in", "England"])
            yield word

    assert word_tagger.tag(source()) == word_tagger.tag(words)


def test_errors_of_threads_are_their_own(dict_tagger, dicts):
    wanted = dict_tagger.tag(dicts[0][0])

    def good():
        return all(dict_tagger.tag(dicts[0][0]) == wanted for _ in range(300))

    def bad():
        for _ in range(300):
            with pytest.raises(ValueError, match="token 2: the value of attribute 'a' is inf"):
                dict_tagger.tag([{"b": 1}, {"a": float("inf")}])
        return True

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        assert all(f.result() for f in [pool.submit(good), pool.submit(bad), pool.submit(good)])


def test_a_thread_that_computes_does_not_hold_up_the_others(word_tagger):
    """Each call that gives the lock to it gets it back after 5 ms; most calls must not."""
    words = ["Anna", "slept", "in", "London", "and", "saw", "a", "film", "about", "Paris"] * 2
    calls, done = [0, 0], threading.Event()

    def compute():
        while not done.is_set():
            sum(range(100))

    def tag(i):
        until = time.perf_counter() + 1
        while time.perf_counter() < until:
            word_tagger.tag(words)
            calls[i] += 1
        if i == 0:
            done.set()

    in_threads([compute, lambda: tag(0), lambda: tag(1)])
    assert sum(calls) > 1000  # with 5 ms each, 400 at most


@pytest.mark.parametrize("work", ["tagger.tag(words)", "tagger.tag_batch([words] * 50, threads=1)", "tagger.tag(words, nbest=2)",
                                  "es.train([words] * 50, [words] * 50, progress=lambda p: None)"])
def test_daemon_threads_do_not_abort_the_end_of_the_program(work):
    """They want the interpreter lock when the interpreter has ended already."""
    program = f"""
import threading, time, espalier as es
words = ["Anna", "slept", "in", "London"] * 8
tagger = es.train([words] * 5, [words] * 5, learner=es.Perceptron(passes=1))
def forever():
    while True:
        {work}
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.2)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif("ESPALIER_THREAD_RATIOS" not in os.environ, reason="needs two idle cores; run by make nightly")
@pytest.mark.parametrize("what", ["words", "dictionaries"])
def test_two_threads_take_six_tenths_of_the_time(word_tagger, dict_tagger, sentences, dicts, what):
    """Batches. The best times of up to thirty rounds: what else runs on the machine only adds to them."""
    tagger, items = (word_tagger, sentences[0] * 20) if what == "words" else (dict_tagger, dicts[0] * 10)

    def work():
        tagger.tag_batch(items, threads=1)

    apart, at_once = [], []
    for _ in range(30):
        began = time.perf_counter()
        work()
        work()
        apart.append(time.perf_counter() - began)
        at_once.append(in_threads([work, work]))
        if len(apart) > 4 and min(at_once) <= 0.6 * min(apart):
            return
    raise AssertionError(f"{what}: {min(at_once) / min(apart):.2f} of the time of one after the other")
