"""Run the case study and print its tables; `--write` puts them into the README, with the figures beside it.

python casestudies/alloy/run.py [--seeds 10] [--evaluations 200] [--again] [--write]
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

from alloy.figures import draw
from alloy.gold import cache_folder
from alloy.proxy import Proxy, stored_proxy
from alloy.runs import Results, run_all
from alloy.tables import paper_table, phases_table, sample_table, single_table
from pages import write

README, KEPT = (Path(__file__).resolve().with_name(name) for name in ("README.md", "searches.jsonl"))


def results(proxy: Proxy, found: Results, seeds: int, evaluations: int) -> str:
    """The whole study as Markdown."""
    budgets = [evaluations // 4, evaluations // 2, evaluations]
    parts = [
        f"Searches of {evaluations} evaluations with {seeds} seeds; means over the seeds ± their standard error, and "
        "in brackets the largest.",
        "### Beside the paper\n\nCompositions in weight percent.\n\n" + paper_table(found),
        "### The largest error over all phases\n\n" + single_table(found, budgets)
        + "\n\n![Figure 2, left](composition.svg)\n![Figure 2, right](rmse.svg)",
        f"As a study, with seed 0: {found.study}.",
        "### The largest deviation of any phase\n\n" + phases_table(found, budgets)
        + "\n\n![Figure 3](composition_phase.svg)\n![Figure 4, left](phases.svg)\n![Figure 4, right](chosen.svg)",
        "### The phases\n\n" + sample_table(proxy.sample),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(";")[0])
    parser.add_argument("--seeds", type=int, default=10, help="how often each search is run")
    parser.add_argument("--evaluations", type=int, default=200, help="how long each search is")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md, and the figures beside it")
    parser.add_argument("--again", action="store_true", help="search anew what an earlier run has kept")
    options = parser.parse_args(arguments)
    for package, extra in (("pycalphad", "alloy"), ("torch", "torch")):
        if find_spec(package) is None:
            print(f"skipped, since the case study needs {package}: pip install 'ringtrue[{extra}]'", file=sys.stderr)
            return 0
    start = time.process_time()
    print(f"alloy: equilibria and network are kept in {cache_folder()}", file=sys.stderr, flush=True)
    proxy = stored_proxy()
    if options.again:
        KEPT.unlink(missing_ok=True)
    found = run_all(proxy, options.seeds, options.evaluations, KEPT)
    text = results(proxy, found, options.seeds, options.evaluations)
    print(text)
    print(f"{time.process_time() - start:,.0f} CPU s", file=sys.stderr)
    if options.write:
        draw(found, README.parent)
        write(text, README)
    return 0


if __name__ == "__main__":
    sys.exit(main())
