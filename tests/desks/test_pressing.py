"""One press at a time: double presses, two tabs, a page that is loaded again, and what a rater takes back."""

import re

import pytest

from desks.browsing import Rater, cats_and_dogs, events, opened, told, until
from ringtrue.study import Study


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A desk at which each test has a rater of its own."""
    study = cats_and_dogs(tmp_path_factory.mktemp("pressing"), size=60)
    names = ["double", "tabs", "reload", "undo", "unsure"]
    with opened(study, "--second", "0", raters=names) as desk:
        yield desk


def answers_of(desk, rater):
    """What the journal has of one rater, by item."""
    return {item: value for item, (who, value) in told(desk.study).items() if who == rater}


def test_a_double_press_answers_one_item(desk, new_page):
    rater = Rater(new_page(), desk.raters["double"])
    first, before = rater.shown, rater.title
    rater.look()
    rater.page.keyboard.press("1")
    rater.page.keyboard.press("1")
    rater.waited(before)
    second = rater.answer("2")
    rater.page.get_by_role("button", name="cat").dblclick()  # at once: nobody can have read the third item
    rater.says("Saved")
    assert rater.text("mine") == "2 answered by you"
    assert answers_of(desk, "double") == {first: "cat", second: "dog"}


def test_a_key_that_is_held_down_answers_one_item(desk, new_page):
    rater = Rater(new_page(), desk.raters["double"])
    before = len(answers_of(desk, "double"))
    for _ in range(5):
        rater.look()
        rater.page.keyboard.down("1")  # the second and later ones are repeats
    rater.page.keyboard.up("1")
    rater.says("Saved")
    assert len(answers_of(desk, "double")) == before + 1


def test_two_tabs_of_a_rater_share_their_items(desk, new_context):
    context = new_context()
    one = Rater(context.new_page(), desk.raters["tabs"])
    two_page = context.new_page()
    two_page.clock.install()
    two_page.goto(desk.url)
    two = Rater(two_page)
    assert two.shown == one.shown
    before = one.title
    first = one.answer("1")
    two.waited(before)
    assert two.shown == one.shown != first
    before = two.title
    second = two.answer("2")
    one.waited(before)
    two.says("2 answered by you", "mine")
    assert answers_of(desk, "tabs") == {first: "cat", second: "dog"}


def test_a_page_that_is_loaded_again_shows_the_same_item(desk, new_page):
    rater = Rater(new_page(), desk.raters["reload"])
    shown, title = rater.shown, rater.title
    rater.page.reload()
    again = Rater(rater.page)
    assert (again.shown, again.title) == (shown, title)


def test_an_answer_is_taken_back_and_the_journal_keeps_what_it_was(desk, new_page):
    rater = Rater(new_page(), desk.raters["undo"])
    shown = rater.answer("1")
    rater.says("Saved")
    after = rater.title
    rater.press("u")
    rater.says("You answered cat. Choose again, or Esc to keep it.", "note")
    assert rater.page.get_by_role("button", name="cat").get_attribute("aria-pressed") == "true"
    rater.page.keyboard.press("Escape")
    rater.waited("")
    assert (rater.title, rater.page.locator("#note").is_visible()) == (after, False)
    rater.press("u")
    rater.says("You answered cat.", "note")
    rater.press("2")
    until(lambda: answers_of(desk, "undo") == {shown: "dog"})
    rater.waited("")
    assert rater.title == after, "the item that was on the screen before comes back"
    corrected = [event.payload for event in events(desk.study, "corrected") if event.payload["rater"] == "undo"]
    assert [(one["was"], one["value"]) for one in corrected] == [("cat", "dog")]


def test_whoever_cannot_tell_says_so(desk, new_page):
    rater = Rater(new_page(), desk.raters["unsure"])
    shown = rater.answer("x")
    rater.says("Saved")
    with Study.open(desk.study) as study:
        states = {record.id: (record.state, record.rater) for record in study.records}
    assert states[shown] == ("abandoned", "unsure")


def test_later_is_for_another_first_and_an_empty_queue_says_why_and_until_when(tmp_path, new_page):
    study = cats_and_dogs(tmp_path, size=3)
    with opened(study, "--second", "0", raters=["ann", "bob", "eve"]) as desk:
        ann = Rater(new_page(), desk.raters["ann"])
        put_off = ann.answer("s")
        bob = Rater(new_page(), desk.raters["bob"])
        assert bob.shown == put_off
        eve = Rater(new_page(), desk.raters["eve"])
        assert eve.title == "No item for you now"
        said = eve.text("fields")
        assert re.search(r"(2 items are with ann|1 item is with bob) until \d\d:\d\d\.", said), said
        bob.answer("1")
        ann.answer("1")
        ann.answer("1")
        until(lambda: eve.look(6000) or "Every item is answered" in eve.text("fields"))
    assert {item: rater for item, (rater, _) in told(study).items()}[put_off] == "bob"
