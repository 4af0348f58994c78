#!/usr/bin/env python3
"""Drives a real server on this machine: every path, every limit, faults, signals.

    python3 server/server_test.py ESPALIER [TEST...]     ESPALIER: the command; espalier-serve is next to it

Needs nothing but Python's standard library. Models are trained on the bundled corpus. Listens on 127.0.0.1 only, on a port that
the system chooses.
"""
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from urllib.parse import quote

from server_process import ESPALIER, FOLDER, GOOD, Server, path, post, read_all, train, train_models


def fits(value, schema):
    """Whether a value is one of a JSON schema; what the service's description uses of the language."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    tests = {"string": isinstance(value, str), "boolean": isinstance(value, bool), "number": is_number, "null": value is None,
             "integer": is_number and value == int(value), "array": isinstance(value, list), "object": isinstance(value, dict)}
    if not any(tests[kind] for kind in kinds) or ("enum" in schema and value not in schema["enum"]):
        return False
    if is_number and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return False
    if isinstance(value, list):
        return len(value) >= schema.get("minItems", 0) and all(fits(item, schema["items"]) for item in value)
    if isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
        return all(fits(item, schema["additionalProperties"]) for item in value.values())
    return True


class Answers(unittest.TestCase):
    """What a server with default limits answers."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--pipeline", "all=tagger,chunker", "--log", path("access.log"))

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0, "SIGTERM must end the server with status 0"

    def test_tags(self):
        status, answer = self.server.tag(model="tagger", tokens=["The", "rain", "stopped"], confidence=True)
        self.assertEqual(status, 200)
        sequence = answer["sequences"][0]
        self.assertEqual(sequence["labels"], ["DET", "NOUN", "VERB"])
        self.assertEqual(len(sequence["confidence"]), 3)

    def test_labels_are_those_of_the_command(self):
        with open(path("words.txt"), "w", encoding="utf-8") as out:
            out.write("Heavy\nrain\nflooded\nthe\ncity\n\n")
        said = subprocess.run([ESPALIER, "tag", path("words.txt"), "--pipeline",
                               path("tagger.model") + "," + path("chunker.model")], check=True, capture_output=True, text=True)
        rows = [line.split() for line in said.stdout.splitlines() if line]
        _, answer = self.server.tag(pipeline="all", tokens=[row[0] for row in rows])
        self.assertEqual(answer["sequences"][0]["stages"],
                         {"tagger": [row[1] for row in rows], "chunker": [row[2] for row in rows]})

    def test_text_keeps_offsets(self):
        text = "Zoë 🙂 slept.\n\nThe  rain stopped."
        _, answer = self.server.tag(pipeline="all", text=text)
        for sequence in answer["sequences"]:
            for token, (begin, end) in zip(sequence["tokens"], sequence["offsets"]):
                self.assertEqual(text[begin:end], token)

    def test_explains(self):
        status, _, body = self.server.request("POST", "/v1/explain", json.dumps({"model": "tagger", "tokens": ["rain"], "top": 3}))
        self.assertEqual(status, 200)
        explanation = json.loads(body)["sequences"][0]["explanations"][0]
        self.assertEqual(len(explanation["features"]), 3)

    def test_decodes(self):
        status, _, body = self.server.request("POST", "/v1/decode", json.dumps(
            {"labels": ["A", "B"], "emissions": [[1, 0], [0, 2]], "transitions": [[0, None], [0, 0]]}))
        self.assertEqual((status, json.loads(body)["sequences"][0]["labels"]), (200, ["B", "B"]))

    def test_paths(self):
        for target, kind in [("/healthz", "text/plain"), ("/readyz", "text/plain"), ("/metrics", "text/plain"),
                             ("/v1/models", "application/json"), ("/v1/models/all", "application/json"),
                             ("/openapi.json", "application/json"), ("/", "text/html")]:
            status, headers, body = self.server.request("GET", target)
            self.assertEqual(status, 200, target)
            self.assertTrue(headers["Content-Type"].startswith(kind), target)
            self.assertTrue(body, target)
            status, headers, nothing = self.server.request("HEAD", target)
            self.assertEqual((status, nothing), (200, b""), target)
            if target != "/metrics":
                self.assertEqual(int(headers["Content-Length"]), len(body), target)
        status, headers, body = self.server.request("GET", "/nothing")
        self.assertEqual((status, headers["Content-Type"]), (404, "application/problem+json"))
        self.assertEqual(json.loads(body)["status"], 404)

    def test_the_description_is_what_is_accepted(self):
        """Every field of the description is accepted where it says so; any other is refused."""
        description = json.loads(self.server.request("GET", "/openapi.json")[2])
        self.assertEqual(description["openapi"], "3.1.0")
        values = {"model": "tagger", "pipeline": "all", "tokens": ["rain"], "rows": [["rain"]], "attributes": [{"a": 1}],
                  "text": "rain", "split": "words", "confidence": True, "marginals": True, "nbest": 2, "constraints": "r: at most 1 of DET\n",
                  "unconstrained": True, "why": False, "forced": [None], "decoder": "auto", "beam": 3, "top": 2,
                  "labels": ["A"], "emissions": [[1]], "transitions": [[0]]}
        every = set()
        paths = description["paths"]
        schemas = {target: paths[target]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
                   for target in ("/v1/tag", "/v1/explain", "/v1/decode")}
        for schema in schemas.values():
            every |= set(schema)
        for target, schema in schemas.items():
            for field in sorted(every):
                value = values.get(field, [])
                _, _, body = self.server.request("POST", target, json.dumps({field: value}))
                refused = f"unknown field '{field}'" in body.decode()
                self.assertEqual(refused, field not in schema, f"{target} {field}")
            items = schema["sequences"]["items"]["properties"]
            for field in sorted(every):
                _, _, body = self.server.request("POST", target, json.dumps({"sequences": [{field: values.get(field, [])}]}))
                self.assertEqual("unknown field" in body.decode(), field not in items, f"{target} sequences {field}")
        for target in ("/v1/tag", "/v1/decode"):
            listed = {parameter["name"] for parameter in paths[target]["post"]["parameters"]}
            for name in sorted(every):
                value = quote(str(values.get(name, "x")).lower())
                _, _, body = self.server.request("POST", f"{target}?{name}={value}", "A B\n1 2\n", {"Content-Type": "text/plain"})
                self.assertEqual(b"unknown parameter" in body, name not in listed, f"{target}?{name}")

    def test_the_description_has_the_types_that_are_accepted(self):
        """A value of another type, or outside its range, is refused by the name of its field; one that fits is not."""
        samples = [True, "x", 1, 0, 1.5, 10**7, None, [], ["a"], [None], [[1]], [[None, 2.5]], [["a"]], [{"a": 1}], [{"a": "b"}], {}]
        paths = json.loads(self.server.request("GET", "/openapi.json")[2])["paths"]
        for target in ("/v1/tag", "/v1/explain", "/v1/decode"):
            schema = paths[target]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
            for field, about in schema.items():
                for value in samples:
                    if field == "sequences" and value != [] and fits(value, {"type": "array", "items": {"type": "object"}}):
                        continue  # the parts are checked by their own fields
                    _, _, body = self.server.request("POST", target, json.dumps({field: value}))
                    problem = json.loads(body).get("detail", "")
                    refused = re.search(f"field '{field}'.*: (expected|the list is empty)", problem)
                    self.assertEqual(bool(refused), not fits(value, about), f"{target} {field} {value}: {problem}")

    def test_the_description_has_the_methods_and_bodies_that_are_accepted(self):
        paths = json.loads(self.server.request("GET", "/openapi.json")[2])["paths"]
        types = ["application/json", "text/plain", "text/x-conllu", "application/x-ndjson", "application/octet-stream", "text/html"]
        for target, operations in paths.items():
            target = target.replace("{name}", "tagger")
            for method in ("GET", "POST", "PUT", "DELETE", "PATCH"):
                status = self.server.request(method, target, "{}" if method == "POST" else None)[0]
                self.assertNotEqual(status, 404, target)
                self.assertEqual(status == 405, method.lower() not in operations, f"{method} {target}")
            bodies = operations.get("post", {}).get("requestBody", {}).get("content")
            for kind in types if bodies else []:
                status = self.server.request("POST", target, "x", {"Content-Type": kind})[0]
                self.assertEqual(status == 415, kind not in bodies, f"{target} {kind}")

    def test_streams_are_answered_as_they_come(self):
        with self.server.connect() as sock:
            sock.sendall(b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
            sock.settimeout(10)
            got = b""
            for answered, line in enumerate((GOOD + b"\n", b"rubbish\n", GOOD + b"\n")):
                sock.sendall(b"%x\r\n" % len(line) + line + b"\r\n")
                while got.count(b"}\n\r\n") < answered + 1:  # before the next line is sent
                    got += sock.recv(65536)
            sock.sendall(b"0\r\n\r\n")
            while not got.endswith(b"\r\n0\r\n\r\n"):
                got += sock.recv(65536)
            self.assertIn(b"application/x-ndjson", got)
            self.assertEqual(got.count(b'"labels":["DET","NOUN","VERB"]'), 2)
            self.assertIn(b'"status":400', got)
            sock.sendall(post(GOOD))  # the connection goes on
            self.assertIn(b"200 OK", sock.recv(65536))

    def test_pipelined_requests_are_answered_in_order(self):
        heavy = json.dumps({"model": "chunker", "rows": [["rain", "NOUN"]], "nbest": 3}).encode()
        out = self.server.raw(post(heavy) + post(GOOD) + b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        self.assertEqual(out.count(b"HTTP/1.1 200 OK"), 3)
        self.assertLess(out.index(b'"chunker"'), out.index(b'"tagger"'))
        self.assertLess(out.index(b'"tagger"'), out.index(b"ok\n"))

    def test_expect_continue(self):
        with self.server.connect() as sock:
            sock.sendall(b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(GOOD))
            self.assertTrue(sock.recv(100).startswith(b"HTTP/1.1 100 Continue"))
            sock.sendall(GOOD)
            self.assertIn(b"200 OK", sock.recv(65536))
            sock.sendall(b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999999999\r\n\r\n")
            self.assertIn(b"413", read_all(sock, 2))

    def test_a_huge_body_is_refused_without_being_held(self):
        before = self.server.memory()
        with self.server.connect() as sock:
            sock.sendall(b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n")
            block = b"x" * 1000000
            sent = 0
            try:
                for _ in range(1000):
                    sock.sendall(block)
                    sent += 1
            except OSError:
                pass
            out = read_all(sock, 6)
        self.assertTrue(out.startswith(b"HTTP/1.1 413"), (out[:100], sent))
        self.assertLess(self.server.memory() - before, 20000, "kilobytes")

    def test_a_bomb_of_chunks_is_refused(self):
        before = self.server.memory()
        with self.server.connect() as sock:
            sock.sendall(b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            piece = b"10000\r\n" + b"x" * 65536 + b"\r\n"
            try:
                for _ in range(2000):
                    sock.sendall(piece)
            except OSError:
                pass
            self.assertTrue(read_all(sock, 6).startswith(b"HTTP/1.1 413"))
        self.assertLess(self.server.memory() - before, 60000, "kilobytes")
        endless = b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"e" * 100000
        self.assertTrue(self.server.raw(endless).startswith(b"HTTP/1.1 400"))

    def test_wrong_requests_get_an_answer_or_a_close(self):
        for data in [b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
                     b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n", b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
                     b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"]:
            self.server.raw(data, shut=True)
        out = self.server.raw(b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 20000 + b"\r\n\r\n")
        self.assertTrue(out.startswith(b"HTTP/1.1 431"), out[:60])
        self.assertEqual(self.server.tag(model="tagger", tokens=["rain"])[0], 200)

    def test_mutated_requests(self):
        """Damaged bytes never end the server, and no descriptor is left open."""
        time.sleep(0.3)
        before = self.server.descriptors()
        rng = random.Random(5)
        forced = {"model": "tagger", "tokens": ["The", "rain"], "forced": [None, "VERB"], "top": 3}
        array = b"\x93NUMPY\x01\0\x3d\0{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), } \n" + b"\0\0\x80\x3f" * 4
        seeds = [post(GOOD), post(json.dumps({"pipeline": "all", "text": "The rain stopped."}).encode()),
                 post(json.dumps(forced).encode(), "/v1/explain"),
                 post(array, "/v1/decode?labels=A,B", b"Content-Type: application/octet-stream\r\n"),
                 post(b"A B\n1 2\n-inf 3\n\n5 0\n", "/v1/decode?nbest=2", b"Content-Type: text/plain\r\n"),
                 post(b"1\train\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "/v1/tag?pipeline=all", b"Content-Type: text/x-conllu\r\n"),
                 b"GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                 b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
                 b"%x\r\n" % (len(GOOD) + 1) + GOOD + b"\n\r\n0\r\n\r\n"]
        for _ in range(int(os.environ.get("ESPALIER_MUTATIONS", "400"))):
            data = bytearray(rng.choice(seeds))
            for _ in range(rng.randint(1, 6)):
                at = rng.randrange(len(data))
                change = rng.randrange(3)
                if change == 0:
                    data[at] = rng.randrange(256)
                elif change == 1:
                    del data[at:at + rng.randint(1, 8)]
                else:
                    data[at:at] = data[rng.randrange(len(data)):][:rng.randint(1, 30)]
                if not data:
                    data = bytearray(b"x")
            with self.server.connect() as sock:
                try:
                    sock.sendall(data)
                    sock.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
                read_all(sock, 5)
        self.assertIsNone(self.server.process.poll())
        self.assertEqual(self.server.tag(model="tagger", tokens=["rain"])[0], 200)
        end = time.time() + 8
        while self.server.descriptors() > before and time.time() < end:
            time.sleep(0.1)
        self.assertLessEqual(self.server.descriptors(), before)

    def test_the_log_has_a_line_per_request(self):
        self.server.request("GET", "/v1/models/not-there")
        time.sleep(0.6)
        with open(path("access.log"), encoding="utf-8") as log:
            lines = [json.loads(line) for line in log]
        found = [line for line in lines if line["path"] == "/v1/models/not-there"]
        self.assertEqual((found[0]["status"], found[0]["method"], found[0]["client"]), (404, "GET", "127.0.0.1"))


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


if __name__ == "__main__":
    try:
        train_models()
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=1)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
