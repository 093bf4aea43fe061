"""Run the case study and print its tables; `--out DIR` writes them with the figures, `--write` into the README.

python casestudies/api_shift/run.py [--shared DIR] [--dataset YELP ...] [--runs 200] [--out DIR] [--write]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":  # as a script this folder is on the path, and not those that hold the packages
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root / "casestudies"), str(root / "benchmarks")]

from api_shift._data import frugalml_path, prime_path, shared_folder
from api_shift.cases import EVERYTHING, PRIME, cases
from api_shift.figures import draw
from api_shift.measures import AT, Measured, measure
from api_shift.tables import calls_table, errors_table, groups_table, paper_table
from pages import write

README = Path(__file__).resolve().with_name("README.md")


def measure_all(datasets: Sequence[str], runs: int, shared: Path | None = None) -> list[Measured]:
    """Every case of the datasets, with a line to standard error for each."""
    found = []
    for case in cases(datasets, shared):
        start = time.perf_counter()
        found.append(measure(case, runs))
        print(f"{case}: {time.perf_counter() - start:,.1f} s", file=sys.stderr, flush=True)
    return found


def results(measured: Sequence[Measured], runs: int) -> str:
    """The whole study as Markdown."""
    parts = [f"Means over {runs:,} runs; seed 0."]
    paper = paper_table(measured)
    if paper:
        parts.append(f"### Beside the paper: mean error on YELP after {AT:,} calls\n\n" + paper)
    parts += [
        "### Calls of MASA over calls of each method, at a mean error of 1%\n\n"
        "Geometric mean, smallest and largest; more than 1 is fewer calls than MASA.\n\n" + groups_table(measured),
        "### Calls to a mean error of 1%\n\n" + calls_table(measured),
        f"### Mean error after {AT:,} calls\n\n" + errors_table(measured, AT),
        "### Mean error after 500 calls\n\n" + errors_table(measured, 500),
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(";")[0])
    parser.add_argument("--shared", type=Path, help="folder with data/frugalml and data/llmdrift")
    parser.add_argument("--dataset", nargs="+", choices=EVERYTHING, default=EVERYTHING, help="only these")
    parser.add_argument("--runs", type=int, default=200, help="how often each case is simulated with each method")
    parser.add_argument("--out", type=Path, help="folder for results.md and a figure for each dataset")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    options = parser.parse_args(arguments)
    shared = options.shared or shared_folder()
    for dataset in options.dataset:
        path = prime_path(shared) if dataset == PRIME else frugalml_path(dataset, shared)
        if not path.is_file():
            parser.error(f"--shared={shared} has no {path.relative_to(shared)}: name the folder that holds the data")
    start = time.perf_counter()
    measured = measure_all(options.dataset, options.runs, shared)
    text = results(measured, options.runs)
    print(text)
    print(f"{time.perf_counter() - start:,.0f} s", file=sys.stderr)
    if options.out:
        draw(measured, options.out)
        (options.out / "results.md").write_text(text, encoding="utf-8")
    if options.write:
        write(text, README)
    return 0


if __name__ == "__main__":
    sys.exit(main())
