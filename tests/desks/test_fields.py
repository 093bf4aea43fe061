"""Every kind of field in a real browser: texts, tables, JSON, chats, images by array and by file."""

import numpy as np
import pytest

from desks.browsing import Rater, opened, ringtrue, until
from desks.rich import LONG, SHOWN, make_rich
from ringtrue.study import Study


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    """A desk that shows every kind of field but arrays."""
    with opened(make_rich(tmp_path_factory.mktemp("rich")), *SHOWN) as desk:
        yield desk


def test_each_kind_of_field_is_shown_as_what_it_is(rich, new_page):
    page = new_page()
    Rater(page, rich.raters["ann"])
    assert page.locator("section.field", has_text="letter").locator(".text").inner_text() == LONG
    hebrew = page.locator("section.field", has_text="hebrew").locator(".text")
    assert hebrew.evaluate("element => getComputedStyle(element).direction") == "rtl"
    assert page.locator("dl.facts").first.locator("dt").all_inner_texts() == ["id", "amount", "town"]
    assert page.locator("dl.facts").first.locator("dd").all_inner_texts()[1:] == ["12.5", "Bern"]
    form = page.locator("section.field", has_text="form").locator(".json")
    assert form.locator("summary").all_inner_texts()[0] == "2 keys"
    assert "Rossi" in form.inner_text()
    assert page.locator("ol.chat .role").all_inner_texts() == ["user", "assistant"]
    assert page.locator("ol.chat .text").all_inner_texts() == ["May I?", "You may."]
    sides = page.locator(".sides .field")
    assert sides.locator("h3").all_inner_texts() == ["A", "B"], "the names of columns may say whose answer it is"
    boxes = [side.bounding_box() for side in sides.all()]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    until(lambda: page.locator(".viewer img").evaluate("image => image.naturalWidth") == 640)


def test_an_image_is_enlarged_and_moved_by_keys(rich, new_page):
    page = new_page()
    rater = Rater(page, rich.raters["ann"])
    until(lambda: "%" in page.locator(".viewer .size").inner_text())
    size = lambda: int(page.locator(".viewer .size").inner_text().removesuffix(" %"))  # noqa: E731
    fits = size()
    rater.press("+")
    assert size() > fits
    rater.press("-")
    assert size() == fits
    rater.press("0")
    rater.press("z")
    assert size() > 2 * fits
    for _ in range(12):
        rater.press("+")
    assert size() == 1600, "sixteen times at most"
    place = "() => { const box = document.querySelector('.box'); return [box.scrollLeft, box.scrollTop]; }"
    before = page.evaluate(place)
    for key in ("ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    until(lambda: all(now > then for now, then in zip(page.evaluate(place), before, strict=True)))
    rater.press("0")
    assert size() == fits
    assert rater.text("mine") == "0 answered by you", "none of these keys is an answer"


def test_an_array_is_an_image_and_its_labels_keep_their_keys(tmp_path, new_page):
    images = np.random.default_rng(0).integers(0, 255, (12, 8, 8), dtype=np.uint8)
    np.savez(tmp_path / "pool.npz", image=images, said=np.array(["0"] * 12))
    labels = ",".join(map(str, range(10)))
    ringtrue(tmp_path, "init", "digits", "--pool", "pool.npz", "--model", "said", "--labels", labels)
    with opened(tmp_path / "digits.ringtrue") as desk:
        page = new_page()
        rater = Rater(page, desk.raters["ann"])
        until(lambda: page.locator(".viewer img").evaluate("image => image.naturalWidth") == 8)
        fit = page.get_by_role("button", name="Fit")
        assert fit.get_attribute("aria-keyshortcuts") not in (None, "0")
        rater.press("z")
        rater.press(fit.get_attribute("aria-keyshortcuts"))
        assert rater.text("mine") == "0 answered by you"
        rater.answer("0")
        rater.says("Saved")
    with Study.open(tmp_path / "digits.ringtrue") as study:
        assert [str(record.value) for record in study.records if record.state == "answered"] == ["0"]
