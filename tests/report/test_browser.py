"""The page in a real browser: the same with and without scripts, and it asks the network for nothing."""

import html
import http.server
import json
import re
import shutil
import subprocess
import threading
from contextlib import contextmanager

import pytest

from report.pages import Page, assert_harmless
from report.test_hostile import hostile_study
from ringtrue.report import write_report
from support import PATIENCE

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-extensions",
    "--no-first-run", "--hide-scrollbars", "--window-size=1000,1600", "--disable-component-update", "--disable-sync",
    "--disable-features=NetworkTimeServiceQuerying,OptimizationHints,MediaRouter",
]  # fmt: skip

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")


def browse(folder, address, *flags):
    """What the browser prints; each call with a profile of its own.

    To start it takes longer than to show a page, so what is wanted of a page is wanted of one call.
    """
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, address]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout


@contextmanager
def served(pages):
    """Pages by their paths, over HTTP: the address of the server, and the paths that were asked for."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(pages.get(self.path, "").encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of a study whose every word wants to run a script."""
    folder = tmp_path_factory.mktemp("browser")
    word = "</td><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    with hostile_study(folder, word, name="hostile") as study:
        path, _ = write_report(study, folder / "report.html")
    return path


def test_no_script_runs_and_the_words_are_shown_and_printed(page, tmp_path):
    target = tmp_path / "page.pdf"
    dom = browse(tmp_path, page.as_uri(), "--dump-dom", f"--print-to-pdf={target}", "--no-pdf-header-footer")
    assert target.read_bytes().startswith(b"%PDF")
    parsed = assert_harmless(dom)
    assert "<title>hostile</title>" in dom
    assert "</td><img src=x" in parsed.text
    assert [tag for tag, _ in parsed.elements] == [tag for tag, _ in Page(page.read_text()).elements]


_LOOK = """
const STYLES = ["display", "visibility", "opacity", "color", "background-color", "font", "transform", "clip-path"];
function boxes(page, node) {
  const range = page.createRange();
  range.selectNodeContents(node);
  return [...range.getClientRects()].map(box => [box.x, box.y, box.width, box.height]);
}
function look(frame) {
  const page = frame.contentDocument, seen = [page.documentElement.outerHTML];
  for (const element of page.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    seen.push([element.tagName, boxes(page, element), STYLES.map(name => style.getPropertyValue(name))]);
  }
  return JSON.stringify(seen);
}
onload = () => {
  const told = document.createElement("pre");
  told.textContent = JSON.stringify([...document.querySelectorAll("iframe")].map(look));
  document.body.replaceChildren(told);
};
"""


def test_it_looks_the_same_whether_scripts_may_run_or_not(page, tmp_path):
    """Once without any policy and once in a sandbox that runs nothing; a page with a script shows the difference.

    What is compared are the elements, the boxes that they and their words have, and their styles: two pictures of one
    page need not have the same bytes.
    """
    text = page.read_text()
    free = text.replace(re.search("<meta http-equiv[^>]*>", text).group(), "")
    scripted = free.replace("</body>", "<script>document.body.innerHTML = 'ran'</script></body>")
    frames = "".join(
        f'<iframe {sandbox} style="border:0;width:1000px;height:1600px" srcdoc="{html.escape(content)}"></iframe>'
        for content in (free, scripted)
        for sandbox in ("", 'sandbox="allow-same-origin"')
    )
    host = tmp_path / "host.html"
    host.write_text(f"<!doctype html><meta charset=utf-8><body>{frames}<script>{_LOOK}</script></body>", "utf-8")
    shown = browse(tmp_path, host.as_uri(), "--dump-dom")
    told = json.loads(html.unescape(re.search(r"<pre>(.*)</pre>", shown, re.DOTALL).group(1)))
    plain, sandboxed, ran, stopped = map(json.loads, told)
    assert len(plain) > 100
    assert plain == sandboxed
    assert len(ran) < len(plain), "a script that may run is seen to run"
    assert [one for one in stopped[1:] if one[0] != "SCRIPT"] == plain[1:], "in the sandbox it does not"


def test_it_asks_the_network_for_nothing_but_itself(page, tmp_path):
    """Every address in the world is led to the same server, without the page's policy: only the page is asked for.

    The page stands in a frame of one that asks for more, which is found out.
    """
    text = page.read_text()
    free = text.replace(re.search("<meta http-equiv[^>]*>", text).group(), "")
    greedy = free.replace("</body>", "<img src=http://elsewhere.example/pixel><iframe src=/alone.html></iframe></body>")
    with served({"/report.html": greedy, "/alone.html": free}) as (address, asked):
        rules = f"--host-resolver-rules=MAP * {address.split('/')[2]}"
        dom = browse(tmp_path, f"{address}/report.html", "--dump-dom", rules)
    assert "How to check and repeat this" in dom
    assert set(asked) - {"/favicon.ico"} == {"/report.html", "/alone.html", "/pixel"}
