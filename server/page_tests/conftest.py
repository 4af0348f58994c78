"""What the tests of the page share: one server, one browser, and a fresh page for each test."""

import os

import pytest

from page import Page
from service import Server
from webdriver import Browser


@pytest.fixture(scope="session")
def address():
    """Where the page is. ESPALIER_PAGE names a server that already runs; otherwise one is started."""
    if "ESPALIER_PAGE" in os.environ:
        yield os.environ["ESPALIER_PAGE"]
        return
    server = Server()
    yield server.address
    assert server.close() == 0


@pytest.fixture(scope="session")
def browser():
    with Browser() as browser:
        yield browser


@pytest.fixture
def page(browser, address):
    """The page, just opened. The test fails if the browser reports an error, such as something that the policy blocks."""
    browser.console()
    page = Page(browser, address)
    page.emulate()
    yield page.open()
    complaints = [entry for entry in browser.console() if entry["level"] in ("SEVERE", "WARNING")]
    # A refused request is reported as an error of the network; tests that expect one look at the page.
    complaints = [c for c in complaints if not (c["source"] == "network" and "/v1/" in c["message"])]
    assert complaints == []
