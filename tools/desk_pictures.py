"""Takes the pictures of the desk in `docs/`: a made-up study, labelled in a real browser by three raters.

Run it with `python tools/desk_pictures.py [FOLDER]` where chromium is installed.
"""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

COMMAND = [sys.executable, "-c", "from ringtrue.cli import main; main()"]
RATERS = ("ann", "bob", "eve")
LABELS = ("billing", "delivery", "other", "praise")
TEXTS = {
    "billing": "I was charged twice for order {n}, and the second payment is still on my card after {k} days.",
    "delivery": "Parcel {n} was due {k} days ago. The tracking page says that it left the depot, and nothing since.",
    "praise": "Order {n} came a day early and well packed. The driver even waited {k} minutes for me. Thank you!",
    "other": "Is there a discount for schools? We would need about {k}0 copies, as in our letter {n} of last week.",
}
_QUANTISED = 128
"""Colours of a picture: enough for a page of text, and a third of the bytes."""


def make_study(folder: Path) -> dict[str, str]:
    """Make a study of letters to a shop in a folder; return what each letter is about."""
    chance, truth = random.Random(3), {}  # noqa: S311
    with (folder / "letters.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "letter", "customer_since", "answered_as"])
        for number in range(2_000):
            label = chance.choice(LABELS)
            text = TEXTS[label].format(n=40_000 + number, k=chance.randint(2, 9))
            said = chance.choice(LABELS) if chance.random() < 0.03 else label
            truth[f"letter-{number}"] = label
            rows.writerow([f"letter-{number}", text, chance.randint(2009, 2025), said])
    options = ["--pool", "letters.csv", "--model", "answered_as", "--labels", ",".join(LABELS)]
    claim = ["--claim", "error <= 10% at 95%", "--budget", "400"]
    subprocess.run([*COMMAND, "init", "letters", *options, *claim], cwd=folder, check=True, capture_output=True)
    return truth


def answer(page: Any, truth: dict[str, str], items: int, chance: random.Random, wrongly: float = 0.02) -> None:
    """Label some items by keys, now and then wrongly."""
    for _ in range(items):
        title = page.locator("#title").inner_text()
        label = truth[page.locator("#fields dd").first.inner_text()]
        wrong = chance.random() < wrongly
        page.wait_for_timeout(300)
        page.keyboard.press(str(1 + (LABELS.index(label) + wrong) % len(LABELS)))
        page.locator("#title", has_not_text=title).filter(has_text="Item").wait_for()


def keep(page: Any, path: Path, whole: bool = False) -> None:
    """Write a page as a small picture."""
    picture = Image.open(io.BytesIO(page.screenshot(full_page=whole)))
    picture.convert("RGB").quantize(_QUANTISED).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def main(target: Path) -> None:
    """Make the study, label it, and take the pictures."""
    chance = random.Random(5)  # noqa: S311
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        truth = make_study(folder)
        who = [part for rater in RATERS for part in ("--rater", rater)]
        options = [*who, "--second", "20%", "--port", "0", "--json"]
        desk = subprocess.Popen([*COMMAND, "desk", "letters", *options], cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            assert desk.stdout is not None
            links = json.loads(desk.stdout.readline())
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            size = {"width": 1000, "height": 560}
            pages = [browser.new_context(viewport=size).new_page() for _ in RATERS]
            for page, rater in zip(pages, RATERS, strict=True):
                page.goto(links["raters"][rater])
                page.wait_for_selector("#fields dd")
            for _ in range(6):
                for page in pages:
                    answer(page, truth, 6, chance)
            answer(pages[1], truth, 2, chance, wrongly=1)  # for a conflict: what is wrong is looked at by another
            answer(pages[0], truth, 4, chance, wrongly=0)
            keep(pages[0], target / "desk_rater.png")
            owner = browser.new_context(viewport={"width": 1360, "height": 1280}).new_page()
            owner.goto(links["owner"])
            owner.wait_for_selector("#curve svg")
            owner.wait_for_selector("article.case")
            keep(owner, target / "desk_owner.png")
            browser.close()
        finally:
            desk.send_signal(signal.SIGINT)
            desk.communicate(timeout=30)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
