"""Items, labels and names that want to run scripts, lead elsewhere or turn the page around: they are shown as text."""

import httpx
import pytest

from desks.browsing import Rater, make_study, opened, until, write_pool

SCRIPT = "</script><script>window.owned=1</script><img src=http://elsewhere.example/x onerror=window.owned=1>"
LINK = "javascript:window.owned=1"
TURNED = "\u202eapproved\u2066"
LONG = "w" * 3_000
NAME = "<img src=x onerror=window.owned=1>"
RACHEL = 'רחל "><script>window.owned=1'

_FOREIGN = """() => [...document.querySelectorAll("*")].flatMap(element => [
  ...[...element.attributes].filter(one => one.name.startsWith("on") || /^\\s*javascript:/i.test(one.value)
    && ["href", "src", "action"].includes(one.name)).map(one => element.outerHTML),
  ...(["SCRIPT", "IFRAME", "OBJECT", "EMBED", "BASE", "STYLE"].includes(element.tagName)
    && !element.matches("head > script[src^='/static/'], script#desk") ? [element.outerHTML] : []),
  ...(element.tagName === "IMG" && !element.matches(".viewer img") ? [element.outerHTML] : []),
])"""
_UNTURNED = """() => {
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const apart = ["isolate", "plaintext", "isolate-override"].includes(getComputedStyle(element).unicodeBidi);
    if (walker.currentNode.data.includes("\\u202e") && element.tagName !== "SCRIPT" && !apart) {
      found.push(element.outerHTML);
    }
  }
  return found;
}"""
_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A desk all of whose words are hostile, on a study with a hostile name."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = [
        {
            "id": f"{SCRIPT}{row}",
            "said": SCRIPT,
            f"{NAME} column": f"{SCRIPT} {row}",
            "link": LINK,
            "turned": TURNED,
            "long": LONG,
            "json": '{"__proto__": {"x": 1}, "<b>": "</script><script>window.owned=1</script>", "c": [[]]}',
            "chat": '[{"role": "<script>window.owned=1</script>", "content": "<img src=x onerror=window.owned=1>"}]',
            "photo": "../../etc/passwd",
        }
        for row in range(12)
    ]
    write_pool(folder / "pool.csv", rows)
    labels = ",".join([SCRIPT, TURNED, LINK, LONG[:200]])
    study = make_study(folder, NAME, "--labels", labels)
    raters = [NAME, RACHEL, "eve"]
    with opened(study, "--show", "photo=image", "--second", "100%", raters=raters) as desk:
        yield desk


def assert_harmless(page):
    """No script of an item ran, and no element came from its words."""
    assert page.evaluate("window.owned ?? null") is None
    assert page.evaluate(_FOREIGN) == []
    assert page.evaluate(_UNTURNED) == [], "a word that turns the text around does so beyond itself"
    assert page.evaluate(_WIDE) == 0


@pytest.fixture
def asked(new_context):
    """A context, and the addresses that its pages ask for."""
    context, found = new_context(), []
    context.on("request", lambda request: found.append(request.url))
    return context, found


def test_hostile_words_are_text_for_raters(hostile, asked):
    context, found = asked
    page = context.new_page()
    rater = Rater(page, hostile.raters[NAME])
    assert SCRIPT in rater.text("fields")
    assert_harmless(page)
    page.keyboard.press("?")
    assert_harmless(page)
    page.keyboard.press("Escape")
    for key in "12":
        rater.answer(key)
    rater.says("Saved")
    rater.press("u")
    rater.says("You answered", "note")
    assert_harmless(page)
    assert found
    assert not [url for url in found if not url.startswith((f"{hostile.url}/", "data:"))]


def test_hostile_words_are_text_for_the_owner(hostile, asked):
    context, found = asked
    for name, key in ((NAME, "1"), (RACHEL, "2"), ("eve", "3")):
        rater = Rater(context.new_page(), hostile.raters[name])
        for _ in range(4):  # the later ones look at what the first answered
            rater.answer(key)
        rater.says("Saved")
        rater.page.close()
    owner = context.new_page()
    owner.goto(hostile.owner)
    form = owner.locator("article.case").first
    form.wait_for()
    assert SCRIPT in form.inner_text()
    assert_harmless(owner)
    card = owner.locator("article.case", has_text="Waits for you").first
    card.get_by_role("radio").first.check()
    card.get_by_label("Reason").fill(SCRIPT + TURNED)
    card.get_by_role("button", name="Decide").click()
    until(lambda: SCRIPT in owner.locator("#settled").inner_text())
    assert_harmless(owner)
    assert not [url for url in found if not url.startswith((f"{hostile.url}/", "data:"))]


def test_a_request_under_another_name_from_another_page_or_of_another_form_is_refused(hostile):
    body, json = b'{"n": 1}', {"Content-Type": "application/json"}
    token = {"Authorization": f"Bearer {hostile.raters['eve'].partition('#t=')[2]}"}
    own = {**json, **token, "Origin": hostile.url}
    with httpx.Client(base_url=hostile.url, trust_env=False) as client:
        for headers, status in (
            (own, 200),
            ({**own, "Host": "elsewhere.example"}, 421),
            ({**own, "Origin": "http://elsewhere.example"}, 403),
            ({**own, "Content-Type": "text/plain"}, 415),
            ({**json, "Origin": hostile.url}, 401),
        ):
            assert client.post("/api/ask", content=body, headers=headers).status_code == status
