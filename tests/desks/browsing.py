"""A real desk in a process of its own, and browsers that label at it: what the tests of its pages share."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import chdir, closing, contextmanager, redirect_stdout

from ringtrue.cli._main import run
from ringtrue.journal import SqliteJournal
from ringtrue.study import Study
from support import PATIENCE

START = [sys.executable, "-c", "from ringtrue.cli import main; main()"]
BLINK = 300
"""Milliseconds after which a press counts: one that comes sooner is taken for the second half of a double press."""

_LOOK = "() => [document.getElementById('title').textContent, document.querySelector('#fields dd')?.textContent]"


def ringtrue(folder, *arguments):
    """Run a command in a folder; it must go well."""
    command = [*START, *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_pool(path, rows):
    """Write rows, each a mapping from columns to values, as a CSV file."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, rows[0])
        out.writeheader()
        out.writerows(rows)


def cats_and_dogs(folder, *, size=40, budget=None, labels="cat,dog"):
    """Make a study of items whose one field is their id; the model says that all are cats."""
    write_pool(folder / "pool.csv", [{"id": f"row-{row}", "said": "cat"} for row in range(size)])
    options = [] if budget is None else ["--budget", budget]
    return make_study(folder, "pets", "--labels", labels, *options)


def make_study(folder, name, *options):
    """Make a study of the items in `pool.csv`, and return its file."""
    with chdir(folder), redirect_stdout(io.StringIO()):
        assert run(["init", f"{name}.ringtrue", "--pool", "pool.csv", "--model", "said", *map(str, options)]) == 0
    return folder / f"{name}.ringtrue"


class Desk:
    """`ringtrue desk` on a study, in a process of its own, on any port or on the study's own."""

    def __init__(self, study, *options, raters=("ann",), own_port=False):
        self.study = study
        who = [part for rater in raters for part in ("--rater", rater)]
        where = [] if own_port else ["--port", "0"]
        self._command = [*START, "desk", study.name, "--json", *where, *who, *map(str, options)]
        self.start()

    def start(self):
        """Start it, or start it again on its own port, and read the links that it prints."""
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            self._command, cwd=self.study.parent, env=environment, stdout=pipe, stderr=pipe, text=True
        )
        told = json.loads(self.process.stdout.readline() or "{}")
        if "url" not in told:
            raise AssertionError((told, self.process.communicate(timeout=PATIENCE)))
        self.url, self.owner, self.raters = told["url"], told["owner"], told["raters"]

    def kill(self):
        """Kill it without a warning."""
        self.process.kill()
        self.process.communicate(timeout=PATIENCE)

    def end(self):
        """End it by Ctrl-C, and return what it wrote after the links, on either stream."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGINT)
            self.said = self.process.communicate(timeout=PATIENCE)
        return self.said


@contextmanager
def opened(study, *options, **named):
    """A desk that is ended in the end."""
    desk = Desk(study, *options, **named)
    try:
        yield desk
        if desk.process.returncode is None:
            out, complained = desk.end()
            assert (out, "Traceback" in complained) == ("", False), complained
    finally:
        desk.process.kill()
        desk.process.communicate()


def told(study):
    """What the journal has: by item, the rater and the label of its answer. Nothing is there twice."""
    with Study.open(study) as read:
        answered = [record for record in read.records if record.state == "answered"]
        assert len({record.id for record in answered}) == len(answered)
        return {record.id: (record.rater, record.value) for record in answered}


def events(study, *kinds):
    """The events of some kinds, as the journal keeps them."""
    with closing(SqliteJournal(study)) as journal:
        return [event for event in journal.read(study.stem, 0) if event.kind in kinds]


def until(look):
    """Look until there is something to see, and return it."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


class Rater:
    """A rater's page. Its clock stands still, so that no test depends on how fast it runs."""

    def __init__(self, page, link=None):
        self.page = page
        page.clock.install()
        if link is not None:
            page.goto(link)
        page.wait_for_selector("body.rater #do-help")
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
        self.waited()

    def waited(self, before=""):
        """Wait for another item than one with this title, or for the reason why there is none."""
        self.title, self.shown = until(lambda: self._another(before))

    def _another(self, before):
        title, shown = self.page.evaluate(_LOOK)
        return None if title == before or title.startswith("Loading") else (title, shown)

    def text(self, name):
        """The text of an element by its id."""
        return self.page.evaluate("id => document.getElementById(id).textContent", name)

    def says(self, text, name="status"):
        """Wait until an element says this."""
        until(lambda: text in self.text(name))

    def look(self, milliseconds=BLINK):
        """Let time go by."""
        self.page.clock.fast_forward(milliseconds)

    def press(self, key):
        """Look at the item, and press a key."""
        self.look()
        self.page.keyboard.press(key)

    def answer(self, key):
        """Answer the item on the screen by a key, wait for the next, and return the id of the one that was answered.

        The one field of an item is its id.
        """
        shown, before = self.shown, self.title
        self.press(key)
        self.waited(before)
        return shown
