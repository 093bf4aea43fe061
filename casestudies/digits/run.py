"""Run the case study and print its tables; `--write` puts them into the README, with the figures beside it.

python casestudies/digits/run.py [--shared DIR] [--seeds 10] [--evaluations 200] [--again] [--write]
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib.util import find_spec
from pathlib import Path

if __name__ == "__main__":  # as a script this folder is on the path, and not those that hold what is shared
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root / "casestudies"), str(root / "benchmarks")]

from digits._data import DIGITS, FILES, mnist_path, shared_folder
from digits.figures import draw_chosen, draw_digits, draw_lost, draw_overall
from digits.rates import ErrorRates
from digits.runs import Results, run_all
from digits.tables import chosen_table, digits_table, overall_table, paper_table, place_text
from digits.trained import error_rates, training_error
from pages import write

README, KEPT = (Path(__file__).resolve().with_name(name) for name in ("README.md", "searches.jsonl"))

BUDGETS = (22, 50, 100, 200)
"""Where searches for the worst digit are compared; 22 evaluations of nine digits are 198 of one."""

_SHOWN = 6


def results(found: Results, training: float, seeds: int) -> str:
    """The whole study as Markdown."""
    worst, evaluations = found.worst.worst, len(found.overall["search"][0].tasks)
    budgets = [budget for budget in BUDGETS if budget <= evaluations]
    parts = [
        f"{seeds} seeds, {evaluations} evaluations; means over the seeds ± their standard error, and in brackets the "
        "largest.",
        "### Beside the paper\n\n" + paper_table(training, found),
        "### The largest error over all digits\n\n" + overall_table(found) + "\n\n![Figure 5](overall.svg)",
        "### The largest error of any digit\n\n" + digits_table(found, budgets) + "\n\n![Figure 6, left](digits.svg)",
        "### How often each digit was asked about\n\n" + chosen_table(found) + "\n\n![Figure 6, right](chosen.svg)",
        f"### The digits that are lost\n\nThe {DIGITS[worst.task]} is misread most often, {worst.deviation:.1%} of the "
        f"time, at {place_text(worst.place)}. `--write` draws some of them beside this file, as they are and "
        "as they are then, in `lost.svg`, which stays out of the project as MNIST does.",
    ]
    return "\n\n".join(parts) + "\n"


def draw(found: Results, training: float, rates: ErrorRates, folder: Path) -> None:
    """The figures of the paper, and the digits at the worst distortion."""
    worst = found.worst.worst
    draw_overall(folder / "overall.svg", training, found.grids, found.overall)
    draw_digits(folder / "digits.svg", found.alone, found.together)
    draw_chosen(folder / "chosen.svg", found.alone, ("exp3bo", "default"))
    draw_lost(folder / "lost.svg", rates.lost(worst.place, worst.task, _SHOWN))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(";")[0])
    parser.add_argument("--shared", type=Path, help="folder with data/mnist")
    parser.add_argument("--seeds", type=int, default=10, help="how often each search is run")
    parser.add_argument("--evaluations", type=int, default=200, help="how long each search is")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md, and the figures beside it")
    parser.add_argument("--again", action="store_true", help="search anew what an earlier run has kept")
    options = parser.parse_args(arguments)
    shared = options.shared or shared_folder()
    for part in FILES:
        path = mnist_path(part, shared)
        if not path.is_file():
            parser.error(f"--shared={shared} has no {path.relative_to(shared)}: name the folder that holds the data")
    if find_spec("torch") is None:
        parser.error("the network needs torch: pip install 'ringtrue[torch]'")
    start = time.process_time()
    rates, training = error_rates(shared), training_error(shared)
    if options.again:
        KEPT.unlink(missing_ok=True)
    found = run_all(rates, options.seeds, options.evaluations, KEPT)
    text = results(found, training, options.seeds)
    print(text)
    print(f"{time.process_time() - start:,.0f} CPU s", file=sys.stderr)
    if options.write:
        draw(found, training, rates, README.parent)
        write(text, README)
    return 0


if __name__ == "__main__":
    sys.exit(main())
