"""Pictures of the page, and of what `report` and `compare` write, for the documentation.

    python3 server/page_tests/screenshots.py [FOLDER]      default: docs/images

Starts a server with models of the bundled corpus (or uses that of ESPALIER_PAGE) and a headless Chromium. Pictures are reduced
to 256 colours by pngquant and are below 150 KB each; the script fails if one is not.
"""

import os
import pathlib
import subprocess
import sys

from page import Page
from service import BUILD, CORPUS, ROOT, Server, command, train_models
from webdriver import Browser

LIMIT = 150_000
ENGLISH = ("Heavy rain flooded dozens of cellars in the north of Dayton on Friday night. "
           "Paul Rotich of Kenya won the race along the Elbe in Hamburg by a single second. "
           "Helen Ashdown stepped down after an inquiry found that she had accepted gifts from Corvane Construction.")


def quantised(png):
    """The picture with at most 256 colours."""
    return subprocess.run(["pngquant", "--speed", "1", "-"], input=png, stdout=subprocess.PIPE, check=True).stdout


def keep(screenshot, folder, name):
    picture = quantised(screenshot)
    if len(picture) > LIMIT:
        raise SystemExit(f"{name}.png has {len(picture):,} bytes, more than {LIMIT:,}")
    (folder / f"{name}.png").write_bytes(picture)
    print(f"{name}.png: {len(picture):,} bytes")


def photograph_reports(browser, folder):
    """Pages that are files: of two chunkers on the bundled test data, and of learners compared on the training data."""
    models = train_models()
    report, comparison = BUILD / "report.html", BUILD / "compare.html"
    command("report", ROOT / "corpus" / "test.txt", "-m", models / "chunker.model", "-m", models / "chunks.model", "--train", CORPUS,
            "-o", report)
    command("compare", CORPUS, "--label-column", "3", "--feature-columns", "1,2", "--learners", "perceptron,crf,svm,laso-br", "-k", "3",
            "--learning-curve", "-q", "-o", comparison)
    for name, page, section, dark in [("report-errors", report, "errors", False), ("report-confusions", report, "confusions", True),
                                      ("compare", comparison, "advice", False)]:
        browser.devtools("Emulation.setEmulatedMedia",
                         features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        browser.devtools("Emulation.setDeviceMetricsOverride", width=1040, height=820, deviceScaleFactor=1.5, mobile=False)
        browser.open(page.as_uri())
        browser.run("document.getElementById(arguments[0]).scrollIntoView()", section)
        keep(browser.screenshot(), folder, name)


class Studio:
    def __init__(self, browser, address, folder):
        self.browser, self.folder = browser, folder
        self.page = Page(browser, address)

    def fresh(self, width=1240, height=800, dark=False, phone=False):
        """A page of this size, empty."""
        self.page.emulate(dark=dark)
        self.browser.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                              deviceScaleFactor=2 if phone else 1.5, mobile=phone)
        return self.page.open()

    def take(self, name):
        self.page.run("document.activeElement?.matches('textarea') && document.activeElement.blur()")
        self.page.wait(lambda: not self.page.busy(), "an answer")
        keep(self.browser.screenshot(), self.folder, name)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    server = None if "ESPALIER_PAGE" in os.environ else Server()
    try:
        with Browser() as browser:
            photograph(Studio(browser, os.environ.get("ESPALIER_PAGE") or server.address, folder))
            photograph_reports(browser, folder)
    finally:
        if server:
            server.close()


def photograph(studio):
    page = studio.fresh(height=760)
    page.show(ENGLISH)
    studio.take("page-light")

    page = studio.fresh(height=940)
    page.show(ENGLISH)
    page.explain("Corvane")
    studio.take("page-explanation")

    page = studio.fresh(height=760, dark=True)
    page.show(ENGLISH)
    page.find("#layers [value='1']").click()
    page.correct("single", "B-ADJP")
    studio.take("page-dark")

    page = studio.fresh(height=880)
    page.choose_option("#target", "model:names")
    page.show("The Greek government has offered each family 2,000 euros. A wildfire in the hills above Patras forced hundreds "
              "of villagers to flee. Oskar Lindqvist, a security engineer at Tervo Labs, puts it bluntly.")
    page.choose_option("#compare", "pipeline:all")
    page.wait(lambda: page.words(1), "the second model")
    studio.take("page-compare")

    page = studio.fresh(height=700)
    page.find("[data-example=arabic]").click()
    page.wait(lambda: page.count("#sentences li") == 2, "two sentences")
    studio.take("page-right-to-left")

    page = studio.fresh(390, 844, phone=True)
    page.show(ENGLISH)
    page.run("scrollTo(0, 0)")
    page.explain("Hamburg")
    studio.take("page-phone")


if __name__ == "__main__":
    main()
