"""A server in a process of its own, with models trained on the bundled corpus, for server_test.py."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ESPALIER = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "build/release/espalier"
CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "corpus", "train.txt")
FOLDER = tempfile.mkdtemp(prefix="espalier-serve-")


def path(name):
    return os.path.join(FOLDER, name)


def train(name, *arguments):
    subprocess.run([ESPALIER, "train", path("train.txt"), "-m", path(name), "-p", "passes=2", "-q", *arguments], check=True,
                   stdout=subprocess.DEVNULL)


def train_models():
    with open(CORPUS, encoding="utf-8") as corpus, open(path("train.txt"), "w", encoding="utf-8") as part:
        part.writelines(line for line, _ in zip(corpus, range(3000)))
    train("tagger.model", "--label-column", "2", "--feature-columns", "1")
    train("chunker.model", "--label-column", "3", "--feature-columns", "1,2")


class Server:
    """espalier serve in a process of its own."""

    def __init__(self, *arguments, models=("tagger.model", "chunker.model"), port=0):
        self.process = subprocess.Popen(
            [ESPALIER, "serve", *[path(model) for model in models], "--port", str(port), *arguments],
            stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.messages = []
        line = self.process.stderr.readline()
        found = re.search(r"listening on http://127\.0\.0\.1:(\d+)/", line)
        if not found:
            raise AssertionError("the server did not start: " + line + self.process.stderr.read())
        self.port = int(found.group(1))
        self.reader = threading.Thread(target=self._collect, daemon=True)
        self.reader.start()

    def _collect(self):
        for line in self.process.stderr:
            self.messages.append(line)

    def wait_for(self, text, seconds=10):
        end = time.time() + seconds
        while time.time() < end:
            if any(text in line for line in self.messages):
                return
            time.sleep(0.02)
        raise AssertionError(f"no message with '{text}': {self.messages}")

    def request(self, method, target, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, target, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def tag(self, **fields):
        status, _, body = self.request("POST", "/v1/tag", json.dumps(fields))
        return status, json.loads(body)

    def connect(self):
        sock = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        return sock

    def raw(self, data, shut=False):
        """Sends bytes and returns everything that comes back until the server closes or a second is over."""
        with self.connect() as sock:
            try:
                sock.sendall(data)
                if shut:
                    sock.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            return read_all(sock, 1)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))

    def stop(self, sent=signal.SIGTERM):
        self.process.send_signal(sent)
        status = self.process.wait(30)
        self.close()
        return status

    def close(self):
        self.process.wait(30)
        self.reader.join(5)
        self.process.stdout.close()
        self.process.stderr.close()


def read_all(sock, seconds):
    sock.settimeout(seconds)
    out = b""
    try:
        while True:
            piece = sock.recv(65536)
            if not piece:
                return out
            out += piece
    except OSError:
        return out


def post(body, path_of="/v1/tag", extra=b""):
    return b"POST " + path_of.encode() + b" HTTP/1.1\r\nHost: x\r\n" + extra + b"Content-Length: %d\r\n\r\n" % len(body) + body


GOOD = json.dumps({"model": "tagger", "tokens": ["The", "rain", "stopped"]}).encode()
