"""How far each way of judging judges is from the truth on real panels, and what is said of the judges.

Needs the data beside the checkout (../shared/data/llmbar_judges and ../shared/data/crowd); without them only the
simulated panel is shown. `--out FILE` writes the table as Markdown.

    python benchmarks/bench_judges_accuracy.py --out docs/judges_accuracy.md
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ringtrue.core import ABSTAINED, Sketch
from ringtrue.judges import Evaluation, Reserve, evaluate, fit_latent, labelled_estimates, majority_vote, solve_trios
from ringtrue.stats import generator

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
LABELS = 50
ENOUGH = 200
DRAWS = 5
MOST_REGRESSED = 60
"""Fifty labels say nothing about the weights of more judges than this."""
TRUTH = "truth"


class Panel(NamedTuple):
    """A name, votes as a table of places of labels (items, judges), and the truth."""

    name: str
    judges: list[str]
    labels: list[str]
    votes: np.ndarray
    truth: np.ndarray
    prevalence: float | None = None


def simulated() -> Panel:
    rng = generator(0, "independent panel")
    truth = (rng.random(4000) > 0.3).astype(int)
    right = rng.random((4000, 5)) < np.array([0.9, 0.85, 0.8, 0.8, 0.75])
    votes = np.where(right, truth[:, None], 1 - truth[:, None])
    return Panel("simulated, independent", [f"j{n}" for n in range(5)], ["no", "yes"], votes, truth)


def llmbar() -> Iterable[Panel]:
    path = SHARED / "llmbar_judges" / "verdicts.csv"
    if not path.exists():
        return
    gold: dict[tuple[str, str], str] = {}
    said: dict[tuple[str, str], dict[tuple[str, str], str]] = defaultdict(dict)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["subset"].startswith("LLMBar"):
                item = (row["subset"], row["item"])
                gold[item] = row["gold"]
                said[row["judge_model"], row["strategy"]][item] = row["winner_noswap"]
    makers = sorted({maker for maker, _ in said})
    everything = sorted(gold)
    natural = [item for item in everything if "Natural" in item[0]]
    adversarial = [item for item in everything if "Adversarial" in item[0]]
    families = {plan: [(maker, plan) for maker in makers if (maker, plan) in said] for plan in ("Vanilla", "CoT")}
    prompts = [key for key in sorted(said) if key[0] == "GPT-4" and not key[1].startswith("Rating")][:6]
    three = [("GPT-4", "Vanilla"), ("PaLM2", "Vanilla"), ("LLaMA2", "Vanilla")]
    chosen = [
        ("LLMBar, 6 makers, plain", families["Vanilla"], everything),
        ("LLMBar, 6 makers, reasoning", families["CoT"], everything),
        ("LLMBar natural, 6 makers, plain", families["Vanilla"], natural),
        ("LLMBar adversarial, 6 makers, plain", families["Vanilla"], adversarial),
        ("LLMBar, GPT-4 with 6 prompts", prompts, everything),
        ("LLMBar, 3 makers, plain", three, everything),
    ]
    for name, keys, items in chosen:
        places = {"1": 0, "2": 1}
        votes = np.array([[places.get(said[key].get(item, ""), ABSTAINED) for key in keys] for item in items])
        truth = np.array([places[gold[item]] for item in items])
        yield Panel(name, ["/".join(key) for key in keys], ["first", "second"], votes, truth, 0.5)


def crowd() -> Iterable[Panel]:
    for name in ("bluebird", "rte", "dog"):
        folder = SHARED / "crowd" / name
        if not folder.exists():
            continue
        with open(folder / "truth.csv", newline="") as file:
            truths = {row["item"]: row["truth"] for row in csv.DictReader(file)}
        with open(folder / "label.csv", newline="") as file:
            rows = [(row["item"], row["worker"], row["label"]) for row in csv.DictReader(file)]
        labels = sorted({label for *_, label in rows} | set(truths.values()))
        workers, items = sorted({worker for _, worker, _ in rows}), sorted(truths)
        at = {item: place for place, item in enumerate(items)}, {one: place for place, one in enumerate(workers)}
        votes = np.full((len(items), len(workers)), ABSTAINED)
        for item, worker, label in rows:
            votes[at[0][item], at[1][worker]] = labels.index(label)
        truth = np.array([labels.index(truths[item]) for item in items])
        yield Panel(f"crowd {name}", workers, labels, votes, truth)


def sketch_of(panel: Panel, labelled: np.ndarray | None = None) -> Sketch:
    known = np.full(len(panel.truth), ABSTAINED) if labelled is None else np.where(labelled, panel.truth, ABSTAINED)
    sketch = Sketch([*panel.judges, TRUTH], panel.labels)
    for row in np.column_stack([panel.votes, known]).tolist():
        sketch.count(tuple(row))
    return sketch if labelled is not None else sketch.without(TRUTH)


def realised(panel: Panel) -> tuple[np.ndarray, np.ndarray]:
    """The shares of the labels, and each judge's accuracy on each label it met at least ten times (else NaN)."""
    shares = np.bincount(panel.truth, minlength=len(panel.labels)) / len(panel.truth)
    accuracies = np.full((len(panel.judges), len(panel.labels)), np.nan)
    for label in range(len(panel.labels)):
        voted = (panel.votes != ABSTAINED) & (panel.truth == label)[:, None]
        met = voted.sum(axis=0)
        right = (voted & (panel.votes == label)).sum(axis=0)
        enough = met >= 10
        accuracies[enough, label] = right[enough] / met[enough]
    return shares, accuracies


def errors(panel: Panel, shares: np.ndarray, accuracies: np.ndarray) -> tuple[float, float]:
    """Mean absolute error of the shares and of the accuracies."""
    true_shares, true_accuracies = realised(panel)
    return float(np.abs(shares - true_shares).mean()), float(np.nanmean(np.abs(accuracies - true_accuracies)))


