"""Models of the bundled corpus and a server that has them, for the tests of the page and for its screenshots.

ESPALIER names the command (build/release/espalier if it is not set). The server listens on a free port of this machine; what
it says is in build/page/server-1.log.
"""

import itertools
import os
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ESPALIER = pathlib.Path(os.environ.get("ESPALIER", ROOT / "build" / "release" / "espalier"))
BUILD = ROOT / "build" / "page"
CORPUS = ROOT / "corpus" / "train.txt"

# Per model: the column that it learns, the columns that it reads, further options.
MODELS = {
    "tagger": ("2", "1"),
    "chunker": ("3", "1,2"),
    "entities": ("4", "1,2"),
    "names": ("4", "1"),
    "chunks": ("3", "1"),
    "greedy": ("3", "1", "--learner", "searn", "-p", "passes=3"),
    "joint": ("2,3", "1", "--task", "joint", "-p", "passes=3"),
}
NUMBERS = itertools.count(1)
PIPELINE = ("all", ["tagger", "chunker", "entities"])


def command(*arguments):
    """Runs the command; what it prints."""
    done = subprocess.run([ESPALIER, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"espalier {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def train_models():
    """Trains what is missing, or older than the command; the folder of the models."""
    folder = BUILD / "models"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (label, features, *options) in MODELS.items():
        model = folder / f"{name}.model"
        if not model.exists() or model.stat().st_mtime < ESPALIER.stat().st_mtime:
            command("train", CORPUS, "-m", model, "--label-column", label, "--feature-columns", features, *options)
    return folder


class Server:
    """`espalier serve` with all models and the pipeline; `address` is where the page is."""

    def __init__(self, *options):
        models = train_models()
        name, stages = PIPELINE
        self.log = BUILD / f"server-{next(NUMBERS)}.log"
        arguments = [*(models / f"{m}.model" for m in MODELS), "--pipeline", f"{name}={','.join(stages)}", *options]
        with self.log.open("w") as log:
            self.process = subprocess.Popen([ESPALIER, "serve", *map(str, arguments), "--port", "0"], stdout=log,
                                            stderr=subprocess.STDOUT)
        self.address = self._wait_for_address()

    def _wait_for_address(self):
        deadline = time.monotonic() + 20
        while True:
            found = re.search(r"http://127\.0\.0\.1:\d+", self.log.read_text())
            if found:
                return f"{found.group()}/"
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.close()
                raise RuntimeError(f"the server does not start: {self.log.read_text()}")
            time.sleep(0.02)

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(timeout=20)
