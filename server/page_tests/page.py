"""The page as a person sees it, on top of a browser: type, choose, read what is shown."""

from webdriver import Key


class Page:
    def __init__(self, browser, address):
        self.browser = browser
        self.address = address

    def open(self):
        self.browser.open(self.address)
        self.wait(lambda: self.browser.find_all("#target option"), "the menu of models")
        return self

    def wait(self, condition, what, seconds=10):
        return self.browser.wait(condition, seconds, what)

    def run(self, script, *arguments):
        return self.browser.run(script, *arguments)

    def find(self, selector):
        return self.browser.find(selector)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def type(self, text):
        """Types into the input, key by key."""
        self.find("#input").type(text)

    def paste(self, text, field="#input"):
        """Puts text into a field at once, as pasting does."""
        self.run("""const field = document.querySelector(arguments[0]); field.focus(); field.select();
                    document.execCommand("insertText", false, arguments[1]);
                    if (field.value !== arguments[1]) {
                      field.value = arguments[1]; field.dispatchEvent(new Event("input", {bubbles: true})); }""",
                 field, text)

    def settle(self):
        """Waits until nothing is being asked or drawn."""
        self.wait(lambda: self.run("return !document.querySelector('#result').hasAttribute('aria-busy')"), "an answer")

    def show(self, text, tokens=None):
        """Pastes text and waits for its words (all of them, unless `tokens` says which)."""
        self.paste(text)
        wanted = tokens or text.split()[-1].rstrip(".")
        self.wait(lambda: wanted in self.words()[-4:] and not self.busy(), f"the labels of {text[:40]!r}")

    def busy(self):
        return self.run("return document.querySelector('#result').hasAttribute('aria-busy')")

    def choose_option(self, menu, value):
        self.run("""const menu = document.querySelector(arguments[0]); menu.value = arguments[1];
                    menu.dispatchEvent(new Event("change", {bubbles: true}))""", menu, value)
        self.settle()

    def words(self, side=0):
        return self.run("return [...document.querySelectorAll(`[data-side='${arguments[0]}'] .token`)].map(e => e.textContent)",
                        side)

    def labels(self, side=0):
        return self.run("return [...document.querySelectorAll(`[data-side='${arguments[0]}'] .token`)].map(e => e.dataset.label)",
                        side)

    def spans(self, side=0):
        """[(type, words)] of the spans on the page."""
        found = self.run("""return [...document.querySelectorAll(`[data-side='${arguments[0]}'] .span`)].map(
            s => [s.dataset.type, [...s.querySelectorAll(".token")].map(t => t.textContent).join(" ")])""", side)
        return [tuple(one) for one in found]

    def token(self, word, side=0):
        """The element of the first token with this text."""
        elements = self.browser.find_all(f"[data-side='{side}'] .token")
        return elements[self.words(side).index(word)]

    def explain(self, word, side=0):
        """Clicks a token and waits for the panel to be complete."""
        self.token(word, side).click()
        self.wait_for_panel()

    def explain_only(self, word):
        """The same where no label can be chosen."""
        self.token(word).click()
        self.wait(lambda: self.count("#panel .says") == 1, "the reasons")

    def wait_for_panel(self):
        self.wait(lambda: self.count("#panel .chooser") == 1 and self.count("#panel .alternatives, #panel .part:last-child .quiet")
                  and self.count("#panel .says, #panel .part:nth-of-type(2) .quiet"), "the panel")

    def correct(self, word, label):
        self.explain(word)
        self.find(f"#panel [data-label='{label}']").click()
        self.wait(lambda: self.labels()[self.words().index(word)] == label and not self.busy(), f"{word} as {label}")
        self.wait_for_panel()

    def visible(self, selector):
        return self.run("const e = document.querySelector(arguments[0]); return !!e && e.checkVisibility()", selector)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def focused(self):
        """What has the focus: [tag or role, id, text]."""
        return self.run("""const e = document.activeElement;
            return [e.getAttribute("role") || e.tagName.toLowerCase(), e.id, e.matches("input, textarea, select") ? e.value : e.textContent]""")

    def tab_to(self, condition, limit=40):
        """Presses Tab until what has the focus meets the condition."""
        for _ in range(limit):
            self.browser.press(Key.TAB)
            if condition(self.focused()):
                return self.focused()
        raise AssertionError("Tab never came there")

    def download(self, button, name):
        """Clicks a download and returns the text of the file."""
        path = self.browser.downloads / name
        path.unlink(missing_ok=True)
        self.find(button).click()
        return self.downloaded(name)

    def downloaded(self, name):
        """The text of a file that the page was told to download.

        The browser first makes an empty file of this name, so as to keep the
        name, writes the text elsewhere and moves it there at the end.
        """
        path = self.browser.downloads / name
        self.wait(lambda: path.exists() and path.stat().st_size > 0, f"the file {name}")
        return path.read_text(encoding="utf-8")

    def emulate(self, dark=False, phone=False):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.devtools("Emulation.setEmulatedMedia", features=[scheme])
        if phone:
            self.browser.devtools("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        else:
            self.browser.devtools("Emulation.clearDeviceMetricsOverride")