def of_evaluation(panel: Panel, found: Evaluation | None) -> tuple[float, float] | None:
    return None if found is None else errors(panel, found.prevalence, found.accuracies)


def median_trio(panel: Panel) -> tuple[float, float] | None:
    """The median over all valid trios, for two labels without missing votes."""
    if len(panel.labels) != 2 or (panel.votes == ABSTAINED).any() or len(panel.judges) > 12:
        return None
    trios = list(combinations(range(len(panel.judges)), 3))
    counts = np.array([np.bincount(panel.votes[:, trio] @ [4, 2, 1], minlength=8) for trio in trios])
    found = solve_trios(counts)
    if not found.valid.any():
        return None
    valid = [turn for turn in range(len(trios)) if found.valid[turn]]
    places = [[turn for turn in valid if judge in trios[turn]] for judge in range(len(panel.judges))]
    if not all(places):
        return None
    share = float(np.median(found.prevalence[found.valid]))
    accuracies = [
        np.median([found.accuracies[turn, trios[turn].index(judge)] for turn in turns], axis=0)
        for judge, turns in enumerate(places)
    ]
    return errors(panel, np.array([share, 1 - share]), np.array(accuracies))


def with_labels(panel: Panel, labels: int, method: str) -> tuple[float, float]:
    """The mean error over several random choices of the labelled items."""
    found = []
    for draw in range(DRAWS):
        chosen = np.zeros(len(panel.truth), dtype=bool)
        chosen[generator(draw, "labels").choice(len(panel.truth), min(labels, len(panel.truth)), replace=False)] = True
        estimates = labelled_estimates(sketch_of(panel, chosen), TRUTH, method=method, target="on this test")
        shares = np.array([one.estimate for one in estimates.prevalence])
        accuracies = np.array([[one.estimate for one in row] for row in estimates.accuracy])
        found.append(errors(panel, shares, accuracies))
    return float(np.mean([one for one, _ in found])), float(np.mean([other for _, other in found]))


def verdicts(panel: Panel) -> tuple[str, str]:
    """The reserve of votes alone, and the verdict with labels: how often each in several random choices."""
    alone = "contradicted" if evaluate(sketch_of(panel)).reserve is Reserve.CONTRADICTED else "conditional"
    counts: dict[str, int] = defaultdict(int)
    draws = DRAWS if len(panel.judges) <= MOST_REGRESSED else 1  # large panels take a minute each
    for draw in range(draws):
        chosen = np.zeros(len(panel.truth), dtype=bool)
        size = min(ENOUGH, len(panel.truth))
        chosen[generator(draw, "verdict").choice(len(panel.truth), size, replace=False)] = True
        counts[evaluate(sketch_of(panel, chosen), truth=TRUTH).standings.word] += 1
    return alone, ", ".join(f"{name} {times}/{draws}" for name, times in sorted(counts.items()))


METHODS: dict[str, Callable[[Panel], tuple[float, float] | None]] = {
    "majority vote": lambda panel: of_evaluation(panel, majority_vote(sketch_of(panel)).evaluation),
    "median of valid trios": median_trio,
    "maximum likelihood": lambda panel: of_evaluation(panel, fit_latent(sketch_of(panel)).evaluation),
    "… with prevalence known": lambda panel: (
        None
        if panel.prevalence is None
        else of_evaluation(panel, fit_latent(sketch_of(panel), prevalence=panel.prevalence).evaluation)
    ),
    f"{LABELS} labels alone": lambda panel: with_labels(panel, LABELS, "labels"),
    f"{LABELS} labels, difference estimator": lambda panel: with_labels(panel, LABELS, "ppi"),
    f"{LABELS} labels, vote regression": lambda panel: (
        None if len(panel.judges) > MOST_REGRESSED else with_labels(panel, LABELS, "regression")
    ),
}


def table() -> list[str]:
    lines = [
        "| panel | items x judges | " + " | ".join(METHODS) + f" | votes alone | verdict, {ENOUGH} labels |",
        "|---" * (len(METHODS) + 4) + "|",
    ]
    for panel in (simulated(), *llmbar(), *crowd()):
        cells = []
        for method in METHODS.values():
            found = method(panel)
            cells.append("–" if found is None else f"{100 * found[0]:.1f} / {100 * found[1]:.1f}")
        size = f"{len(panel.truth)} x {len(panel.judges)}"
        lines.append(f"| {panel.name} | {size} | " + " | ".join(cells) + " | " + " | ".join(verdicts(panel)) + " |")
        print(lines[-1], flush=True)
    return lines


HEAD = f"""# How far off each method is on real panels

Written by `benchmarks/bench_judges_accuracy.py`. Each cell holds the mean absolute error, in points, of the labels'
shares / of the judges' accuracies by label (where a judge met a label at least ten times). Methods with labels are
means over {DRAWS} random choices of the labelled items. Numbers from votes alone hold only if the judges share nothing
but the truth; *contradicted* says that the votes themselves speak against it. The verdict is about the judges: whether
each is shown to be right on at least 80% of the items of every label.

"""

TAIL = """
LLMBar's judges choose the better of two answers; which comes first is random, so that the share of "first" is known to
be one half. Its adversarial items were written to look better than they are, and the judges agree on the wrong one:
their votes describe what looks better. Crowd workers who met few items have wide intervals; fifty labels say little
about any one of 164 workers, and much about the shares.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", help="write the table to this Markdown file")
    arguments = parser.parse_args()
    lines = table()
    if arguments.out:
        Path(arguments.out).write_text(HEAD + "\n".join(lines) + "\n" + TAIL)


if __name__ == "__main__":
    main()
