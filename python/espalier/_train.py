"""Training, scores and cross-validation."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _native
from ._data import Corpus, PathLike, constraints_of, holds_attributes, native_data, path_of
from ._learners import Learner, learner_of
from ._lists import ListsLike, read_named, texts_of
from ._progress import ProgressLike, reporter
from ._results import Pass, Training
from ._scores import CrossValidation, Fold, Scores, scores_of
from ._tagger import ConstraintsLike, Tagger, decode_options


#: The text of a template, or a path object (not str, which is text).
TemplateLike = Union[None, str, "os.PathLike[str]"]


#: The least that `memory` may be: the program, its buffers and a small model.
LEAST_MEMORY = 64_000_000


class TrainingInterrupted(UserWarning):
    """Ctrl-C ended training; the model is what had been learned until then.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", es.TrainingInterrupted)  # Ctrl-C is an exception, as in other functions
    ...     tagger = es.train(X, y)
    """


def train(data: Any, labels: Any = None, *, learner: Union[None, str, Learner] = None, dev: Any = None,
          dev_folds: str = "", task: str = "label", constraints: ConstraintsLike = None,
          allow_contradictions: bool = False, template: TemplateLike = None, lexicons: ListsLike = (),
          word_classes: ListsLike = (), parsers: Sequence[PathLike] = (), columns: Sequence[str] = (),
          feature_columns: Sequence[int] = (), start_from: Optional[Tagger] = None, format: str = "",
          label_column: Union[str, int] = "", encoding: str = "", folds: str = "", separator: str = "",
          comment: str = "", seed: int = 1, threads: int = 0, progress: ProgressLike = None,
          save_to: Optional[PathLike] = None, checkpoint_every: int = 0, resume: bool = False,
          memory: int = 0) -> Tagger:
    """Trains a model. Ctrl-C ends training with a usable model and a :class:`TrainingInterrupted` warning.

    Args:
        data: a path, a list of paths, a Corpus, or a list of sequences with `labels`.
        labels: one list per sequence.
        learner: a name or an object such as ``Crf(l2=0.5)``; by default that of the task.
        dev: development data in the same forms, or a pair (sequences, labels): training stops when the score on it no
            longer rises, and the best pass is kept.
        dev_folds: only these folds of the development data; without `dev`, of the training files.
        task: label, segment, joint, roles, brackets, variables, parse or summary.
        constraints: rules that the model stores and obeys.
        allow_contradictions: train even if most training sequences break the constraints.
        template: a feature template in CRF++ or Wapiti syntax: its text, or a path object.
        lexicons: lists of names or words whose entries become features: a file, a dictionary from entry to type, or
            several of them. The model stores them.
        word_classes: classes of words as features, likewise: a file, a dictionary from word to class, or what
            :func:`make_word_classes` returns.
        parsers: task summary with unit=word: files of models that give sentences tags and trees, the last a parser.
        columns: names of the cells if tokens are rows; lists are then rows, too.
        feature_columns: columns to take features from, from 1.
        start_from: start from the weights of this model.
        format, label_column, encoding, folds, separator, comment: how files are read. Task parse: `label_column` may be
            that of the heads and, after a comma, that of the relations.
        seed: the same seed gives the same model, on any number of threads.
        threads: 0 for all cores.
        progress: True for a bar, or a function that gets :class:`Progress` and may return False to stop.
        save_to: write the model here when training ends.
        checkpoint_every, resume: write a checkpoint next to `save_to` after so many passes; continue from it.
        memory: bytes that training may take, 64 million or more, for data in files that are larger than memory: what does
            not fit goes to temporary files. The model is the same. With Crf, Memm and Perceptron. 0: no bound.

    >>> import espalier as es
    >>> X = [[{"word": "Anna", "capital": True}, {"word": "slept", "capital": False}]] * 20
    >>> y = [["PER", "O"]] * 20
    >>> tagger = es.train(X, y, learner=es.Crf(l2=0.1))
    >>> tagger.tag([{"word": "Anna", "capital": True}])
    ['PER']
    """
    reading = {"format": format, "label_column": str(label_column), "encoding": encoding, "folds": folds,
               "separator": separator, "comment": comment}
    chosen = learner_of(learner)
    options = _training_options(task, constraints, allow_contradictions, template, lexicons, word_classes, parsers,
                                feature_columns, seed, threads)
    _check_labelled(data, labels, "train(sequences, labels)")
    if dev is not None:
        _check_labelled(dev, None, "dev=(sequences, labels)")
        options["dev"] = native_data(dev, columns=columns, reading={**reading, "folds": dev_folds})
        _check_reading(options["dev"], {"dev_folds": dev_folds})
    elif dev_folds:
        if not folds:
            raise ValueError("dev_folds without dev takes development data from the training files; choose the folds to "
                             "train on with folds")
        options["dev"] = native_data(data, labels, columns=columns, reading={**reading, "folds": dev_folds})
    if start_from is not None:
        options["start_from"] = start_from._native
    if save_to is not None:
        options.update(save_to=os.fspath(save_to), checkpoint_every=checkpoint_every, resume=resume)
    elif checkpoint_every or resume:
        raise ValueError("checkpoints are written next to the model; give save_to")
    if memory:
        if memory < LEAST_MEMORY:
            raise ValueError(f"memory={memory}: {LEAST_MEMORY} bytes are the least")
        options["memory"] = memory
    given: Any
    if holds_attributes(data, labels) and not columns:
        given = data, labels  # converted one at a time
    else:
        given = native_data(data, labels, columns=columns, reading=reading)
    _check_reading(given, reading)
    with reporter(progress) as report:
        model, fields, keyboard = _native.train(given, chosen.name, chosen.pairs(), options, report)
    fields["log"] = [Pass(*entry) for entry in fields["log"]]
    fields["details"] = json.loads(fields["details"])
    if keyboard:
        warnings.warn("training was interrupted; the model is what had been learned until then", TrainingInterrupted,
                      stacklevel=2)
    return Tagger(model, Training(**fields))


def _check_labelled(data: Any, labels: Any, wanted: str) -> None:
    """An error if these are sequences without labels."""
    if labels is not None or isinstance(data, (Corpus, str, os.PathLike)) or (isinstance(data, tuple) and len(data) == 2):
        return
    if isinstance(data, (list, tuple)) and (not data or any(isinstance(item, (str, os.PathLike)) for item in data)):
        return  # files, or nothing at all
    raise _native.Error(f"there are no labels to learn from; give {wanted}")


def _check_reading(given: Any, reading: Dict[str, str]) -> None:
    """An error if options are about files and the data are in memory."""
    if isinstance(given, tuple) and isinstance(given[1], dict):
        return
    for name, value in reading.items():
        if value:
            raise ValueError(f"{name} says how files are read, and these data are in memory")


def _training_options(task: str, constraints: ConstraintsLike, allow_contradictions: bool, template: TemplateLike,
                      lexicons: ListsLike, word_classes: ListsLike, parsers: Sequence[PathLike],
                      feature_columns: Sequence[int], seed: int, threads: int) -> Dict[str, Any]:
    """What train() and cross_validate() have in common."""
    options: Dict[str, Any] = {"task": task, "seed": seed, "threads": threads}
    if constraints is not None:
        options["constraints"] = constraints_of(constraints)
        options["allow_contradictions"] = allow_contradictions
    elif allow_contradictions:
        raise ValueError("allow_contradictions has no effect without constraints")
    if template is not None:
        options["template"] = ("template", template) if isinstance(template, str) else read_named(template)
    options["lexicons"] = texts_of(lexicons, "lexicon")
    options["word_classes"] = texts_of(word_classes, "word classes")
    if parsers:
        options["parsers"] = [path_of(p) for p in parsers]
    if feature_columns:
        options["feature_columns"] = list(feature_columns)
    return options


def evaluate(tagger: Tagger, data: Any, labels: Any = None, *, constraints: ConstraintsLike = None,
             unconstrained: bool = False, strict: bool = False, time_limit: float = 10.0, decoder: str = "auto",
             beam: int = 0, calibration: bool = False, check: ConstraintsLike = None, format: str = "",
             encoding: str = "", folds: str = "", separator: str = "", comment: str = "", threads: int = 0,
             progress: ProgressLike = None) -> Scores:
    """Tags labelled data and scores the labels.

    Args:
        tagger: the model.
        data, labels: as for train().
        constraints: decode under these.
        unconstrained, strict, time_limit, decoder, beam: as for Tagger.tag().
        calibration: also measure how well probabilities match accuracy.
        check: count sequences that obey these rules, without decoding under them.
        format, encoding, folds, separator, comment: how files are read; by default like the training data.
        threads: 0 for all cores.
        progress: as for train().

    >>> import espalier as es
    >>> tagger = es.train([["a", "b"], ["b", "a"]] * 10, [["A", "B"], ["B", "A"]] * 10)
    >>> es.evaluate(tagger, [["a", "b"]], [["A", "B"]]).accuracy
    100.0
    """
    reading = {"format": format, "encoding": encoding, "folds": folds, "separator": separator, "comment": comment}
    columns = [f"column {i + 1}" for i in range(tagger.info.columns - 1)]
    given = native_data(data, labels, columns=columns, reading=reading)
    _check_reading(given, reading)
    decode = decode_options(None, 1, False, constraints, unconstrained, strict, False, time_limit, decoder, beam)
    with reporter(progress) as report:
        return scores_of(_native.evaluate(tagger._native, given, decode, calibration, constraints_of(check), threads,
                                          report))


def evaluate_labels(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> Scores:
    """Scores labels of any origin against the correct ones.

    >>> import espalier as es
    >>> es.evaluate_labels([["B-NP", "I-NP"], ["O"]], [["B-NP", "O"], ["O"]]).f1
    0.0
    """
    return scores_of(_native.evaluate_labels(_checked(gold, "gold"), _checked(predicted, "predicted")))


def _checked(sequences: Sequence[Sequence[str]], what: str) -> List[List[str]]:
    """Lists of labels, all of them str."""
    lists = [list(s) for s in sequences]
    for number, labels in enumerate(lists, 1):
        for place, label in enumerate(labels, 1):
            if not isinstance(label, str):
                raise TypeError(f"sequence {number}: {what} label {place} must be str, not {type(label).__name__}")
    return lists


def cross_validate(data: Any, labels: Any = None, *, folds: int = 0, learner: Union[None, str, Learner] = None,
                   task: str = "label", constraints: ConstraintsLike = None, allow_contradictions: bool = False,
                   template: TemplateLike = None, lexicons: ListsLike = (), word_classes: ListsLike = (),
                   parsers: Sequence[PathLike] = (), columns: Sequence[str] = (), feature_columns: Sequence[int] = (),
                   format: str = "", label_column: Union[str, int] = "", encoding: str = "", separator: str = "",
                   comment: str = "", seed: int = 1, threads: int = 0,
                   progress: ProgressLike = None) -> CrossValidation:
    """Trains on all folds but one and scores on that one, for each fold.

    `folds` is their number; 0: those given in the data, or ten. Other arguments as for train().

    >>> import espalier as es
    >>> cv = es.cross_validate([["a", "b"], ["b", "a"]] * 10, [["A", "B"], ["B", "A"]] * 10, folds=4)
    >>> len(cv.folds), cv.mean("accuracy")
    (4, 100.0)
    """
    reading = {"format": format, "label_column": str(label_column), "encoding": encoding, "separator": separator,
               "comment": comment}
    chosen = learner_of(learner)
    options = _training_options(task, constraints, allow_contradictions, template, lexicons, word_classes, parsers,
                                feature_columns, seed, threads)
    _check_labelled(data, labels, "cross_validate(sequences, labels)")
    given = native_data(data, labels, columns=columns, reading=reading)
    _check_reading(given, reading)
    with reporter(progress) as report:
        fields = _native.cross_validate(given, chosen.name, chosen.pairs(), options, folds, report)
    return CrossValidation([Fold(number, seconds, scores_of(s)) for number, seconds, s in fields["folds"]],
                           scores_of(fields["pooled"]), fields["own_folds"])
