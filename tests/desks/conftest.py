"""A browser for the tests of the desk's pages."""

import shutil

import pytest

from support import PATIENCE

CHROMIUM = shutil.which("chromium")


@pytest.fixture(scope="module")
def chromium():
    """A browser; a module has one, because as long as one is there no other test can run an event loop."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=1000 * PATIENCE
        )
        yield browser
        browser.close()


@pytest.fixture
def new_context(chromium):
    """Make contexts, each like a browser of another person. No page in them may have run into an error."""
    made, wrong = [], []

    def make(**options):
        context = chromium.new_context(viewport={"width": 1200, "height": 800}, **options)
        context.set_default_timeout(1000 * PATIENCE)
        context.on("weberror", lambda error: wrong.append(str(error.error)))
        context.on("console", lambda line: wrong.append(line.text) if "Content Security Policy" in line.text else None)
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()
    assert not wrong


@pytest.fixture
def new_page(new_context):
    """Make pages, each in a browser of another person."""
    return lambda **options: new_context(**options).new_page()
