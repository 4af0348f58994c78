"""Search tasks written in Python."""

import pickle

import pytest

import espalier as es
from espalier import search


class Sort:
    """Sorts numbers by taking one after the other; the features tell how many smaller ones are left."""

    def __init__(self, numbers):
        self.numbers = numbers

    def initial(self):
        return ()

    def is_goal(self, state):
        return len(state) == len(self.numbers)

    def actions(self, state):
        return [i for i in range(len(self.numbers)) if i not in state]

    def apply(self, state, action):
        return state + (action,)

    def features(self, state, candidate):
        left = [self.numbers[i] for i in self.actions(state)]
        return {"smaller": sum(x < self.numbers[candidate] for x in left), "bias": 1}

    def loss(self, state):
        order = [self.numbers[i] for i in state]
        return sum(a != b for a, b in zip(order, sorted(order)))

    def optimal_actions(self, state):
        return [min(self.actions(state), key=lambda i: self.numbers[i])]


EXAMPLES = [Sort([3, 1, 2]), Sort([5, 4, 9, 1]), Sort([2, 7]), Sort([8, 6, 7])] * 3


@pytest.mark.parametrize("learner", ["searn", "laso-br", "laso-bst", es.LasoBr(beam=3), None])
def test_learns_with_every_kind_of_learner(learner):
    policy = search.learn(EXAMPLES, learner=learner)
    got = policy.decode(Sort([9, 2, 5, 3, 7]), beam=2)
    assert got.goal == (1, 3, 2, 4, 0) == tuple(got.actions)
    assert policy.mean_loss([Sort([4, 3, 2, 1])]) == 0


def test_policies_are_saved_pickled_and_explained(tmp_path):
    policy = search.learn(EXAMPLES)
    policy.save(tmp_path / "sort.policy")
    task = Sort([3, 2, 1])
    for same in (search.Policy.open(tmp_path / "sort.policy"), pickle.loads(pickle.dumps(policy))):
        assert same.decode(task).goal == policy.decode(task).goal
    decisions = policy.explain(task)
    assert len(decisions) == 3 and decisions[0].reasons[0].feature == "smaller"
    assert decisions[-1].alone
    assert policy.info["learner"] == "searn"


def broken(**methods):
    made = type("Broken", (Sort,), methods)
    return [made([3, 1, 2])] * 3


@pytest.mark.parametrize("methods, error, text", [
    (dict(actions=lambda self, s: 5), TypeError, r"actions\(\) in state \(\) returned 5; expected a list of actions"),
    (dict(actions=lambda self, s: [-1]), TypeError, r"actions\(\) in state \(\) returned \[-1\]; expected ints"),
    (dict(actions=lambda self, s: ["a"]), TypeError, "expected ints"),
    (dict(features=lambda self, s, c: 5), TypeError, r"features\(\) in state .* returned 5"),
    (dict(features=lambda self, s, c: {"a": "b"}), TypeError, r"features\(\) .* expected a number"),
    (dict(features=lambda self, s, c: {"a": float("nan")}), TypeError, "expected a finite number"),
    (dict(features=lambda self, s, c: [1]), TypeError, "names of features"),
    (dict(is_goal=lambda self, s: None), TypeError, r"is_goal\(\) in state \(\) returned None; expected True or False"),
    (dict(loss=lambda self, s: None), TypeError, r"loss\(\) in state .* returned None; expected a number"),
    (dict(optimal_actions=lambda self, s: []), es.Error, "optimal"),
    (dict(actions=lambda self, s: []), es.Error, ""),
    (dict(is_goal=lambda self, s: False, actions=lambda self, s: [0]), es.Error, ""),
])
def test_a_task_that_misbehaves_is_an_error_that_names_the_method(methods, error, text):
    with pytest.raises(error, match=text):
        search.learn(broken(**methods), most_actions=50)


def test_exceptions_of_a_task_come_out():
    def fail(self, state):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        search.learn(broken(is_goal=fail))
    with pytest.raises(KeyError, match="mine"):
        search.learn(EXAMPLES).decode(broken(is_goal=fail)[0])


def test_missing_methods_are_named():
    class Nothing:
        def initial(self):
            return 0

    with pytest.raises(TypeError, match="Nothing lacks is_goal, actions, apply, features"):
        search.learn([Nothing()])
    with pytest.raises(TypeError, match="examples must be a list of tasks, one per example, not Sort"):
        search.learn(Sort([2, 1]))
    assert search.learn(task for task in EXAMPLES).mean_loss(iter(EXAMPLES)) == 0
    with pytest.raises(ValueError, match="method 'magic'"):
        search.learn(EXAMPLES).decode(Sort([1]), method="magic")


class LossAlone(Sort):
    """A task that says nothing about right actions."""

    optimal_actions = property()  # hasattr() is false

    def apply(self, state, action):
        return [*state, action] if self.numbers[0] == 7 else state + (action,)  # a list cannot be hashed


@pytest.mark.parametrize("learner", ["searn", "laso-br", "laso-bst"])
def test_learns_from_the_loss_alone(learner):
    policy = search.learn([LossAlone([3, 1, 2]), LossAlone([5, 4, 9, 1]), LossAlone([7, 2])] * 5, learner=learner,
                          dev=[LossAlone([2, 1])])
    assert policy.decode(LossAlone([9, 2, 5, 3])).goal == (1, 3, 2, 0)


@pytest.mark.parametrize("returned, wanted", [("x", "a number"), (None, "a number"), (float("nan"), "a finite number")])
def test_a_bad_loss_alone_is_an_error_that_names_it(returned, wanted):
    class Bad(LossAlone):
        def loss(self, state):
            return returned

    with pytest.raises(TypeError, match=rf"^loss\(\) in state .* returned {returned!r}; expected {wanted}$"):
        search.learn([Bad([3, 1, 2])])


def test_the_loss_alone_does_not_do_for_large_tasks(monkeypatch):
    assert search._Exhaustive.MOST_STATES == 100_000
    monkeypatch.setattr(search._Exhaustive, "MOST_STATES", 1_000)
    with pytest.raises(ValueError, match="LossAlone has more than 1,000 states, .* give optimal_actions"):
        search.learn([LossAlone(list(range(20)))])
    monkeypatch.undo()

    class Long(LossAlone):
        def actions(self, state):
            return [len(state)]

    with pytest.raises(ValueError, match="give optimal_actions"):
        search.learn([Long(list(range(5000)))])

    class Stuck(LossAlone):
        def actions(self, state):
            return [] if state else [0]

    with pytest.raises(ValueError, match=r"state .*\(0,\).*actions\(\) gave no action"):
        search.learn([Stuck([1, 2])])
