"""Limits, tokens, signals and the end of a server, each with a server of its own. server_test.py runs these tests."""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from server_process import ESPALIER, GOOD, Server, path, post, read_all, train


class LimitsAndSignals(unittest.TestCase):
    """Servers of their own, with small limits."""

    def setUp(self):
        self.servers = []

    def tearDown(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.kill()
            server.close()

    def start(self, *arguments, **more):
        self.servers.append(Server(*arguments, **more))
        return self.servers[-1]

    def test_limits(self):
        server = self.start("--max-body", "2000", "--max-header", "512", "--max-tokens", "5", "--max-requests", "2",
                            "--request-time", "1", "--idle-time", "1.5", "--max-connections", "3", models=("tagger.model",))
        self.assertEqual(server.tag(tokens=["a"] * 5)[0], 200)
        self.assertEqual(server.tag(tokens=["a"] * 6)[0], 413)
        self.assertEqual(server.tag(text="a " * 6)[0], 413)
        self.assertEqual(server.tag(tokens=["a" * 3000])[0], 413)
        self.assertTrue(server.raw(b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 600 + b"\r\n\r\n").startswith(b"HTTP/1.1 431"))
        # The second request of a connection is its last.
        with server.connect() as sock:
            sock.sendall(post(GOOD) + post(GOOD) + post(GOOD))
            out = read_all(sock, 2)
            self.assertEqual(out.count(b"HTTP/1.1 200"), 2)
            self.assertEqual(out.count(b"Connection: close"), 1)
        # One byte now and then does not keep a request alive.
        with server.connect() as slow:
            began = time.time()
            slow.settimeout(5)
            out = b""
            slow.sendall(b"POST /v1/tag HT")
            while time.time() - began < 4 and not out:
                try:
                    slow.sendall(b"T")
                    slow.settimeout(0.2)
                    out = slow.recv(1000)
                except socket.timeout:
                    pass
            self.assertTrue(out.startswith(b"HTTP/1.1 408"), out)
            self.assertLess(time.time() - began, 3)
        # Idle connections are closed.
        with server.connect() as idle:
            began = time.time()
            self.assertEqual(read_all(idle, 5), b"")
            self.assertLess(time.time() - began, 3)
        # A fourth connection is told that it is one too many.
        held = [server.connect() for _ in range(3)]
        time.sleep(0.1)
        with server.connect() as fourth:
            fourth.sendall(post(GOOD))
            self.assertTrue(read_all(fourth, 2).startswith(b"HTTP/1.1 503"))
        for sock in held:
            sock.close()
        time.sleep(0.2)
        self.assertEqual(server.tag(tokens=["a"])[0], 200)
        self.assertEqual(server.stop(), 0)

    def test_token_cors_and_reload(self):
        with open(path("token.txt"), "w", encoding="ascii") as out:
            out.write("0123456789abcdef\n")
        server = self.start("--token-file", path("token.txt"), "--cors-origin", "https://example.org", "--allow-reload")
        self.assertEqual(server.request("GET", "/v1/models")[0], 401)
        key = {"Authorization": "Bearer 0123456789abcdef"}
        status, headers, _ = server.request("GET", "/v1/models", headers=key)
        self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (200, "https://example.org"))
        self.assertEqual(server.request("POST", "/v1/models/tagger/reload", headers=key)[0], 200)
        self.assertEqual(server.request("OPTIONS", "/v1/tag")[0], 204)
        # A body is not read for nothing.
        with server.connect() as sock:
            sock.sendall(b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n")
            self.assertTrue(read_all(sock, 2).startswith(b"HTTP/1.1 401"))
        self.assertEqual(server.stop(), 0)

    def test_sighup_reloads_without_dropping_requests(self):
        shutil.copy(path("tagger.model"), path("changing.model"))
        server = self.start("--quiet", models=("changing.model",))
        failures = []
        stop = threading.Event()

        def ask():
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            while not stop.is_set():
                connection.request("POST", "/v1/tag", json.dumps({"tokens": ["The", "rain"]}))
                answer = connection.getresponse()
                body = answer.read()
                if answer.status != 200:
                    failures.append(body)
            connection.close()

        asking = [threading.Thread(target=ask) for _ in range(3)]
        for thread in asking:
            thread.start()
        with open(path("changing.model"), "rb") as model:
            whole = model.read()
        # Cut short in place: the old one stays.
        with open(path("changing.model"), "r+b") as model:
            model.truncate(len(whole) // 2)
        server.process.send_signal(signal.SIGHUP)
        server.wait_for("stays as it is")
        self.assertEqual(server.tag(tokens=["The", "rain"])[1]["sequences"][0]["labels"], ["DET", "NOUN"])
        # Replaced by another one: that is taken.
        train("other.model", "--label-column", "3", "--feature-columns", "1")
        os.replace(path("other.model"), path("changing.model"))
        server.process.send_signal(signal.SIGHUP)
        end = time.time() + 10
        while server.tag(tokens=["The", "rain"])[1]["sequences"][0]["labels"] != ["B-NP", "I-NP"]:
            self.assertLess(time.time(), end)
            time.sleep(0.05)
        stop.set()
        for thread in asking:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(server.stop(), 0)

    def test_sigterm_answers_what_has_begun(self):
        server = self.start(models=("tagger.model",))
        idle = server.connect()
        half = server.connect()
        half.sendall(post(GOOD)[:-10])
        batch = json.dumps({"sequences": [{"tokens": ["The", "rain"] * 50}] * 3000}).encode()
        working = server.connect()
        working.sendall(post(batch))
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        self.assertEqual(read_all(idle, 2), b"")
        half.sendall(post(GOOD)[-10:])
        answer = read_all(half, 10)
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer[:100])
        self.assertIn(b"Connection: close", answer)
        self.assertTrue(read_all(working, 20).startswith(b"HTTP/1.1 200"))
        with self.assertRaises(OSError):
            server.connect()
        for sock in (idle, half, working):
            sock.close()
        self.assertEqual(server.process.wait(20), 0)

    def test_sigint_is_heeded_while_integer_programs_are_solved(self):
        # CBC, which solves them, takes SIGINT for itself.
        labels = ["NOUN", "VERB", "DET", "ADJ", "ADP", "PRON"]
        rules = "".join(f"if {a} then {b}\n" for a in labels for b in labels if a != b)
        request = post(json.dumps({"tokens": ["The", "rain", "falls"] * 20, "constraints": rules, "decoder": "ilp"}).encode())
        for wait in (0.4, 0.6):
            server = self.start("--threads", "2", "--request-time", "2", models=("tagger.model",))
            asking = [server.connect() for _ in range(2)]
            for sock in asking:
                sock.sendall(request)
            time.sleep(wait)
            server.process.send_signal(signal.SIGINT)
            server.wait_for("shutting down", 5)
            self.assertEqual(server.process.wait(60), 0)
            for sock in asking:
                sock.close()

    def test_a_killed_server_is_there_again_at_once(self):
        server = self.start(models=("tagger.model",))
        held = server.connect()
        held.sendall(post(GOOD) + post(GOOD)[:40])
        self.assertIn(b"200 OK", held.recv(65536))
        before = server.tag(tokens=["The", "rain"])
        server.process.kill()
        server.process.wait(10)
        again = self.start(models=("tagger.model",), port=server.port)
        self.assertEqual(again.tag(tokens=["The", "rain"]), before)
        held.close()
        self.assertEqual(again.stop(), 0)

    def test_systemd_is_told(self):
        told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        told.bind(path("notify"))
        told.settimeout(10)
        os.environ["NOTIFY_SOCKET"] = path("notify")
        try:
            server = self.start(models=("tagger.model",))
        finally:
            del os.environ["NOTIFY_SOCKET"]
        self.assertEqual(told.recv(100), b"READY=1")
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(told.recv(100), b"STOPPING=1")
        self.assertEqual(server.process.wait(20), 0)
        told.close()

    def test_what_cannot_be_served_is_said(self):
        def said(*arguments):
            run = subprocess.run([ESPALIER, "serve", *arguments], capture_output=True, text=True, timeout=30)
            return run.returncode, run.stderr

        self.assertEqual(said(path("none.model"))[0], 1)
        self.assertIn("none.model", said(path("none.model"))[1])
        self.assertEqual(said()[0], 2)
        self.assertEqual(said(path("tagger.model"), "--port", "70000")[0], 2)
        status, message = said(path("tagger.model"), "--pipeline", "p=tagger,none")
        self.assertEqual(status, 1)
        self.assertIn("there is no model 'none'", message)
        status, message = said(path("chunker.model"), path("tagger.model"), "--pipeline", "p=tagger,tagger")
        self.assertIn("two models 'tagger'", message)
        server = self.start(models=("tagger.model",))
        status, message = said(path("tagger.model"), "--port", str(server.port))
        self.assertEqual(status, 1)
        self.assertIn("cannot listen on 127.0.0.1", message)
