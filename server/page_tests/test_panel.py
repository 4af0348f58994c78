"""A token explained and corrected."""

import service

SENTENCE = "Small Harbours by Tidewrack Press was worth the wait in Dayton."


def counted(before, after, chosen):
    """How the page counts the labels that changed besides the chosen one."""
    others = sum(a != b for i, (a, b) in enumerate(zip(before, after)) if i != chosen)
    return {0: "no other label", 1: "1 other label"}.get(others, f"{others} other labels")


def test_a_click_shows_reasons(page):
    page.show(SENTENCE)
    page.explain("Dayton")
    assert page.text("#panel h2") == "Dayton"
    assert page.text("#panel .verdict strong") == page.labels()[page.words().index("Dayton")]
    assert "ahead of the runner-up" in page.text("#panel .says")
    rows = page.run("""return [...document.querySelectorAll("#panel .reasons tbody tr")].map(r => [
        r.querySelector("th").textContent, r.querySelector(".bars span").className,
        r.querySelector(".bars span").getBoundingClientRect().width,
        ...[...r.querySelectorAll(".figure")].map(f => Number(f.textContent.replace("−", "-")))])""")
    assert len(rows) > 3
    for feature, side, width, weight, rival in rows:
        assert feature
        assert abs(weight - rival) < 0.011 or (side == "for") == (weight > rival)
    longest = max(rows, key=lambda row: abs(row[3] - row[4]))
    assert longest[2] >= max(row[2] for row in rows) - 1 and longest[2] > 20
    page.find("#panel .close").click()
    assert not page.visible("#panel")


def test_labels_to_choose_from_have_probabilities(page):
    page.show(SENTENCE)
    page.explain("Harbours")
    options = page.run("""return [...document.querySelectorAll("#panel [role=option]")].map(o =>
        [o.dataset.label, Number(o.style.getPropertyValue("--p")), o.getAttribute("aria-selected")])""")
    assert [o[1] for o in options] == sorted((o[1] for o in options), reverse=True)
    assert abs(sum(o[1] for o in options) - 1) < 0.01
    assert [o[0] for o in options if o[2] == "true"] == [page.labels()[page.words().index("Harbours")]]


def test_a_corrected_label_changes_the_rest(page):
    page.show(SENTENCE)
    before = page.labels()
    first, second = page.words().index("Small"), page.words().index("Harbours")
    page.correct("Small", "B-MISC")
    after = page.labels()
    assert after[first] == "B-MISC" and after[second] == "I-MISC" != before[second]
    assert page.text("#said") == f"Labelled again; {counted(before, after, first)} changed."
    assert "corrected" in page.token("Small").attribute("class")
    assert "corrected" in page.token("Small").accessible_name
    assert "corrected" not in page.token("Harbours").attribute("class")
    page.find("#undo").click()
    page.wait(lambda: page.labels() == before, "the labels of the model")
    assert not page.visible("#corrections")


def test_corrections_become_training_data(page, tmp_path):
    page.show(SENTENCE)
    page.correct("Small", "B-MISC")
    assert page.text("#corrections span").startswith("1 correction of entities in 1 sentence")
    words, labels = page.words(), page.labels()
    page.show("Another text in Hamburg.")
    data = page.download("[data-training=entities]", "corrections-entities.txt")
    rows = [line.split("\t") for line in data.strip().split("\n")]
    assert [row[0] for row in rows] == words and [row[-1] for row in rows] == labels
    (tmp_path / "corrections.txt").write_text(data, encoding="utf-8")
    model = service.BUILD / "models" / "entities.model"
    if model.exists():
        service.command("train", tmp_path / "corrections.txt", "-m", tmp_path / "further.model", "--start-from", model)
    page.find("#corrections button:last-of-type").click()
    page.wait(lambda: not page.visible("#corrections"), "corrections to be forgotten")


def test_corrections_come_back_with_their_sentence(page):
    page.show(SENTENCE)
    page.correct("Small", "B-MISC")
    page.show("Another text in Hamburg.")
    assert not page.visible("#panel")
    page.show(f"Rain fell. {SENTENCE}", "Dayton")
    assert ("MISC", "Small Harbours") in page.spans()


def test_a_corrected_tag_changes_what_later_models_say(page):
    page.show("Heavy rain flooded cellars.")
    page.find("#layers [value='1']").click()
    chunks = page.labels()
    page.find("#layers [value='0']").click()
    page.correct("flooded", "ADJ")
    page.find("#layers [value='1']").click()
    page.wait(lambda: page.labels() != chunks, "other chunks")
    assert page.labels()[page.words().index("flooded")] != "B-VP"


def test_both_columns_of_a_joint_model_are_shown_and_corrected_together(page):
    page.choose_option("#target", "model:joint")
    page.show("Heavy rain flooded cellars.")
    page.find("#layers [value='0']").click()
    page.wait(lambda: "VERB" in page.labels(), "tags")
    page.explain_only("flooded")
    assert "Only the last column" in page.text("#panel .part") and "VERB is ahead" in page.text("#panel .says")
    page.find("#layers [value='1']").click()
    page.correct("flooded", "I-NP")
    data = page.download("[data-training=joint]", "corrections-joint.txt")
    chunks = page.labels()
    page.find("#layers [value='0']").click()
    page.wait(lambda: page.labels() != chunks, "tags again")
    rows = [line.split("\t") for line in data.strip().split("\n")]
    assert rows == [list(row) for row in zip(page.words(), page.labels(), chunks)]


def test_other_labellings_can_be_used(page):
    page.show(SENTENCE)
    page.explain("Harbours")
    assert page.count("#panel .alternatives li") > 3
    assert page.text("#panel .alternatives li").endswith("as shown")
    wanted = page.run("return [...document.querySelectorAll('#panel .alternatives li:nth-child(2) .labels bdi')].map(e => e.textContent)")
    before = page.labels()
    page.find("#panel .alternatives li:nth-child(2) button").click()
    page.wait(lambda: page.labels() != before, "the other labelling")
    changed = [b for a, b in zip(before, page.labels()) if a != b]
    assert changed[: len(wanted)] == wanted


def test_the_constraint_that_changed_a_label_is_named(page):
    page.show("Heavy rain flooded cellars in Dayton.")
    page.find("#rules summary").click()
    page.paste("no-places: at most 0 of B-LOC\n", "#constraints")
    page.wait(lambda: "B-LOC" not in page.labels() and not page.busy(), "labels under the constraint")
    assert "changed by a constraint" in page.token("Dayton").accessible_name
    page.explain("Dayton")
    assert page.text("#panel .rule").startswith("Changed from B-LOC to ") and "no-places" in page.text("#panel .rule")
    page.paste("no-places: at most 0 of B-NOWHERE\n", "#constraints")
    page.wait(lambda: page.visible("#error"), "a refusal")
    assert "B-NOWHERE" in page.text("#error")


def test_the_panel_stays_while_other_sentences_change(page):
    page.show("Heavy rain flooded cellars in Dayton.")
    page.explain("Dayton")
    page.run("window.kept = document.querySelector('#panel .chooser')")
    page.show("Rain fell. Heavy rain flooded cellars in Dayton.")
    assert page.run("return window.kept === document.querySelector('#panel .chooser')")
    assert page.run("return document.querySelector('[aria-pressed=true]').textContent") == "Dayton"
