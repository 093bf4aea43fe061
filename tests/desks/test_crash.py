"""A desk that is killed, a network that is gone, a lease that has run out: no answer is lost, and none counts twice."""

import random
import threading
import time
from contextlib import contextmanager

import pytest

from desks.browsing import Rater, cats_and_dogs, opened, told, until
from ringtrue.desk import bind, new_token, serve_desk, token_hash
from ringtrue.desk._serve import Stopping
from ringtrue.study import Owner, Raters, Study
from support import PATIENCE

LABELS = {"1": "cat", "2": "dog"}


@pytest.mark.slow
def test_a_desk_killed_while_a_key_is_pressed_loses_nothing_and_has_nothing_twice(tmp_path, new_page):
    study = cats_and_dogs(tmp_path, size=60)
    moments, given = random.Random(5), {}
    with opened(study, own_port=True) as desk:
        ann = Rater(new_page(), desk.raters["ann"])
        for kill in range(3):
            for key in "121":
                given[ann.answer(key)] = ("ann", LABELS[key])
            ann.says("Saved")
            acknowledged = dict(given)
            given[ann.shown] = ("ann", "dog")
            ann.press("2")
            time.sleep(0.02 * moments.random())
            desk.kill()
            assert acknowledged.items() <= told(study).items()
            if ann.page.locator(".choice").first.is_enabled():  # an item was there before the desk was gone
                ann.waited()
                given[ann.shown] = ("ann", "cat")
                ann.press("1")
            desk.start()
            until(lambda: ann.look(16_000) or ann.text("status") == "Saved")
            ann.waited()
            assert ann.text("mine") == f"{len(given)} answered by you", kill
            assert ann.page.evaluate("Object.keys(localStorage).filter(key => key.includes('/out/'))") == []
    assert told(study) == given


def test_two_minutes_without_a_network_lose_nothing(tmp_path, new_context):
    study = cats_and_dogs(tmp_path, size=20)
    context = new_context()
    with opened(study) as desk:
        ann = Rater(context.new_page(), desk.raters["ann"])
        context.set_offline(True)
        first = ann.answer("2")  # both items were there before
        second = ann.shown
        ann.press("1")
        ann.says("Not saved yet: 2 answers wait")
        for _ in range(8):
            ann.look(15_000)
        assert ann.text("status").startswith("Not saved yet: 2 answers wait")
        warnings = []
        ann.page.on("dialog", lambda dialog: warnings.append(dialog.type) or dialog.dismiss())
        ann.page.close(run_before_unload=True)
        until(lambda: ann.text("title") and warnings)
        assert warnings == ["beforeunload"]
        context.set_offline(False)
        ann.says("Saved")
        ann.waited()
        assert ann.text("mine") == "2 answered by you"
        ann.page.close(run_before_unload=True)
        assert warnings == ["beforeunload"], "nothing waits: whoever leaves is let go"
    assert told(study) == {first: ("ann", "dog"), second: ("ann", "cat")}


class LaterClock:
    """The time, and how far it was moved on."""

    moved = 0.0

    def __call__(self):
        return time.time() + self.moved


@contextmanager
def served(study, clock, names):
    """A desk in a thread of this process, whose clock can be moved; yields the raters' links."""
    listens, stopping = threading.Event(), Stopping()
    things = {"pool": study.parent / "pool.csv", "model": "said"}
    with Study.open(study, clock=clock, **things) as kept, Study.open(study, **things) as watched, bind() as bound:
        raters, tokens, end = Raters(kept), {name: new_token() for name in names}, time.time() + PATIENCE
        Owner(kept).set_desk(links=[[token_hash(token), "rater", name, end] for name, token in tokens.items()])
        more = {"ready": lambda _: listens.set(), "stopping": stopping}
        thread = threading.Thread(target=serve_desk, args=(raters, watched, bound), kwargs=more)
        thread.start()
        try:
            assert listens.wait(PATIENCE)
            yield {name: bound.place.link("rater", token) for name, token in tokens.items()}
        finally:
            stopping.begin()
            thread.join(PATIENCE)


def test_an_answer_that_comes_after_its_time_is_kept(tmp_path, new_page):
    study, clock = cats_and_dogs(tmp_path, size=20), LaterClock()
    with served(study, clock, ["ann", "bob"]) as links:
        ann = Rater(new_page(), links["ann"])
        clock.moved = 700
        bob = Rater(new_page(), links["bob"])
        assert bob.shown == ann.shown, "her time ran out"
        late = ann.answer("1")
        ann.says("Saved")
        bob.press("2")
        bob.says("Saved")
    with Study.open(study) as read:
        record = next(one for one in read.records if one.id == late)
        assert (record.rater, record.value) == ("ann", "cat")
        assert read.second.votes[record.number] == {"bob": "dog"}, "what he said is kept beside it"
