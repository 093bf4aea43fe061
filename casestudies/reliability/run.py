"""Run the case study and print its tables; `--write` puts them into the README, with the figure beside it.

python casestudies/reliability/run.py [--shared DIR] [--seeds 3] [--again] [--write]
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":  # as a script this folder is on the path, and not those that hold what is shared
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root / "casestudies"), str(root / "benchmarks")]

from pages import write
from reliability._data import missing, points, shared_folder
from reliability.figures import draw_bounds
from reliability.kept import KeptResults
from reliability.latent import RADIUS, SETTINGS, latent_row
from reliability.synthetic import CELLS, empty, resolution, synthetic_row
from reliability.tables import images_table, labels_table, paper_table, resolution_table, separation_table

README, KEPT = (Path(__file__).resolve().with_name(name) for name in ("README.md", "results.jsonl"))
FINENESS = (62, 125, 250, 500)


class Results(NamedTuple):
    """What was found: each synthetic set by seed, what lies in its empty cells, E by their number, each image set."""

    synthetic: dict[str, list[dict[str, Any]]]
    empty: dict[str, dict[str, Any]]
    resolution: dict[str, Any]
    images: dict[str, dict[str, Any]]


def run_all(kept: KeptResults, seeds: int, shared: Path) -> Results:
    """Work out everything that is not kept."""

    def image_row(name: str) -> dict[str, Any]:
        from reliability.trained import trained  # torch, which takes seconds to import

        return latent_row(trained(name, shared), SETTINGS[name])

    synthetic = {
        name: [
            kept.get(
                "synthetic", {"set": name, "cells": cells, "seed": seed},
                lambda name=name, cells=cells, seed=seed: synthetic_row(points(name, shared), cells, seed),
            )
            for seed in range(seeds)
        ]
        for name, cells in CELLS.items()
    }  # fmt: skip
    unseen = {
        name: kept.get(
            "empty",
            {"set": name, "cells": cells},
            lambda name=name, cells=cells: empty(points(name, shared), cells),
        )
        for name, cells in CELLS.items()
    }
    finer = kept.get(
        "resolution", {"cells": list(FINENESS)}, lambda: resolution(points("running_example", shared), FINENESS)
    )
    images = {
        name: kept.get(
            "images", {"set": name, "radius": RADIUS, **asdict(setting)}, lambda name=name: image_row(name)
        )
        for name, setting in SETTINGS.items()
    }  # fmt: skip
    return Results(synthetic, unseen, finer, images)


def results(found: Results) -> str:
    """Return the whole study as Markdown."""
    first = {name: rows[0] for name, rows in found.synthetic.items()}
    parts = [
        "### Table 1, the paper's line and ours\n\n" + paper_table(first, found.images),
        "### What labels say of the bound\n\n" + labels_table(found.synthetic, found.empty, found.images)
        + "\n\n![What the model claims, and what held-out labels leave possible](bounds.svg)",
        "### E by the number of cells (the running example)\n\n" + resolution_table(found.resolution),
        "### The separation, and the points that contradict it\n\n" + separation_table(first, found.images),
        "### What the rows of images rest on\n\n" + images_table(found.images),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(";")[0])
    parser.add_argument("--shared", type=Path, help="folder with data/siemens_challenge, data/mnist and data/cifar10")
    parser.add_argument("--seeds", type=int, default=3, help="splits and forests of each synthetic set")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md, and the figure beside it")
    parser.add_argument("--again", action="store_true", help="work out anew what an earlier run has kept")
    options = parser.parse_args(arguments)
    shared = options.shared or shared_folder()
    if absent := missing(shared):
        parser.error(f"--shared={shared} has no {absent[0].relative_to(shared)}: name the folder that holds the data")
    if find_spec("torch") is None:
        parser.error("the networks need torch: pip install 'ringtrue[torch]'")
    if options.again:
        KEPT.unlink(missing_ok=True)
    start = time.process_time()
    found = run_all(KeptResults(KEPT), options.seeds, shared)
    text = results(found)
    print(text)
    print(f"{time.process_time() - start:,.0f} CPU s", file=sys.stderr)
    if options.write:
        draw_bounds(README.with_name("bounds.svg"), {name: rows[0] for name, rows in found.synthetic.items()})
        write(text, README)
    return 0


if __name__ == "__main__":
    sys.exit(main())
