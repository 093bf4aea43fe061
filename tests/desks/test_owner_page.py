"""The owner's page: it follows the raters by itself, settles what they disagree about, pauses and spends."""

import csv
import io

from desks.browsing import Rater, cats_and_dogs, events, opened, until
from ringtrue.study import Study


def watch(page, link):
    """Open the owner's page."""
    page.goto(link)
    page.wait_for_selector("#raters > *")
    return page


def says(page, words, place="main"):
    """Wait until a part of a page holds some words."""
    until(lambda: words in page.locator(place).inner_text())


def put_off(rater):
    """Put the item on the screen off, and leave: as the last one it would come back to the same rater."""
    with rater.page.expect_response("**/api/ask"), rater.page.expect_response("**/api/later"):
        rater.press("s")
    until(lambda: rater.text("title").startswith("Item"))
    rater.page.goto("about:blank")


def test_raters_differ_a_third_is_asked_and_the_owner_decides_with_a_reason(tmp_path, new_page):
    study = cats_and_dogs(tmp_path, size=2, labels="cat,dog,eel")
    with opened(study, "--second", "100%", raters=["ann", "bob", "eve"]) as desk:
        owner = watch(new_page(), desk.owner)
        ann = Rater(new_page(), desk.raters["ann"])
        item = ann.answer("2")
        other = ann.shown
        put_off(ann)
        says(owner, "ann")
        bob = Rater(new_page(), desk.raters["bob"])
        assert bob.shown == item, "what she answered comes first"
        bob.answer("1")
        says(owner, "Waits for a third rater.")
        until(lambda: bob.look(6_000) or other in bob.text("fields"))
        put_off(bob)
        eve = Rater(new_page(), desk.raters["eve"])
        assert eve.shown == item
        eve.answer("3")
        says(owner, "Waits for you.")
        until(lambda: eve.look(6_000) or other in eve.text("fields"))
        put_off(eve)
        card = owner.locator("#conflict-list article")
        said = card.inner_text()
        assert all(word in said for word in (item, "The model said", "ann", "dog", "bob", "cat", "eve", "eel"))
        decide = card.get_by_role("button", name="Decide")
        decide.click()
        says(owner, "Choose an answer.")
        card.get_by_role("radio", name="eel").check()
        decide.click()
        says(owner, "Write a reason")
        assert not events(study, "settled")
        card.get_by_label("Reason").fill("it has no legs")
        decide.click()
        says(owner, f"Decided: item {item} is “eel”.", "body")
        says(owner, "No conflict now.")
        says(owner, "it has no legs", "#settled")
        says(owner, "ann, bob, eve", "#put-off-list")
        late = owner.locator("#put-off-list article")
        assert f"Item {other}" in late.inner_text()
        late.get_by_label("Reason").fill("nobody knows it")
        late.get_by_role("button", name="Give up").click()
        says(owner, f"Given up: item {other}", "body")
        with owner.expect_download() as download:
            owner.get_by_role("link", name="Answers as CSV").click()
        text = download.value.path().read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["rater"], row["label"]) for row in rows if row["item"] == item] == [
        ("ann", "dog"),
        ("bob", "cat"),
        ("eve", "eel"),
    ]
    assert {(row["agreed"], row["reason"]) for row in rows if row["item"] == item} == {("eel", "it has no legs")}
    settled = [event.payload for event in events(study, "settled")]
    assert [(one["value"], one["reason"]) for one in settled] == [("eel", "it has no legs")]
    with Study.open(study) as read:
        assert {record.id: record.state for record in read.records} == {item: "answered", other: "abandoned"}


def test_the_owner_pauses_the_desk_and_changes_the_budget(tmp_path, new_page):
    study = cats_and_dogs(tmp_path, size=20, budget=2)
    with opened(study) as desk:
        owner = watch(new_page(), desk.owner)
        ann = Rater(new_page(), desk.raters["ann"])
        ann.answer("1")
        ann.answer("1")
        assert "The budget is spent" in ann.text("fields")
        says(owner, "2 of 2", "#spent")
        owner.get_by_role("button", name="Pause").click()
        says(owner, "Paused: raters get no new items.", "#state")
        owner.get_by_label("Budget in labels").fill("1")
        owner.get_by_role("button", name="Change budget").click()
        says(owner, "is less than the 2 labels spent", "body")
        owner.get_by_label("Budget in labels").fill("3")
        owner.get_by_role("button", name="Change budget").click()
        says(owner, "The budget is now 3 labels.", "body")
        until(lambda: ann.look(16_000) or "The owner has paused the desk" in ann.text("fields"))
        owner.get_by_role("button", name="Resume").click()
        until(lambda: ann.look(16_000) or ann.text("title").startswith("Item"))
        ann.waited()
        ann.answer("2")
        says(owner, "3 of 3", "#spent")


def test_three_live_views_do_not_hold_the_end(tmp_path, new_context):
    study = cats_and_dogs(tmp_path, size=5)
    context = new_context()
    with opened(study) as desk:
        pages = [watch(context.new_page(), desk.owner) for _ in range(3)]
        assert desk.end() == ("", "")
        assert desk.process.returncode == 0
        for page in pages:
            says(page, "The server does not answer.", "#status")
