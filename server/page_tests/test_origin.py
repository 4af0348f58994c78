"""The page asks nobody but its own server, and nothing in it can."""

import urllib.request

from page import Page
from service import Server


def test_the_policy_is_strict(address):
    with urllib.request.urlopen(address) as response:
        policy = response.headers["Content-Security-Policy"]
        body = response.read().decode()
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";") if rule.strip()}
    assert rules["default-src"] == ["'none'"]
    for kind in ("script-src", "style-src", "connect-src"):
        assert rules[kind] == ["'self'"]
    assert "unsafe" not in policy
    assert "<style" not in body and "style=" not in body and "onclick" not in body and "http:" not in body.replace("http-equiv", "")


def test_inline_script_is_blocked(page):
    page.run("""const s = document.createElement("script"); s.textContent = "window.ran = 1"; document.body.append(s)""")
    assert page.run("return window.ran === undefined")
    page.browser.console()  # the browser's complaint about it


def test_no_request_leaves_the_server(page, address):
    page.find("[data-example=english]").click()
    page.wait(lambda: page.spans() and not page.busy(), "labels")
    page.explain("Dayton")
    asked = page.run("return performance.getEntriesByType('resource').map(e => e.name)")
    assert len(asked) > 15
    assert [name for name in asked if not name.startswith(address)] == []
    refused = page.run("return fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')")
    assert refused == "refused"
    assert any("Content Security Policy" in entry["message"] for entry in page.browser.console())


def test_examples_are_labelled_at_once(page):
    page.find("[data-example=arabic]").click()
    page.wait(lambda: page.count("#sentences li") == 2 and not page.busy(), "two sentences")
    assert page.run("return getComputedStyle(document.querySelector('.line')).direction") == "rtl"


def test_a_token_is_asked_for_and_a_lost_server_reported(browser, tmp_path):
    (tmp_path / "token").write_text("open sesame, twice over\n")
    server = Server("--token-file", tmp_path / "token")
    try:
        page = Page(browser, server.address)
        browser.open(server.address)
        page.wait(lambda: page.visible("#access"), "the field for the token")
        assert page.visible("#error")
        page.find("#token").type("wrong")
        page.find("#access button").click()
        page.wait(lambda: page.visible("#error"), "a refusal")
        page.find("#token").clear()
        page.find("#token").type("open sesame, twice over")
        page.find("#access button").click()
        page.wait(lambda: not page.visible("#access") and page.count("#target option"), "the models")
        page.show("Heavy rain fell in Dayton.")
        assert ("LOC", "Dayton") in page.spans()
        server.close()
        page.paste("Nobody listens.")
        page.wait(lambda: page.visible("#error"), "a message")
        assert page.text("#error") == "The server does not answer."
    finally:
        server.close()
        browser.console()  # the refused requests
