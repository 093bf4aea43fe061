"""Run the case study and print its tables; `--write` puts them into the README beside this file.

python casestudies/judges_trios/run.py [--shared DIR] [--trios 300] [--runs 10] [--panels 20] [--quick] [--write]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

if __name__ == "__main__":  # as a script this folder is on the path, and not the one that holds the package
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judges_trios.findings import findings_table
from judges_trios.fits import SETUPS, measure_power
from judges_trios.panels import DATASETS, load, shared_folder
from judges_trios.tables import (
    balanced_table,
    distance_table,
    errors_table,
    one_percent_table,
    outcomes_table,
    power_table,
)
from judges_trios.trials import SIZES, run_trials
from pages import write
from ringtrue.core import count

README = Path(__file__).resolve().with_name("README.md")


def results(
    *,
    shared: Path | None,
    trios: int,
    runs: int,
    panels: int,
    datasets: tuple[str, ...] = DATASETS,
    sizes: tuple[int, ...] = SIZES,
) -> str:
    """The whole study as Markdown."""
    data = {name: load(name, shared) for name in datasets}
    trials = {name: run_trials(each, name, trios=trios, runs=runs, sizes=sizes) for name, each in data.items()}
    balanced = {
        name: run_trials(each, name, trios=trios, runs=1, sizes=sizes[-1:], balanced=True)
        for name, each in data.items()
    }
    powers = {
        title: measure_power(data[name], features, panels=panels)
        for title, (name, features) in SETUPS.items()
        if name in data and panels
    }
    parts = [
        f"{trios:,} feature partitions per dataset, each trained and tested {count(runs, 'time')}; seed 0.",
        "### Beside the paper\n\n" + findings_table(trials, balanced, powers),
        "### How trios end, by test size\n\n" + outcomes_table(trials.values()),
        "### Median absolute errors on surviving trios\n\n" + errors_table(trials.values()),
        f"### As good as 1%? Surviving trios on {sizes[-1]:,} items\n\n" + one_percent_table(trials.values()),
        "### Distance from the containing variety, on balanced tests\n\n" + distance_table(balanced.values()),
        "### Survivors on balanced tests\n\n" + balanced_table(balanced.values()),
    ]
    if powers:
        tests = next(iter(powers.values())).tests
        parts.append(
            f"### The fit test as the alarm: share of sub-panels refused at 5%, {tests} each\n\n"
            "In brackets the earlier run. Errors are medians over the panels: prevalence / accuracies.\n\n"
            + power_table(powers)
        )
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(";")[0])
    parser.add_argument("--shared", type=Path, help="folder with data/uci_adult and data/uci_mushroom")
    parser.add_argument("--trios", type=int, default=300, help="feature partitions per dataset")
    parser.add_argument("--runs", type=int, default=10, help="how often each partition is trained and tested")
    parser.add_argument("--panels", type=int, default=20, help="panels of ten judges per setup")
    parser.add_argument("--quick", action="store_true", help="60 trios trained once, 4 panels")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    options = parser.parse_args(arguments)
    if options.quick:
        options.trios, options.runs, options.panels = 60, 1, 4
    shared = options.shared or shared_folder()
    if not (shared / "data" / "uci_adult").is_dir():
        parser.error(f"--shared={shared} has no data/uci_adult: name the folder that holds the datasets")
    start = time.perf_counter()
    text = results(shared=shared, trios=options.trios, runs=options.runs, panels=options.panels)
    print(text)
    print(f"{time.perf_counter() - start:,.0f} s", file=sys.stderr)
    if options.write:
        write(text, README)
    return 0


if __name__ == "__main__":
    sys.exit(main())
