"""What reaches a rater's browser, byte by byte: nothing of the model, of others, of the claim; and no token stays."""

import json
import re

import pytest

from desks.browsing import Rater, make_study, opened, ringtrue, told, write_pool
from desks.relay import relayed
from ringtrue.desk import default_port
from ringtrue.study import Study

ROWS = 60


def make_blind(folder):
    """A study whose every secret has a name that is found wherever it is. Labels are free, and no rater agrees."""
    rows = [
        {
            "id": f"row-{row}",
            "note": f"note {row}",
            "said": f"zqmodel{row}",
            "score": f"0.73{7_000 + row}",
            "truth": f"zqtruth{row}",
        }
        for row in range(ROWS)
    ]
    write_pool(folder / "pool.csv", rows)
    return make_study(folder, "blind", "--confidence", "score", "--batch", 60)


def label(rater, word, items):
    """Type a label for some items; return what was shown."""
    shown = []
    for _ in range(items):
        rater.page.keyboard.insert_text(f"{word}{len(shown)}")
        shown.append(rater.answer("Enter"))
    rater.says("Saved")
    return shown


def keys_in(found):
    """Every key of what is nested."""
    if isinstance(found, list):
        return {key for one in found for key in keys_in(one)}
    return {*found, *(key for one in found.values() for key in keys_in(one))} if isinstance(found, dict) else set()


def bodies(streams):
    """The JSON objects among the responses of some connections."""
    found = [text for stream in streams for text in re.findall(rb"\r\n\r\n(\{[^\r]*\})(?=HTTP/1.1|$)", stream)]
    return [json.loads(text) for text in found]


KNOWN = {"queries", "id", "fields", "name", "kind", "value", "until", "mine", "empty", "saved", "read", "role"}


def assert_blind(streams, *secrets):
    """Nothing of the model, the truth and the numbers of the finding, nor any of these secrets, is in the bytes.

    Until when an item is lent is left out: such a time may have any digits.
    """
    streams = [re.sub(rb'"until": ?[0-9.]+', b'"until":0', stream) for stream in streams]
    for secret in (b"zqmodel", b"zqtruth", b"0.737", b".737", *secrets):
        assert not [stream for stream in streams if secret in stream]
    told = bodies(streams)
    offers = [part["queries"] for part in told if "queries" in part]
    assert len(offers) >= 25
    assert len([part for part in told if "saved" in part]) == 25
    assert keys_in(told) <= {*KNOWN, "query", "answer"}
    assert {field["name"] for offer in offers for query in offer for field in query["fields"]} == {"id", "note"}


def test_nothing_of_the_model_and_of_other_raters_reaches_a_rater(tmp_path, new_page):
    study = make_blind(tmp_path)
    with relayed() as relay:
        options = ("--public-url", relay.url, "--hide", "truth")
        with Study.open(study) as read:
            relay.to(default_port(read.identity))
        with opened(study, *options, raters=["ann", "bob"], own_port=True) as desk:
            ann = Rater(new_page(), desk.raters["ann"])
            first = label(ann, "annsays", 25)
            ann.page.close()
            to_ann = relay.taken()
            bob = Rater(new_page(), desk.raters["bob"])
            second = label(bob, "bobsays", 25)
            bob.press("Escape")  # out of the field, where a u is a letter
            bob.press("u")
            bob.says("You answered bobsays24.", "note")
            bob.page.close()
            to_bob = relay.taken()
            owner = new_page()
            owner.goto(desk.owner)
            owner.wait_for_selector("#raters table")
            seen = owner.evaluate("fetch('/api/live').then(reply => reply.json())")
            to_owner = b"".join(relay.taken())
    assert set(second) == set(first), "he was asked about the very items that she answered"
    estimate = seen["estimate"]
    numbers = [f"{estimate[name]:.12g}"[:8].encode() for name in ("low", "estimate", "high") if 0 < estimate[name] < 1]
    assert numbers
    assert b"zqmodel" in to_owner, "whoever may see it does: the search finds what is there"
    assert_blind(to_ann, b"bobsays", *numbers)
    assert_blind(to_bob, b"annsays", *numbers)


@pytest.mark.slow
def test_a_token_is_in_no_address_no_file_and_no_word_beside_its_link(tmp_path, new_context):
    study = make_blind(tmp_path)
    context, asked = new_context(), []
    context.on("request", lambda request: asked.append((request.url, request.headers.get("referer", ""))))
    with opened(study) as desk:
        tokens = [link.partition("#t=")[2] for link in (desk.owner, *desk.raters.values())]
        assert [len(token) for token in tokens] == [43, 43]
        ann = Rater(context.new_page(), desk.raters["ann"])
        label(ann, "says", 2)
        owner = context.new_page()
        owner.goto(desk.owner)
        owner.wait_for_selector("#raters table")
        addresses = [owner.url, ann.page.url]
        assert [cookie["httpOnly"] and cookie["sameSite"] for cookie in context.cookies()] == ["Strict", "Strict"]
        kept = ann.page.evaluate("JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie")
        while_open = [path.read_bytes() for path in tmp_path.iterdir()]
        said = desk.end()
    assert len(told(study)) == 2
    ringtrue(tmp_path, "report", "blind")
    files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert len(files) > 3
    for token in tokens:
        assert not [one for one in (*asked, *addresses, kept, *said) if token in str(one)]
        assert not [one for one in (*while_open, *files) if token.encode() in one]
