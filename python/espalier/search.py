"""Search tasks of your own: anything that is built one decision at a time.

A task is a class; an object of it is one example. It has these methods over states of any type (states must not
change once made):

    initial()                  the state before the first action
    is_goal(state)             whether the output is complete
    actions(state)             the legal actions: ints, or pairs (candidate, label) if there are several labels
    apply(state, action)       the state after an action
    features(state, candidate) a dict from name to number, or a list of names
    loss(state)                for learning: the cost of a complete output, 0 for the correct one

and, for learning, one of ``optimal_actions(state)``, ``best_loss(state)`` and ``loss_so_far(state)``. With none of these,
the right actions are found by trying all ways to a complete output, which only small tasks allow. Optional:
``level(state)``, ``describe(state)``, ``action_name(state, action)``.

>>> from espalier import search
>>> class Copy:
...     "Copies bits, one at a time."
...     def __init__(self, bits): self.bits = bits
...     def initial(self): return ()
...     def is_goal(self, state): return len(state) == len(self.bits)
...     def actions(self, state): return [(0, 0), (0, 1)]
...     def apply(self, state, action): return state + (action[1],)
...     def features(self, state, candidate): return [f"bit={self.bits[len(state)]}"]
...     def loss(self, state): return sum(a != b for a, b in zip(state, self.bits))
...     def optimal_actions(self, state): return [(0, self.bits[len(state)])]
>>> policy = search.learn([Copy([0, 1, 1]), Copy([1, 0])] * 5, labels=2)
>>> policy.decode(Copy([1, 1, 0, 1])).goal
(1, 1, 0, 1)
"""

from __future__ import annotations

import math
import numbers
import os
import warnings
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, NamedTuple, NoReturn, Sequence, Tuple, Union

from . import _native
from ._data import PathLike, path_of
from ._learners import Learner, learner_of
from ._progress import ProgressLike, reporter
from ._results import Reason
from ._train import TrainingInterrupted

__all__ = ["Decision", "Path", "Policy", "SearchResult", "learn"]

_REQUIRED = ("initial", "is_goal", "actions", "apply", "features")
#: Any of these tells which actions are right.
_ADVICE = ("optimal_actions", "best_loss", "loss_so_far")
_MOST_ACTIONS = 100_000


class Path(NamedTuple):
    """A complete output of a search.

    >>> path = policy.decode(Copy([1, 0])).paths[0]
    >>> path.actions, path.goal
    ([(0, 1), (0, 0)], (1, 0))
    """

    actions: List[Any]
    score: float
    goal: Any  #: the state after the last action


@dataclass(frozen=True)
class SearchResult:
    """The paths that a search found, best first.

    >>> result = policy.decode(Copy([1, 0]), beam=2, nbest=2)
    >>> len(result.paths), result.goal
    (2, (1, 0))
    """

    paths: List[Path]
    end: str  #: "exact", "approximate" or "out of steps"

    @property
    def actions(self) -> List[Any]:
        """The actions of the best path.

        >>> policy.decode(Copy([1, 0])).actions
        [(0, 1), (0, 0)]
        """
        return self.paths[0].actions

    @property
    def score(self) -> float:
        """Its score.

        >>> result = policy.decode(Copy([1, 0]), beam=2, nbest=2)
        >>> result.score == result.paths[0].score > result.paths[1].score
        True
        """
        return self.paths[0].score

    @property
    def goal(self) -> Any:
        """The state it ends in.

        >>> policy.decode(Copy([1, 0])).goal
        (1, 0)
        """
        return self.paths[0].goal


class Decision(NamedTuple):
    """Why an action was chosen rather than the second best of its state.

    >>> decision = policy.explain(Copy([1, 0]))[1]
    >>> decision.step, decision.action, decision.runner_up, decision.score > decision.runner_up_score
    (1, (0, 0), (0, 1), True)
    """

    step: int
    action: Any
    runner_up: Any
    alone: bool  #: there was no other action
    action_name: str
    runner_up_name: str
    score: float
    runner_up_score: float
    reasons: List[Reason]


def _check(task: Any) -> None:
    missing = [name for name in _REQUIRED if not callable(getattr(task, name, None))]
    if missing:
        raise TypeError(f"the task {type(task).__name__} lacks {', '.join(missing)}")


class _Exhaustive:
    """A task without advice about right actions: the best loss that a state can lead to is found by trying everything."""

    MOST_STATES = 100_000  #: per example

    def __init__(self, task: Any) -> None:
        self._task = task
        self._known: Dict[Any, float] = {}
        self._tried = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._task, name)

    def best_loss(self, state: Any) -> float:
        """The loss of the best complete output that begins with this state."""
        try:
            return self._best(state)
        except RecursionError:
            self._give_up()

    def _best(self, state: Any) -> float:
        try:
            found = self._known.get(state)
        except TypeError:  # not hashable
            found = None
        if found is not None:
            return found
        self._tried += 1
        if self._tried > self.MOST_STATES:
            self._give_up()
        task = self._task
        if task.is_goal(state):
            found = task.loss(state)
            if not isinstance(found, numbers.Real) or not math.isfinite(found):
                wanted = "a finite number" if isinstance(found, numbers.Real) else "a number"
                raise TypeError(f"loss() in state {state!r} returned {found!r}; expected {wanted}")
        else:
            following = [self._best(task.apply(state, action)) for action in task.actions(state)]
            if not following:
                raise ValueError(f"state {state!r}: actions() gave no action, and is_goal() says that the state is no goal")
            found = min(following)
        try:
            self._known[state] = found
        except TypeError:
            pass
        return found

    def _give_up(self) -> NoReturn:
        raise ValueError(f"the task {type(self._task).__name__} has more than {self.MOST_STATES:,} states, too many to try all "
                         "of them for the right actions: give optimal_actions(), best_loss() or loss_so_far()")


