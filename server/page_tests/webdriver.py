"""A small WebDriver client: the protocol is JSON over HTTP, so the standard library is enough.

    with Browser() as browser:
        browser.open("http://127.0.0.1:8080/")
        browser.find("#input").type("Anna flew.")
        browser.wait(lambda: browser.find_all(".span"))

Starts Debian's chromedriver and a headless Chromium with a profile of its own, and ends both. Downloads go to
`browser.downloads`. Keys for the keyboard are in Key.
"""

import base64
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Key:
    TAB, ENTER, SHIFT, ESCAPE, SPACE = "\ue004", "\ue007", "\ue008", "\ue00c", " "
    END, HOME, LEFT, UP, RIGHT, DOWN, CONTROL, BACKSPACE = (
        "\ue010", "\ue011", "\ue012", "\ue013", "\ue014", "\ue015", "\ue009", "\ue003")


class WebDriverError(Exception):
    """What the driver or the script in the page complained about."""


class Element:
    def __init__(self, browser, reference):
        self.browser = browser
        self.reference = reference

    def _call(self, method, path, body=None):
        return self.browser._session(method, f"/element/{self.reference}{path}", body)

    def click(self):
        self._call("POST", "/click", {})

    def type(self, text):
        self._call("POST", "/value", {"text": text})

    def clear(self):
        self._call("POST", "/clear", {})

    def attribute(self, name):
        return self._call("GET", f"/attribute/{name}")

    @property
    def text(self):
        """What is in it, hidden or not."""
        return self.browser.run("return arguments[0].textContent", self)

    @property
    def shown(self):
        return self._call("GET", "/displayed")

    @property
    def accessible_name(self):
        return self._call("GET", "/computedlabel")

    @property
    def role(self):
        return self._call("GET", "/computedrole")


class Browser:
    def __init__(self, width=1280, height=900):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="espalier-browser-"))
        self.downloads = self.folder / "downloads"
        self.downloads.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        environment = {**os.environ, "HOME": str(self.folder), "TMPDIR": str(self.folder)}
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env=environment)
        self.id = None
        try:
            self._start(width, height)
        except BaseException:
            self.close()
            raise

    def _start(self, width, height):
        deadline = time.monotonic() + 20
        while True:
            try:
                self._call("GET", "/status")
                break
            except (OSError, WebDriverError):
                if self.driver.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("chromedriver does not start")
                self.connection.close()
                time.sleep(0.05)
        arguments = ["--headless=new", f"--window-size={width},{height}", "--disable-dev-shm-usage", "--disable-gpu",
                     "--no-first-run", "--disable-background-networking", "--disable-component-update",
                     "--force-color-profile=srgb", "--lang=en"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        options = {"args": arguments, "prefs": {"download.default_directory": str(self.downloads),
                                                "profile.default_content_setting_values.automatic_downloads": 1}}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.id = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            if self.id:
                self._session("DELETE", "")
        finally:
            self.id = None
            self.connection.close()
            self.driver.terminate()
            self.driver.wait(timeout=10)
            shutil.rmtree(self.folder, ignore_errors=True)

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        self.connection.request(method, path, data, {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        value = json.load(response)["value"]
        if response.status != 200:
            raise WebDriverError(f"{value['error']}: {value['message']}")
        return value

    def _session(self, method, path, body=None):
        return self._call(method, f"/session/{self.id}{path}", body)

    def open(self, url):
        self._session("POST", "/url", {"url": url})

    def find(self, selector):
        found = self._session("POST", "/element", {"using": "css selector", "value": selector})
        return Element(self, found[ELEMENT])

    def find_all(self, selector):
        found = self._session("POST", "/elements", {"using": "css selector", "value": selector})
        return [Element(self, one[ELEMENT]) for one in found]

    def run(self, script, *arguments):
        """The value that the body of a function returns in the page."""
        packed = [{ELEMENT: a.reference} if isinstance(a, Element) else a for a in arguments]
        return self._session("POST", "/execute/sync", {"script": script, "args": packed})

    def press(self, *keys, holding=None):
        """Presses keys one after the other, wherever the focus is."""
        actions = [{"type": "keyDown", "value": holding}] if holding else []
        for key in keys:
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        if holding:
            actions.append({"type": "keyUp", "value": holding})
        self._session("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def wait(self, condition, seconds=10, what=None):
        """Waits until the condition holds, and returns its value."""
        deadline = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds} s: {what or 'the condition'}")
            time.sleep(0.03)

    def console(self):
        """What the page wrote to the console since the last call, and what the browser blocked."""
        return [entry for entry in self._session("POST", "/se/log", {"type": "browser"})]

    def devtools(self, command, **parameters):
        return self._session("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def screenshot(self, full=False):
        """PNG bytes of the window, or of the whole page."""
        if not full:
            return base64.b64decode(self._session("GET", "/screenshot"))
        answer = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(answer["data"])
