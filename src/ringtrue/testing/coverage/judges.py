"""The cases of judges without labels: votes alone, two strata, bounds without assumptions, and a stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, get_args

import numpy as np

from ringtrue.core import Interval, Sketch, percent
from ringtrue.judges import (
    Estimates,
    PanelAlarm,
    best_minimum_accuracy,
    fit_latent,
    hui_walter,
    strata_estimates,
    two_judges,
    unlabelled_both,
    what_moved,
)
from ringtrue.judges._evaluation import Target
from ringtrue.stats import generator
from ringtrue.stats._bounds import Floats, Ints
from ringtrue.testing._replayed import numbers_of, sketch_of
from ringtrue.testing.coverage._case import Case, Row, by_study, holds, numbers

row_of = partial(Row, "judges")
SEED = 20261115
NEW_SEED = 20261205
"""Of the cases that were added later."""

PREVALENCE = 0.3
QUANTITIES = ("prevalence", "accuracy", "overall")

ALONE = row_of("votes alone, if judges err independently", "about", shown=("PanelFinding.general", "PanelFinding.here"))
WEAK = row_of("votes alone, of weak judges or few items", "none")
WIDTH = row_of("mean width from votes alone", "mean")
STRATA = row_of("two judges in two strata, if its premises are true", "fixed", shown=("judges.strata_estimates",))
CERTAIN = row_of("bounds without assumptions", "fixed", 1.0, shown=("judges.two_judges", "PanelFinding.best"))
ALARM = row_of("no alarm on a stream that stays as it was", "watched", shown=("PanelAlarm.alarmed_at",))
MOVED = row_of("nothing is said to have moved that did not", "about", 0.99, shown=("Part.moved",))


def independent(accuracy: float, judges: int, items: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Return votes (items, judges) and truth of judges who are equally good on both labels and err alone."""
    second = random.random(items) >= PREVALENCE
    right = random.random((items, judges)) < accuracy
    return np.where(right, second[:, None], ~second[:, None]).astype(np.int64), second.astype(np.int64)


def held_by(estimates: Estimates, truth: Mapping[str, Floats]) -> dict[str, list[bool]]:
    """Return for each quantity whether each interval holds, as far as there are truths."""
    return {
        quantity: [bool(holds(one.low, one.high, value)) for one, value in zip(each, truth[quantity], strict=False)]
        for quantity, each in by_quantity(estimates).items()
    }


def by_quantity(estimates: Estimates) -> dict[str, Sequence[Interval]]:
    """Return the intervals of each quantity, the accuracies by judge and label."""
    accuracy = [one for row in estimates.accuracy for one in row]
    return dict(zip(QUANTITIES, (estimates.prevalence, accuracy, estimates.overall), strict=True))


def alone(name: str, accuracy: float, judges: int, items: int, *, promised: bool) -> Case:
    """Return the case of votes alone: none of the studies is left out, not those whose best fit lies at an edge.

    Parameters
    ----------
    name, accuracy
        The name of the panel, and the accuracy of each judge on both labels.
    judges, items
        How many judges there are, and how many items they vote on.
    promised
        Whether a coverage of about the level is promised for so good judges on so many items.
    """

    def study(number: int, seed: int) -> Mapping[str, Any]:
        votes, truth = independent(accuracy, judges, items, generator(seed, f"panel {name} {judges} {items}", number))
        sketch = sketch_of(votes)
        told = unlabelled_both(sketch, fit_latent(sketch).evaluation)
        chances = {
            "prevalence": np.array([PREVALENCE]),
            "accuracy": np.full(2 * judges, accuracy),
            "overall": np.full(judges, accuracy),
        }
        here = numbers_of(votes, truth)
        truths = {"in general": chances, "on this test": here | {"prevalence": here["prevalence"][:1]}}
        found: dict[str, Any] = {}
        for target in get_args(Target):
            for quantity, held in held_by(told[target], truths[target]).items():
                found[f"{quantity}, {target}"] = [held]
            one = told[target].prevalence[0]
            found[f"width of the prevalence, {target}"] = [one.high - one.low]
        return found

    row = ALONE if promised else WEAK
    rows = {f"{quantity}, {target}": row for target in get_args(Target) for quantity in QUANTITIES}
    rows |= {f"width of the prevalence, {target}": WIDTH for target in get_args(Target)}
    where = f"{judges} {name} judges ({percent(accuracy)}), {items:,} items"
    seconds = 0.15 if name == "weak" else 0.03
    return Case(where, rows, by_study(study), SEED, repetitions=250, chunk=125, seconds=seconds)


