"""A task of one's own in Python: who does which job?

Workers have skills, jobs need them. A matching is built worker by worker; the features of giving a worker a job are which of
the needed skills they have. What the skills are worth is not known to the learner: it sees good matchings only.

    PYTHONPATH=build/python python3 examples/python/matching.py
"""

import itertools
import random

import espalier as es
from espalier import search

SKILLS = ["lift", "drive", "write", "count"]
WORTH = {"lift": 1.0, "drive": 3.0, "write": 2.0, "count": 0.5}  # hidden


class Matching:
    """One example: workers and jobs, each a set of skills. An action is the number of the job for the next worker."""

    def __init__(self, workers, jobs):
        self.workers, self.jobs = workers, jobs
        self.best = max(itertools.permutations(range(len(jobs))), key=self.value)

    def value(self, order):
        return sum(sum(WORTH[s] for s in worker & self.jobs[job]) for worker, job in zip(self.workers, order))

    def initial(self):
        return ()

    def is_goal(self, state):
        return len(state) == len(self.workers)

    def actions(self, state):
        return [job for job in range(len(self.jobs)) if job not in state]

    def apply(self, state, job):
        return state + (job,)

    def features(self, state, job):
        worker = self.workers[len(state)]
        later = set().union(*self.workers[len(state) + 1:])
        found = {f"has {skill}": 1 for skill in worker & self.jobs[job]}
        found.update({f"another could {skill}": 1 for skill in later & self.jobs[job]})
        return found

    def loss(self, state):
        return self.value(self.best) - self.value(state)

    def best_loss(self, state):
        rest = [job for job in range(len(self.jobs)) if job not in state]
        return self.value(self.best) - max(self.value(state + more) for more in itertools.permutations(rest))

    def describe(self, state):
        return f"{len(state)} of {len(self.workers)} workers have a job"


def examples(count, rng):
    """Random ones."""
    def skills():
        return {s for s in SKILLS if rng.random() < 0.5}

    return [Matching([skills() for _ in range(4)], [skills() for _ in range(4)]) for _ in range(count)]


def main():
    rng = random.Random(1)
    train, test = examples(60, rng), examples(40, rng)
    first_come = sum(m.loss((0, 1, 2, 3)) for m in test) / len(test)
    print(f"jobs in their order: mean loss {first_come:.2f}")
    for learner in (es.Searn(beam=3), es.LasoBr(beam=3)):
        policy = search.learn(train, learner=learner)
        print(f"{learner}: mean loss {policy.mean_loss(test, beam=3):.2f}")
    decision = policy.explain(test[0])[0]
    print(f"first worker gets job {decision.action}, rather than {decision.runner_up}:")
    for reason in decision.reasons[:3]:
        print(f"  {reason.feature}: {reason.weight:+.2f} against {reason.runner_up_weight:+.2f}")


if __name__ == "__main__":
    main()
