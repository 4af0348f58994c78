#!/usr/bin/env python3
"""Drives a real server on this machine: every path, every limit, faults, signals.

    python3 server/server_test.py ESPALIER [TEST...]     ESPALIER: the command; espalier-serve is next to it

Needs nothing but Python's standard library. Models are trained on the bundled corpus. Listens on 127.0.0.1 only, on a port that
the system chooses.
"""
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time
import unittest
from urllib.parse import quote

from server_limits import LimitsAndSignals  # noqa: F401, its tests are run from here
from server_process import ESPALIER, FOLDER, GOOD, Server, path, post, read_all, train_models


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


if __name__ == "__main__":
    try:
        train_models()
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=1)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
