"""Run the case study and print its tables; `--write` puts them into the README beside this file.

python casestudies/confident_errors/run.py [--shared DIR] [--pools 100] [--measured 400] [--write]
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib.util import find_spec
from pathlib import Path

if __name__ == "__main__":  # as a script this folder is on the path, and not the one that holds the package
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from confident_errors._data import missing, shared_folder
from confident_errors.entries import ENTRIES
from confident_errors.hunts import SHARE, hunts, pools_of
from confident_errors.scores import scores
from confident_errors.tables import Tried, beside_table, means_table, paper_table, task_table, tasks_table
from confident_errors.tasks import TASKS, Task
from confident_errors.trained import judged
from pages import write

README = Path(__file__).resolve().with_name("README.md")
SEED = 0


def tried(task: Task, measured: int, pools: int, *, seed: int = SEED, shared: Path | None = None) -> Tried:
    """Every search on the pools of one task."""
    of = judged(task, seed, shared)
    known = scores(of, min(measured, len(of.scope)))
    drawn = pools_of(len(known), pools, seed)
    start = time.process_time()
    found = {entry.name: hunts(entry, known, drawn) for entry in ENTRIES}
    print(f"{task.name}: {time.process_time() - start:,.0f} CPU s of searching", file=sys.stderr, flush=True)
    return Tried(of, known, found)


def results(all_tried: list[Tried], pools: int) -> str:
    """The whole study as Markdown."""
    parts = [
        f"{pools} pools a task, each {SHARE:.1%} of its measured items; means over the pools ± their standard error.",
        "### The tasks\n\n" + tasks_table(all_tried),
        "### The default search beside AdvDist\n\n"
        "In brackets, the standard error of the difference over other images of the task.\n\n"
        + beside_table(all_tried),
        "### Every search, over all tasks\n\n" + means_table(all_tried),
        "### Beside the paper\n\n" + paper_table(all_tried),
        *(f"### {each.name}: {each.judged.task.about}\n\n" + task_table(each) for each in all_tried),
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(";")[0])
    parser.add_argument("--shared", type=Path, help="folder with data/mnist, data/fashion_mnist and data/cifar10")
    parser.add_argument("--pools", type=int, default=100, help="pools of each task")
    parser.add_argument("--measured", type=int, default=400, help="items of each task that are attacked, at most")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    options = parser.parse_args(arguments)
    shared = options.shared or shared_folder()
    if absent := missing(shared):
        parser.error(f"--shared={shared} has no {absent[0].relative_to(shared)}: name the folder that holds the data")
    if find_spec("torch") is None:
        parser.error("the networks need torch: pip install 'ringtrue[torch]'")
    start = time.process_time()
    text = results([tried(task, options.measured, options.pools, shared=shared) for task in TASKS], options.pools)
    print(text)
    print(f"{time.process_time() - start:,.0f} CPU s", file=sys.stderr)
    if options.write:
        write(text, README)
    return 0


if __name__ == "__main__":
    sys.exit(main())
