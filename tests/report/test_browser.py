"""The page in a real browser: the same with and without scripts, and it asks the network for nothing."""

import http.server
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
def served(text, headers):
    """The page over HTTP: its address, and the paths that were asked for."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/report.html", asked
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


def test_it_looks_the_same_whether_scripts_may_run_or_not(page, tmp_path):
    """Once without any policy and once in a sandbox that runs nothing; a page with a script shows the difference."""
    text = page.read_text()
    policy = re.search("<meta http-equiv[^>]*>", text).group()
    free = text.replace(policy, "")
    scripted = free.replace("</body>", "<script>document.body.innerHTML = 'ran'</script></body>")
    pictures = {}
    for name, content in (("free", free), ("scripted", scripted)):
        for sandbox in (False, True):
            headers = {"Content-Security-Policy": "sandbox"} if sandbox else {}
            target = tmp_path / f"{name}-{sandbox}.png"
            with served(content, headers) as (address, _):
                browse(tmp_path, address, f"--screenshot={target}")
            pictures[name, sandbox] = target.read_bytes()
    assert pictures["free", False] == pictures["free", True]
    assert pictures["scripted", False] != pictures["free", False], "a script that may run is seen to run"
    assert pictures["scripted", True] == pictures["free", True], "in the sandbox it does not"


def test_it_asks_the_network_for_nothing_but_itself(page, tmp_path):
    """Every address in the world is led to the same server, without the page's policy: only the page is asked for."""
    text = page.read_text()
    free = text.replace(re.search("<meta http-equiv[^>]*>", text).group(), "")
    greedy = free.replace("</body>", "<img src=http://elsewhere.example/pixel></body>")
    with served(free, {}) as (address, asked):
        rules = f"--host-resolver-rules=MAP * {address.split('/')[2]}"
        dom = browse(tmp_path, address, "--dump-dom", rules)
    assert "How to check and repeat this" in dom
    assert set(asked) - {"/favicon.ico"} == {"/report.html"}
    with served(greedy, {}) as (address, asked):
        rules = f"--host-resolver-rules=MAP * {address.split('/')[2]}"
        browse(tmp_path, address, "--dump-dom", rules)
    assert "/pixel" in asked, "a page that asks for more is found out"
