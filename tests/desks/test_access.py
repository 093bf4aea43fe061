"""Every page is fit for everybody: axe finds nothing in light and dark, and no page is wider than a phone."""

import os
from pathlib import Path

import pytest

from desks.browsing import Rater, opened, until
from desks.rich import SHOWN, make_lab, make_rich
from ringtrue.study import Study

ROOT = Path(__file__).parents[2]
AXE = Path(os.environ.get("AXE_CORE", ROOT / ".axe")) / "node_modules" / "axe-core" / "axe.min.js"
INSTALL = "axe-core is not installed: npm install --no-save --prefix .axe axe-core@4.14.0"

_RUN = """tags => axe.run(document, {runOnly: {type: "tag", values: tags}, resultTypes: ["violations"]}).then(
  ({violations}) => violations.map(({id, nodes}) => [id, nodes.map(node => [node.html, node.failureSummary])]))"""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_WIDE = """() => [
  [...document.querySelectorAll("html, #item, #answers")].map(one => one.scrollWidth - one.clientWidth).filter(Boolean),
  [...document.querySelectorAll("main *")].filter(one => one.getBoundingClientRect().right > innerWidth + 1
    && !one.closest(".box, .excerpt, #item, [hidden]")).map(one => one.outerHTML.slice(0, 200))]"""
_SMALL = """() => [...document.querySelectorAll("button, input, summary, a[href]")].filter(one => {
  const box = one.getBoundingClientRect();
  return box.width && (box.width < 24 || box.height < 24) && !one.matches("label input");
}).map(one => one.outerHTML)"""


def violations(page):
    """What axe finds: its rules, and where they are broken."""
    if not AXE.exists():
        pytest.skip(INSTALL)
    page.evaluate(AXE.read_text())
    return page.evaluate(_RUN, TAGS)


def assert_fit(page):
    """Axe finds nothing in light and dark, nothing is cut off from 320 pixels on, and every target can be hit."""
    for width in (320, 768, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(_WIDE) == [[], []], width
        assert page.evaluate(_SMALL) == [], width
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert violations(page) == [], scheme


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    """A desk with fields of every kind, whose raters look at each other's answers."""
    study = make_rich(tmp_path_factory.mktemp("access"))
    with opened(study, *SHOWN, "--second", "100%", raters=["ann", "bob", "eve"]) as desk:
        yield desk


def rater(page, link):
    """Open a rater's page as it is, with a clock that goes."""
    page.goto(link)
    page.wait_for_selector("#item .fields, #fields p")
    return page


def test_the_door(rich, new_page):
    page = new_page()
    page.goto(rich.url)
    page.get_by_text("Open the link that you were given.").wait_for()
    assert_fit(page)
    page.evaluate("document.querySelector('main').append(document.createElement('img'))")
    page.evaluate("document.querySelector('main').style.minWidth = '1700px'")
    assert [rule for rule, _ in violations(page)] == ["image-alt"], "what is wrong is found"
    assert page.evaluate(_WIDE) != [[], []]


def test_the_page_of_a_rater_with_every_kind_of_field(rich, new_page):
    page = rater(new_page(), rich.raters["ann"])
    until(lambda: "%" in page.locator(".viewer .size").inner_text())
    assert_fit(page)
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    assert_fit(page)


def test_keys_can_be_changed_and_switched_off(rich, new_page):
    page = rater(new_page(), rich.raters["ann"])
    page.keyboard.press("?")
    page.locator("#key-list").get_by_role("button", name="Cannot tell").click()
    page.keyboard.press("k")
    page.get_by_text("“Cannot tell” now has the key k.").wait_for()
    page.get_by_label("Use keys").uncheck()
    page.keyboard.press("Escape")
    title = page.locator("#title").inner_text()
    page.wait_for_timeout(300)
    for key in ("1", "k", "x"):
        page.keyboard.press(key)
    assert page.locator("#title").inner_text() == title
    assert page.locator("#do-unsure").get_attribute("aria-keyshortcuts") is None
    page.locator("#do-help").click()
    page.get_by_label("Use keys").check()
    page.keyboard.press("Escape")
    assert page.locator("#do-unsure").get_attribute("aria-keyshortcuts") == "k"


def test_every_control_is_reached_by_tab_and_none_holds_the_focus(rich, new_page):
    page = rater(new_page(), rich.raters["ann"])
    wanted = page.locator("button:visible:enabled, summary:visible").count()
    seen = set()
    for _ in range(3 * wanted + 20):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("[...document.querySelectorAll('button, summary')].indexOf(document.activeElement)"))
    assert len(seen - {-1}) >= wanted


def test_the_page_of_the_owner(rich, new_page):
    owner = new_page()
    owner.goto(rich.owner)
    owner.wait_for_selector("#raters > *")
    assert_fit(owner)
    for name, key in (("ann", "1"), ("bob", "2"), ("eve", "3")):
        page = rater(new_page(), rich.raters[name])
        page.wait_for_timeout(300)  # a press that comes at once is taken for a double one
        page.keyboard.press(key)
        page.get_by_text("Saved", exact=True).wait_for()
        page.goto("about:blank")
    owner.locator("article.case").first.wait_for()
    owner.locator("#figure summary").click()
    owner.evaluate("document.querySelector('#curve svg').setAttribute('width', 2000)")
    assert owner.evaluate(_WIDE) == [[], []], "a drawing that was made for a wider screen"
    assert_fit(owner)
    owner.get_by_role("button", name="Pause").click()
    owner.get_by_role("button", name="Resume").wait_for()  # a page that is quicker than this has an item, and keeps it
    page = rater(new_page(), rich.raters["ann"])
    page.get_by_text("The owner has paused the desk").wait_for()
    assert_fit(page)


def test_the_page_that_asks_for_numbers_shows_back_how_it_reads_them(tmp_path, new_page):
    study = make_lab(tmp_path)
    with opened(study, "--trust") as desk:
        page = new_page()
        rater = Rater(page, desk.raters["ann"])
        field = page.locator("form input").first
        for typed, shown in (("612,5", "612,5 → 612.5"), ("612.75", "612.75 → 612.75")):
            field.fill(typed)
            assert page.locator("form output").first.inner_text() == shown
            before = rater.title
            rater.press("Enter")
            rater.waited(before)
            rater.says(f"Saved as {shown.partition('→ ')[2]}")
        page.locator("form input").first.fill("1.234,5")
        rater.press("Enter")
        assert page.locator("form output").first.inner_text() == "Write one decimal sign and no others."
        page.clock.resume()
        assert_fit(page)
    with Study.open(study) as read:
        assert [record.value for record in read.records if record.state == "answered"] == [612.5, 612.75]