def _strata(shares: tuple[float, float], items: int = 1500) -> Case:
    """Return the case of two judges whose items come in two strata; without a solution there is no interval."""
    rates = np.array([[0.85, 0.8], [0.8, 0.9]])

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"strata {shares}", number)
        sketches = []
        for share in shares:
            truth = (rng.random((items, 1)) >= share).astype(np.int64)
            right = rng.random((items, 2)) < np.where(truth == 0, rates[:, 0], rates[:, 1])
            sketches.append(sketch_of(np.where(right, truth, 1 - truth)))
        first, second = sketches
        found = hui_walter(first, second)
        if not found.valid:
            return {"intervals": [[True] * 6]}
        one, other = strata_estimates(first, second, found)
        told = [one.prevalence[0], other.prevalence[0], *(cell for row in one.accuracy for cell in row)]
        real = [*shares, *rates.ravel()]
        return {"intervals": [[bool(holds(x.low, x.high, value)) for x, value in zip(told, real, strict=True)]]}

    where = f"strata with {percent(shares[0])} and {percent(shares[1])} of the first label"
    return Case(where, {"intervals": STRATA}, by_study(study), NEW_SEED, repetitions=500, seconds=0.01)


def _certain(accuracy: float, items: int = 200) -> Case:
    """Return the case of bounds that hold whatever the truth is."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        votes, truth = independent(accuracy, 3, items, generator(seed, f"certain {accuracy}", number))
        sketch, real = sketch_of(votes), numbers_of(votes, truth)
        pair = two_judges(sketch.marginal(sketch.judges[:2]))
        errors = 1 - real["overall"][:2]
        return {
            "least of all": [best_minimum_accuracy(sketch) >= real["accuracy"].min() - 1e-6],
            "the worse of two": [errors.max() >= pair.worse_errs_at_least - 1e-9],
            "two apart": [abs(errors[0] - errors[1]) <= pair.accuracies_differ_at_most + 1e-9],
        }

    rows = dict.fromkeys(("least of all", "the worse of two", "two apart"), CERTAIN)
    where = f"no assumptions, 3 judges ({percent(accuracy)}), {items} items"
    return Case(where, rows, by_study(study), NEW_SEED, seconds=0.04, version="2")


def alarm(reference: int, *, known: bool = False, looks: tuple[int, ...] = (500, 2000)) -> Case:
    """Return the case of a stream like its reference; with `known` the reference's frequencies are the true ones."""
    patterns = np.array([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    chances = sum(
        share * np.prod(np.where(patterns == label, 0.85, 0.15), axis=1)
        for label, share in ((0, PREVALENCE), (1, 1 - PREVALENCE))
    )

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"alarm {reference} {known}", number)
        counts = np.round(chances * reference) if known else rng.multinomial(reference, chances)
        true = counts / counts.sum() if known else chances
        usual = {tuple(pattern): int(times) for pattern, times in zip(patterns.tolist(), counts, strict=True) if times}
        watch = PanelAlarm(Sketch(["a", "b", "c"], ["no", "yes"], usual), known=known)
        for place in rng.choice(len(patterns), max(looks), p=true):
            watch.update(tuple(patterns[place].tolist()))
        return {"alarm": [watch.alarmed_at is None or watch.alarmed_at > look for look in looks]}

    where = f"a stream, a reference of {reference:,} items{', taken as known' if known else ''}"
    return Case(where, {"alarm": ALARM}, by_study(study), NEW_SEED, numbers(looks), repetitions=400, seconds=0.06)


def _moved(items: int) -> Case:
    """Return the case of two samples of one panel, of which nothing moved."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"moved {items}", number)
        before, since = (sketch_of(independent(0.85, 4, items, rng)[0]) for _ in range(2))
        return {"parts": [not what_moved(before, since).culprits]}

    where = f"two samples of {items:,} items, nothing moved"
    return Case(where, {"parts": MOVED}, by_study(study), NEW_SEED, repetitions=400, seconds=0.1)


CASES: tuple[Case, ...] = (
    *(
        alone(name, accuracy, judges, items, promised=items >= enough)
        for name, accuracy, enough in (("strong", 0.9, 500), ("medium", 0.8, 2000), ("weak", 0.65, 10**9))
        for judges in (3, 5)
        for items in (500, 2000, 10_000)
    ),
    _strata((0.2, 0.7)),
    _strata((0.35, 0.6)),
    _certain(0.9),
    _certain(0.7),
    alarm(1000),
    alarm(1000, known=True),
    _moved(1000),
)
