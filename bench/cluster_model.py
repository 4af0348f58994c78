#!/usr/bin/env python3
"""The table of bench/cluster.sh, a model of the cost fitted to it, and what that predicts for more nodes.

   cluster_model.py --add RESULTS REPORT RELAY NAME DELAY SPEED RANKS     adds a run to the results; RELAY may be -
   cluster_model.py RESULTS                                               prints

Seconds of one pass over n tokens with w weights on R ranks:

   n c / R         what is shared: scores and gradients; c seconds per token
 + n s, or w o     what every rank repeats: updates of the tokens still wrong (learners that step together), or work for each
                   weight (L-BFGS, mixing)
 + k log2(R) l     k exchanges, log2 R steps each, l the latency of a step
 + b / v           b bytes that a rank waits for, v the speed of its network

c and the repeated work are fitted to processor time without waits, which does not suffer from ranks that share processors: the
time of a long run less that of a run of one pass, with one rank and with two. Runs with four ranks are not used for the fit;
they show how good it is. k and b are fitted to how much longer runs take with a delay and with a slow wire.
b is n a (R - 1) / R for learners that step together (a bytes per token), and grows with w (R - 1) / R for the others.
"""
import json
import math
import sys

BY_WEIGHT = ("lbfgs", "mixing")  # learners whose repeated work and bytes grow with the weights, not with the tokens


def add(results, report, relay, name, delay, speed, ranks):
    with open(report, encoding="utf-8") as file:
        run = json.load(file)
    wire = {"bytes_from_a": 0, "bytes_from_b": 0}
    if relay != "-":
        with open(relay, encoding="utf-8") as file:
            wire = json.loads(file.read().splitlines()[-1])
    log, use = run["log"], run["use_of_ranks"]
    passes = len(log)
    line = {
        "name": name, "delay": float(delay), "speed": float(speed), "ranks": int(ranks), "tokens": run["tokens"],
        "weights": run["weights"], "passes": passes, "local": relay == "-",
        "seconds": (log[-1]["seconds"] - run["reading_seconds"]) / passes,
        "worked": sum(one["processor_seconds"] for one in use) / len(use),
        "waited": max(one["waited_seconds"] for one in use),
        "received": max(one["received_bytes"] for one in use),
        "wire": max(wire["bytes_from_a"], wire["bytes_from_b"]),
    }
    with open(results, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def show(results):
    with open(results, encoding="utf-8") as file:
        runs = [json.loads(line) for line in file]
    longest = max(run["passes"] for run in runs)
    print("Runs of %d passes. Seconds are those of training; bytes and waits include reading and numbering.\n" % longest)
    print("%-12s %5s %8s %8s %14s %12s %12s %8s" % ("run", "ranks", "delay ms", "MB/s", "s per pass", "received MB",
                                                    "on the wire", "waited s"))
    for run in runs:
        if run["passes"] == longest and not run["local"]:
            print("%-12s %5d %8g %8g %14.3f %12.2f %12.2f %8.2f" %
                  (run["name"], run["ranks"], run["delay"], run["speed"], run["seconds"], run["received"] / 1e6,
                   run["wire"] / 1e6, run["waited"]))
    print()
    fit(runs, longest)


def pick(runs, name, delay, speed, ranks, passes):
    """The run, or null. Runs on one machine, without a wire, have the speed 0."""
    for run in runs:
        if (run["name"], run["delay"], run["speed"], run["ranks"], run["passes"]) == (name, delay, speed, ranks, passes):
            return run
    return None


def work_of_a_pass(runs, name, ranks, passes):
    """Processor seconds of a rank in one pass, without reading: several passes less one."""
    long, short = pick(runs, name, 0, 0, ranks, passes), pick(runs, name, 0, 0, ranks, 1)
    return (long["worked"] - short["worked"]) / (passes - 1) if long and short else None


def fit(runs, passes):
    for name in ("lbfgs", "adagrad-512", "mixing"):
        two, late = pick(runs, name, 0, 1000, 2, passes), pick(runs, name, 10, 1000, 2, passes)
        slow, nearer = pick(runs, name, 0, 10, 2, passes), pick(runs, name, 1, 1000, 2, passes)
        one_works, two_work, four_work = (work_of_a_pass(runs, name, ranks, passes) for ranks in (1, 2, 4))
        if not (two and late and slow and nearer and one_works and two_work and four_work):
            continue
        n, w = two["tokens"], two["weights"]
        steps = max(0.0, (late["seconds"] - two["seconds"]) / 0.010)  # delays that a pass waits for
        volume = max(0.0, (slow["seconds"] - two["seconds"]) / (1 / 10e6 - 1 / 1000e6))  # bytes that it waits for
        # One rank by itself mixes nothing; L-BFGS and batches have their repeated work there, too.
        repeated = max(0.0, two_work - one_works / 2 if name == "mixing" else 2 * two_work - one_works)
        shared = one_works if name == "mixing" else one_works - repeated
        per = "weight" if name in BY_WEIGHT else "token"
        print("%s: a rank works %.3f, %.3f, %.3f s in a pass, of one, two, four ranks" % (name, one_works, two_work, four_work))
        print("  c = %.2f us per token shared; %.3f us per %s repeated; with four ranks that makes %.3f s (measured %.3f)" %
              (1e6 * shared / n, 1e6 * repeated / (w if name in BY_WEIGHT else n), per, shared / 4 + repeated, four_work))
        print("  a pass waits for %.0f delays and %.1f MB; with 1 ms that makes %.3f s (measured %.3f)" %
              (steps, volume / 1e6, two["seconds"] + 0.001 * steps, nearer["seconds"]))
        predict(name, n, w, shared, repeated, steps, volume)


def predict(name, n, w, shared, repeated, steps, volume):
    """For a corpus of 100 million tokens, one thread per node: shared work grows with the tokens, repeated work and bytes with
    the tokens or the weights."""
    tokens = 100e6 / n
    weights = tokens ** 0.75  # new features become rarer as data grows
    growth = weights if name in BY_WEIGHT else tokens
    exchanges = steps if name in BY_WEIGHT else steps * tokens
    print("  100 million tokens, %.0f million weights: seconds per pass (times as fast as one node; shared, repeated, wire)" %
          (w * weights / 1e6))
    for network, latency, speed in (("1 Gbit/s, 100 us", 100e-6, 125e6), ("25 Gbit/s, 10 us", 10e-6, 3125e6)):
        line = []
        alone = shared * tokens + (0 if name == "mixing" else repeated * growth)
        for ranks in (1, 16, 64, 256):
            if ranks == 1:
                line.append("1: %.1f" % alone)
                continue
            # The volume measured is that of two ranks, half of what infinitely many would receive.
            wire = exchanges * math.log2(ranks) * latency + 2 * volume * growth * (ranks - 1) / ranks / speed
            parts = (shared * tokens / ranks, repeated * growth, wire)
            line.append("%d: %.1f (%.1fx; %.1f, %.1f, %.1f)" % (ranks, sum(parts), alone / sum(parts), *parts))
        print("    %-17s %s" % (network, "; ".join(line)))


if __name__ == "__main__":
    if len(sys.argv) == 9 and sys.argv[1] == "--add":
        add(*sys.argv[2:])
    elif len(sys.argv) == 2:
        show(sys.argv[1])
    else:
        sys.exit(__doc__)
