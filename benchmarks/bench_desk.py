"""How fast a desk answers its raters: in a real browser and over HTTP, in pools of a hundred to a million rows.

Prints times, which say as much about the machine, and ratios, and exits 1 when one of those with a bound breaks it:
  press to paint    from a key press until the next item is painted, the largest pool over the smallest; at most 1.5.
                    The page has the next item already, so that nothing is waited for
  press to saved    until the answer is on the disk, the largest pool over the smallest; at most 1.5
  ask, tell         the same of the two requests of a page, sent without a browser; at most 1.5 each
  first item        from starting the desk to the first item, once each, the largest pool over the smallest; at most 2
  raters at once    answers a second of eight raters over those of one; at least 0.9
Beside them, without a bound, answers a second over bare commits a second on the same disk. To lease an item and to
answer it are a commit each, so that half of the bare commits is the most that raters could reach.

The largest pool is read from its file row by row, the others are in memory. Turns alternate between all sides, so that
a noisy machine disturbs them alike; ratios of times are those of medians. The browser is Debian's chromium.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import duckdb
import httpx
import numpy as np

from bench_durable_answers import bare_commits

SIZES = (100, 10_000, 1_000_000)
CLAIM = "error <= 0.01% at 95%"  # so strict that a few hundred answers, none of which is a failure, leave it open
PAUSE = 0.4  # seconds between two presses: a page ignores keys for a quarter of a second after a new item
CLEAR, TURNS = 5, 5  # presses and requests that are not counted, since they warm up; turns of the raters at once

MEASURE = """() => {
  const at = (name) => document.getElementById(name);
  const before = at("title").textContent;
  window.measured = new Promise((done, failed) => {
    const found = {};
    setTimeout(() => failed(new Error(`no next item after a minute: ${at("title").textContent}`)), 60000);
    let pressed, shown = false;
    addEventListener("keydown", (event) => { pressed = event.timeStamp; }, { capture: true, once: true });
    const note = (name) => {
      found[name] ??= performance.now() - pressed;
      if ("painted" in found && "saved" in found) {
        watcher.disconnect();
        done(found);
      }
    };
    const watcher = new MutationObserver(() => {
      const title = at("title").textContent;
      if (!shown && title !== before && title.startsWith("Item")) {
        shown = true;
        requestAnimationFrame(() => setTimeout(() => note("painted")));
      }
      if (at("status").textContent.startsWith("Saved")) {
        note("saved");
      }
    });
    for (const name of ["title", "status"]) {
      watcher.observe(at(name), { childList: true, characterData: true, subtree: true });
    }
  });
}"""

START = [sys.executable, "-c", "from ringtrue.cli import main; main()"]
Times: TypeAlias = dict[str, list[float]]
Side = TypeVar("Side")


class Desk:
    """`ringtrue desk` on a pool of its own, in a process of its own."""

    def __init__(self, folder: Path, size: int, raters: Sequence[str]) -> None:
        folder.mkdir()
        words = "'a complaint about delivery, number ' || i || ', of ' || md5(i::VARCHAR) || ' and ' || md5('x' || i)"
        rows = f"SELECT {words} AS text, i % 7 AS topic, 'y' AS said FROM range({size}) AS rows (i)"
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({rows}) TO '{folder / 'pool.parquet'}' (FORMAT parquet)")
        made = ["init", "study", "--pool", "pool.parquet", "--model", "said", "--labels", "y,n", "--claim", CLAIM]
        subprocess.run([*START, *made], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        began = time.perf_counter()
        who = [part for rater in raters for part in ("--rater", rater)]
        command = [*START, "desk", "study", "--json", "--port", "0", *who]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE)
        told = json.loads(self.process.stdout.readline()) if self.process.stdout is not None else {}
        self.size, self.links, self._url = size, told["raters"], told["url"]
        with self.client(raters[0]) as client:
            ask(client)
        self.first_item = time.perf_counter() - began

    def client(self, rater: str) -> httpx.Client:
        """Return what sends requests as a rater."""
        token = {"Authorization": "Bearer " + self.links[rater].partition("#t=")[2]}
        return httpx.Client(base_url=self._url, headers=token, timeout=60, trust_env=False)


@contextmanager
def opened(folder: Path, size: int, raters: Sequence[str]) -> Iterator[Desk]:
    desk = Desk(folder, size, raters)
    try:
        yield desk
    finally:
        desk.process.terminate()
        desk.process.communicate()


def ask(client: httpx.Client, n: int = 1) -> str:
    """Take items as a page does, and return the first."""
    found: str = client.post("/api/ask", json={"n": n}).raise_for_status().json()["queries"][0]["id"]
    return found


def tell(client: httpx.Client, query: str) -> None:
    client.post("/api/tell", json={"query": query, "answer": "y", "seconds": 1}).raise_for_status()


@contextmanager
def browser_pages(n: int) -> Iterator[list[Any]]:
    """Open pages in one browser; none where there is no browser."""
    path = shutil.which("chromium")
    if path is None:
        print("presses are not measured: chromium is not installed")
        yield []
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield [browser.new_page() for _ in range(n)]
        browser.close()


def pressed(page: Any) -> dict[str, float]:
    """Press a key, and return the milliseconds until the next item was painted, and until the answer was saved."""
    page.evaluate(MEASURE)
    page.keyboard.press("y")
    found: dict[str, float] = page.evaluate("() => window.measured")
    return found


def requested(client: httpx.Client) -> dict[str, float]:
    """Ask as a page does, for the item on its screen and the next, and answer one; return the milliseconds of each."""
    start = time.perf_counter()
    query = ask(client, 2)
    asked = time.perf_counter()
    tell(client, query)
    return {"ask": 1e3 * (asked - start), "tell": 1e3 * (time.perf_counter() - asked)}


def rotated(sides: list[Side], turn: int) -> list[Side]:
    """Return the sides in another order each turn: the first of them is the least disturbed by the others."""
    place = turn % len(sides)
    return sides[place:] + sides[:place]


def measure_pages(desks: Sequence[Desk], presses: int, requests: int) -> dict[int, Times]:
    """Return, by the size of the pool, the milliseconds of presses in one browser, and of requests without any."""
    times: dict[int, Times] = {desk.size: {} for desk in desks}

    def note(desk: Desk, found: dict[str, float], turn: int) -> None:
        for name, value in found.items() if turn >= CLEAR else ():
            times[desk.size].setdefault(name, []).append(value)

    with browser_pages(len(desks)) as pages:
        sides = list(zip(pages, desks, strict=False))
        for page, desk in sides:
            page.goto(desk.links["ann"])
            page.wait_for_selector("#fields .fields")
        for turn in range(presses + CLEAR if sides else 0):
            time.sleep(PAUSE)
            for page, desk in rotated(sides, turn):
                note(desk, pressed(page), turn)
    with ExitStack() as clients:
        by_desk = [(desk, clients.enter_context(desk.client("bob"))) for desk in desks]
        for turn in range(requests + CLEAR):
            for desk, client in rotated(by_desk, turn):
                note(desk, requested(client), turn)
    return times


def answers_a_second(desk: Desk, raters: Sequence[str], each: int) -> float:
    """Return how many answers a second raters give at once, each of whom asks for one item and answers it."""

    def work(client: httpx.Client) -> None:
        for _ in range(each):
            tell(client, ask(client))

    with ExitStack() as clients, ThreadPoolExecutor(len(raters)) as threads:
        opened_ones = [clients.enter_context(desk.client(rater)) for rater in raters]
        start = time.perf_counter()
        list(threads.map(work, opened_ones))
        return each * len(raters) / (time.perf_counter() - start)


def main(sizes: Sequence[int] = SIZES, *, measured: tuple[int, int] = (55, 25), raters: int = 8, each: int = 60) -> int:
    """Measure so many presses and requests at each size, then raters at once, who answer so many items each a turn."""
    names = [f"rater{number}" for number in range(raters)]
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place, ExitStack() as desks:
        folder = Path(place)
        with opened(folder / "warm", sizes[0], ("ann",)):
            pass
        some = [desks.enter_context(opened(folder / str(size), size, ("ann", "bob"))) for size in sizes]
        times = measure_pages(some, *measured)
        crowd = desks.enter_context(opened(folder / "crowd", 4 * raters * each * TURNS, names))
        connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
        bare = bare_commits(desks.enter_context(closing(connection)), "PERSIST")
        groups = names[:1], names
        _, *rates = [
            [bare(4 * each), *(answers_a_second(crowd, who, each) for who in groups)] for _ in range(TURNS + 1)
        ]
    for desk in some:
        print(f"{desk.size:,} rows, first item after {desk.first_item:.1f} s; milliseconds, median and 95 % quantile:")
        for name, found in times[desk.size].items():
            print(f"  {name:<8} {statistics.median(found):6.1f} {np.quantile(found, 0.95):6.1f}")
    a_second = [statistics.median(column) for column in zip(*rates, strict=True)]
    print("median a second: {:.0f} bare commits, {:.0f} answers of one rater, {:.0f} of all".format(*a_second))
    small, large = some[0], some[-1]
    over = f"{large.size:,} rows over {small.size:,}"
    results = [
        (f"{name}, {over}", statistics.median(times[large.size][name]) / statistics.median(found), "<=", 1.5)
        for name, found in times[small.size].items()
    ]
    results += [
        (f"first item, {over}", large.first_item / small.first_item, "<=", 2.0),
        (f"answers of {raters} raters over one", statistics.median(turn[2] / turn[1] for turn in rates), ">=", 0.9),
        ("answers of one rater over bare commits", statistics.median(turn[1] / turn[0] for turn in rates), ">=", 0.0),
        (f"answers of {raters} over bare commits", statistics.median(turn[2] / turn[0] for turn in rates), ">=", 0.0),
    ]
    broken = 0
    for name, value, sign, bound in results:
        kept = value >= bound if sign == ">=" else value <= bound
        broken += not kept
        verdict = f"(bound {sign} {bound:g}) {'kept' if kept else 'BROKEN'}" if bound else "(no bound)"
        print(f"{name}: {value:.2f} {verdict}")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