def _with_advice(task: Any) -> Any:
    """The task, or one that tries everything where only loss() tells what is right."""
    if not hasattr(task, "loss") or any(hasattr(task, name) for name in _ADVICE):
        return task
    return _Exhaustive(task)


class Policy:
    """What is learned: which action to take in which state. Can be pickled.

    >>> policy
    <Policy: searn from 10 examples, labels: 2>
    """

    def __init__(self, native: _native.Policy) -> None:
        self._native = native
        self._labels = native.info()["labels"]

    @classmethod
    def open(cls, path: PathLike) -> "Policy":
        """Opens a file that save() wrote.

        >>> policy.save("copy.policy")
        >>> search.Policy.open("copy.policy").decode(Copy([0, 1])).goal
        (0, 1)
        """
        return cls(_native.Policy.open(path_of(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Policy":
        """The same from memory.

        >>> search.Policy.from_bytes(policy.to_bytes()).decode(Copy([0, 1])).goal
        (0, 1)
        """
        return cls(_native.Policy.from_bytes(data))

    def save(self, path: PathLike) -> None:
        """Writes a file.

        >>> policy.save("copy.policy")
        """
        self._native.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """The bytes that save() writes.

        >>> type(policy.to_bytes())
        <class 'bytes'>
        """
        return self._native.to_bytes()

    def __reduce__(self) -> Tuple[Any, ...]:
        return Policy.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        info = self._native.info()
        return f"<Policy: {info['learner']} from {info['examples']} examples, labels: {info['labels']}>"

    @property
    def info(self) -> Dict[str, Any]:
        """What the policy stores about itself.

        >>> policy.info["labels"]
        2
        """
        return self._native.info()

    def decode(self, task: Any, *, beam: int = 0, method: str = "learned", nbest: int = 1,
               most_actions: int = _MOST_ACTIONS) -> SearchResult:
        """Finds the output of one example. `beam` 0: as in learning. `method`: learned, beam or best-first.

        >>> found = policy.decode(Copy([1, 0]), beam=3, nbest=2)
        >>> found.goal, found.paths[1].goal != found.goal
        ((1, 0), True)
        """
        _check(task)
        paths, end = self._native.decode(task, self._labels, beam, method, nbest, most_actions)
        return SearchResult([Path(*p) for p in paths], end)

    def explain(self, task: Any, *, beam: int = 0, top: int = 5) -> List[Decision]:
        """Why each action of the best path is chosen, with at most `top` reasons each.

        >>> decision = policy.explain(Copy([1, 0]))[0]
        >>> decision.action, decision.runner_up, decision.reasons[0].feature
        ((0, 1), (0, 0), 'bit=1')
        """
        _check(task)
        found = []
        for fields in self._native.explain(task, self._labels, beam, top):
            decision = Decision(*fields)
            found.append(decision._replace(reasons=[Reason(*r) for r in decision.reasons]))
        return found

    def mean_loss(self, tasks: Sequence[Any], *, beam: int = 0) -> float:
        """The mean loss of the decoded outputs.

        >>> policy.mean_loss([Copy([1, 0, 1]), Copy([0])])
        0.0
        """
        return self._native.mean_loss(_checked(tasks, "tasks"), self._labels, beam)


def _checked(tasks: Any, what: str) -> List[Any]:
    """The tasks as a list; TypeError if they are none."""
    if not isinstance(tasks, Iterable):
        raise TypeError(f"{what} must be a list of tasks, one per example, not {type(tasks).__name__}")
    tasks = list(tasks)
    for task in tasks:
        _check(task)
    return tasks


def learn(examples: Sequence[Any], *, labels: int = 1, learner: Union[None, str, Learner] = None,
          dev: Sequence[Any] = (), seed: int = 1, most_actions: int = _MOST_ACTIONS,
          progress: ProgressLike = None) -> Policy:
    """Learns from examples, one task object each.

    `labels`: how many labels actions have; 1: an action is the number of a candidate. `learner`: searn (the default),
    laso-br, laso-bst, laso or incremental. With `dev`, learning stops when the mean loss on it no longer falls. A path
    of more than `most_actions` is an error. Ctrl-C ends learning with a usable policy.

    >>> from espalier import LasoBr
    >>> policy = search.learn([Copy([0, 1, 1]), Copy([1, 0])] * 5, labels=2, learner=LasoBr(beam=3), dev=[Copy([0, 0])])
    >>> policy.decode(Copy([0, 0, 1])).goal
    (0, 0, 1)
    """
    examples, dev = _checked(examples, "examples"), _checked(dev, "dev")
    chosen = learner_of(learner)
    with reporter(progress) as report:
        policy, keyboard = _native.learn_to_search([_with_advice(task) for task in examples], labels, chosen.name,
                                                   chosen.pairs(), [_with_advice(task) for task in dev], seed,
                                                   most_actions, report)
    if keyboard:
        warnings.warn("learning was interrupted; the policy is what had been learned until then", TrainingInterrupted,
                      stacklevel=2)
    return Policy(policy)
