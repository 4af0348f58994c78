#!/usr/bin/env python3
"""The table of bench/cluster.sh, a model of the cost fitted to it, and what that predicts for more nodes.

   cluster_model.py --add RESULTS REPORT RELAY NAME DELAY SPEED RANKS     adds a run to the results
   cluster_model.py RESULTS                                               prints

Seconds of one pass over n tokens with w weights on R ranks:

   n (c / R + s)   c: what is shared (scores, gradients); s: what every rank repeats (updates of all tokens); seconds per token
 + w o             what every rank does for each weight (penalties, averages, the optimiser)
 + k l             k exchanges with the latency l of a step, log2 R steps each
 + b / v           bytes that a rank receives, over the speed of its network

b is n a (R - 1) / R for learners that step together (a bytes per token), 16 w (R - 1) / R for the exact sum of the gradient, and
32 w (R - 1) / R for mixing.
"""
import json
import math
import sys


def add(results, report, relay, name, delay, speed, ranks):
    with open(report, encoding="utf-8") as file:
        run = json.load(file)
    with open(relay, encoding="utf-8") as file:
        wire = json.loads(file.read().splitlines()[-1])
    log = run["log"]
    passes = len(log)
    use = run.get("use_of_ranks", [])
    line = {
        "name": name, "delay": float(delay), "speed": float(speed), "ranks": int(ranks), "tokens": run["tokens"],
        "weights": run["weights"], "sequences": run["sequences"], "passes": passes,
        "seconds": (log[-1]["seconds"] - run["reading_seconds"]) / passes,
        "waited": max((one["waited_seconds"] for one in use), default=0),
        "received": max((one["received_bytes"] for one in use), default=0),
        "wire": max(wire["bytes_from_a"], wire["bytes_from_b"]),
        "packets": max(wire["packets_from_a"], wire["packets_from_b"]),
    }
    with open(results, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def show(results):
    with open(results, encoding="utf-8") as file:
        runs = [json.loads(line) for line in file]
    print("%-12s %5s %8s %8s %10s %12s %12s %8s" % ("run", "ranks", "delay ms", "MB/s", "s a pass", "received MB",
                                                    "on the wire", "waited s"))
    for run in runs:
        print("%-12s %5d %8g %8g %10.3f %12.2f %12.2f %8.2f" %
              (run["name"], run["ranks"], run["delay"], run["speed"], run["seconds"], run["received"] / 1e6 / run["passes"],
               run["wire"] / 1e6 / run["passes"], run["waited"] / run["passes"]))
    print("\nbytes include reading and numbering, which are done once; seconds are those of training\n")
    fit(runs)


def pick(runs, name, delay, speed, ranks):
    for run in runs:
        if (run["name"], run["delay"], run["speed"], run["ranks"]) == (name, delay, speed, ranks):
            return run
    return None


def fit(runs):
    for name in ("lbfgs", "adagrad-512", "mixing"):
        one, two = pick(runs, name, 0, 1000, 1), pick(runs, name, 0, 1000, 2)
        slow, late = pick(runs, name, 0, 10, 2), pick(runs, name, 10, 1000, 2)
        if not (one and two and slow and late):
            continue
        n, w = one["tokens"], one["weights"]
        steps = (late["seconds"] - two["seconds"]) / 0.010  # delays that a pass waits for
        volume = (slow["seconds"] - two["seconds"]) / (1 / 10e6 - 1 / 1000e6)  # bytes that it waits for
        busy = two["seconds"] - two["waited"] / two["passes"]
        repeated = max(0.0, 2 * busy - one["seconds"]) / n
        shared = one["seconds"] / n - repeated
        print("%s: one rank %.2f us a token; of this shared c = %.2f us, repeated s = %.2f us; a pass waits for %.0f delays and "
              "%.2f MB" % (name, 1e6 * one["seconds"] / n, 1e6 * shared, 1e6 * repeated, steps, volume / 1e6))
        predict(name, n, w, shared, repeated, steps, volume)


def predict(name, n, w, shared, repeated, steps, volume):
    """For a corpus of 100 million tokens: bytes per token, or per weight, are those of the runs."""
    big_n = 100e6
    big_w = w * (big_n / n) ** 0.75  # new features become rarer as data grows
    print("  100 million tokens, %.0f million weights: seconds per pass, and how many times as fast as one node" % (big_w / 1e6))
    for network, latency, speed in (("1 Gbit/s, 100 us", 100e-6, 125e6), ("25 Gbit/s, 10 us", 10e-6, 3125e6)):
        line = []
        alone = big_n * (shared + repeated)
        for ranks in (1, 16, 64, 256):
            part = (ranks - 1) / ranks
            if name == "adagrad-512":
                exchanges, volume_now = steps * big_n / n, 2 * volume / n * big_n * part
            else:
                exchanges, volume_now = steps, 2 * volume / w * big_w * part
            wire = 0 if ranks == 1 else exchanges * math.log2(ranks) * latency + volume_now / speed
            seconds = big_n * (shared / ranks + repeated) + wire
            line.append("%d: %.0f s (%.1fx, %.0f %% on the wire)" % (ranks, seconds, alone / seconds, 100 * wire / seconds))
        print("    %-17s %s" % (network, "; ".join(line)))


if __name__ == "__main__":
    if len(sys.argv) == 9 and sys.argv[1] == "--add":
        add(*sys.argv[2:])
    elif len(sys.argv) == 2:
        show(sys.argv[1])
    else:
        sys.exit(__doc__)
