"""Maximum likelihood on the sketch: prevalences and accuracies if judges err independently (Dawid and Skene)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringtrue.core import Argument, InvalidInput, Json, Sketch, count, percent
from ringtrue.judges._evaluation import SAME, Evaluation, Floats, Told, json_of
from ringtrue.judges.latent._climb import Climb, highest
from ringtrue.judges.latent._em import Point, Votes, arrays_of, posterior_of
from ringtrue.judges.latent._starts import starts_of

METHOD = "maximum likelihood, independent errors"

CLOSE = 1.92
"""Namings whose log-likelihoods differ by less are not told apart: half the 95% point of chi-square with 1 df."""

BETTER = "named so that most judges are better than chance"

ACCURATE = "named so that the sum of accuracies is greatest"

KNOWN = "named by the known prevalence"

AS_STARTED = "named as in the start"


@dataclass(frozen=True, slots=True, eq=False)
class Fit(Told):
    """A top of the likelihood: the sum of count times log-probability over the patterns.

    `path` holds it after each iteration. `on_boundary` names the probabilities that ended at 0 or 1. `start` says from
    where the top was reached, `reason` what gives the labels their meaning.
    """

    log_likelihood: float
    path: tuple[float, ...]
    converged: bool
    start: str
    on_boundary: tuple[str, ...]
    reason: str

    @property
    def iterations(self) -> int:
        return len(self.path)

    def to_json(self) -> dict[str, Json]:
        """Return the fit as values that JSON can hold, without what is as long as the votes."""
        told = {name: value for name, value in json_of(self).items() if name not in ("path", "posterior")}
        return {"sentence": str(self), "iterations": self.iterations, **told}


@dataclass(frozen=True, slots=True, eq=False)
class LatentFit(Fit):
    """The evaluation that makes the votes most likely if the judges err independently given the truth.

    `posterior` has the shape (k, labels): the chance of each true label for the patterns of `arrays_of`.
    """

    evaluation: Evaluation
    posterior: Floats
    known_prevalence: bool

    @property
    def identified(self) -> bool:
        """True if there are judges enough for the votes to have one explanation at best: three."""
        return len(self.evaluation.judges) >= 3

    def __str__(self) -> str:
        found = self.evaluation
        shares = ", ".join(
            f"{percent(share)} {label!r}" for label, share in zip(found.labels, found.prevalence.tolist(), strict=True)
        )
        overall = ", ".join(
            f"{judge} {percent(share)}"
            for judge, share in list(zip(found.judges, found.overall.tolist(), strict=True))[:6]
        )
        more = f" and {len(found.judges) - 6} more" if len(found.judges) > 6 else ""
        caution = "" if self.identified else "; with fewer than three judges this is one of many equally likely fits"
        arrived = "" if self.converged else f"; not converged after {count(self.iterations, 'iteration')}"
        return (
            f"if the judges err independently, the votes are likeliest with {shares} and right votes {overall}{more} "
            f"({self.reason}){caution}{arrived}"
        )


def on_boundary(evaluation: Evaluation) -> tuple[str, ...]:
    """List the probabilities of exactly 0 or 1, in words; where one of a distribution is 1, its zeros are left out.

    >>> import numpy as np
    >>> sure = Evaluation.binary(("ann",), ("no", "yes"), 0.4, np.array([[1.0, 0.8]]), "")
    >>> on_boundary(sure)
    ("ann votes 'no' on 'no': 1",)
    """
    labels = evaluation.labels
    rows = [([f"share of {label!r}" for label in labels], evaluation.prevalence.tolist())]
    for judge, table in zip(evaluation.judges, evaluation.confusion.tolist(), strict=True):
        for truth, row in zip(labels, table, strict=True):
            rows.append(([f"{judge} votes {vote!r} on {truth!r}" for vote in labels], row))
    found = []
    for names, row in rows:
        ends = (1.0,) if 1.0 in row else (0.0,)
        found += [f"{name}: {share:.0f}" for name, share in zip(names, row, strict=True) if share in ends]
    return tuple(found)


def fit_latent(
    sketch: Sketch, *, start: Evaluation | None = None, prevalence: float | Sequence[float] | None = None
) -> LatentFit:
    """Find the prevalences and confusions that make the votes most likely if judges err independently.

    Missing votes are taken as missing by chance. Three judges are needed for one answer. The likelihood may have
    several tops: the majority, closed forms of trios and single judges are tried as starts and the highest top is
    taken, or only the one that `start` leads to; a probability of exactly 0 in a start stays 0. `prevalence` is held
    fixed: the share of the first of two labels, or the share of every label.

    The votes do not say which class is which label. With a `start` the classes keep its names; with a known prevalence
    they have it, if another naming is clearly less likely; else that naming is taken in which most judges are better
    than chance, or for more than two labels the sum of accuracies is greatest.

    >>> sketch = Sketch.from_cells(["ann", "bob", "cyd"], ["no", "yes"], [114, 26, 60, 60, 36, 24, 45, 85])
    >>> fit = fit_latent(sketch)
    >>> fit.evaluation.prevalence.round(6), round(fit.log_likelihood, 4)
    (array([0.444444, 0.555556]), -878.9978)
    >>> print(fit)
    if the judges err independently, the votes are likeliest with 44.4% 'no', 55.6% 'yes' and right votes ann 68.9%, \
bob 77.8%, cyd 78.9% (named so that most judges are better than chance)

    References: Dawid & Skene, Applied Statistics 28 (1979); Pepe & Janes, Biostatistics 8 (2007).
    """
    patterns, counts = arrays_of(sketch)
    labels = len(sketch.labels)
    votes = Votes.of(patterns, counts, labels)
    if not votes.weights.any():
        raise InvalidInput(f"the sketch of {count(sketch.size, 'item')} has no votes: count items with votes first")
    known = None if prevalence is None else _checked_prevalence(prevalence, labels)
    if start is None:
        starts = starts_of(sketch.judges, patterns, counts, votes)
    else:
        starts = {"the start given": _checked_start(start, sketch)}
    if known is None:
        name, top = highest(votes, starts, fixed=False)
        reason = BETTER if labels == 2 else ACCURATE
    else:
        close = CLOSE / votes.items
        name, top, reason = _knowing(votes, starts, known, close=close, turn=start is None)
    point = top.point
    if start is not None:
        reason = AS_STARTED
    else:
        order = naming(point.prevalence[0], point.by_truth(), keep_prevalence=known is not None)
        point = Point(point.prevalence[:, order], point.chance[:, order])
    posterior, logs = posterior_of(votes, point)
    method = METHOD if known is None else f"{METHOD}, known prevalence"
    evaluation = Evaluation(sketch.judges, sketch.labels, point.prevalence[0], point.by_truth().copy(), method)
    return LatentFit(
        evaluation=evaluation,
        log_likelihood=float(counts @ logs),
        path=tuple((np.array(top.path) * votes.items).tolist()),
        converged=top.converged,
        posterior=posterior,
        start=name,
        on_boundary=on_boundary(evaluation),
        reason=reason,
        known_prevalence=known is not None,
    )


def _knowing(
    votes: Votes, starts: dict[str, Point], known: Floats, *, close: float, turn: bool
) -> tuple[str, Climb, str]:
    """Find the top with the prevalence held, and what names its labels. Starts are also tried under other names."""
    straight = {name: Point(known[None], point.chance) for name, point in starts.items()}
    if not turn:
        return *highest(votes, straight, fixed=True), KNOWN
    if len(known) > 2:
        for name, point in starts.items():
            order = _assigned(-np.abs(point.prevalence[0][:, None] - known))  # as near as can be to the known ones
            straight[f"{name}, renamed"] = Point(known[None], point.chance[:, order])
        return *highest(votes, straight, fixed=True), KNOWN
    turned = {f"{name}, turned": Point(known[None], point.chance[:, ::-1]) for name, point in starts.items()}
    tops = [highest(votes, each, fixed=True) for each in (straight, turned)]
    first, second = sorted(tops, key=lambda top: -top[1].height)
    better = [naming(np.full(2, 0.5), top.point.by_truth()) == [0, 1] for _, top in (first, second)]
    if first[1].height - second[1].height > close:
        return *first, KNOWN
    return *(second if better == [False, True] else first), f"{BETTER}; the known prevalence does not tell"


def _checked_start(start: Evaluation, sketch: Sketch) -> Point:
    start.check_panel(sketch, SAME, name="start")
    point = Point.of(start)
    if not (np.all(point.prevalence >= 0) and np.all(point.chance >= 0)):
        raise InvalidInput("start has probabilities below 0: start from an evaluation inside [0, 1]")
    return point


def _checked_prevalence(prevalence: float | Sequence[float], labels: int) -> Floats:
    shares = np.asarray(prevalence, dtype=float)
    if shares.ndim == 0 and labels == 2:
        shares = np.array([shares, 1 - shares])
    if shares.shape != (labels,) or not np.all(shares >= 0) or abs(float(shares.sum()) - 1) > 1e-9:
        raise InvalidInput(
            Argument("prevalence", prevalence),
            f" must be the share of the first of two labels, or {labels} shares that sum to 1: give one per label",
        )
    return np.asarray(shares / shares.sum(), dtype=np.float64)


def naming(prevalence: Floats, confusion: Floats, *, keep_prevalence: bool = False) -> list[int]:
    """Choose the class of each label: for two labels by the majority of judges, for more by the sum of accuracies.

    With two labels, that naming is taken in which more judges are better than chance than worse; if as many are, the
    one with the greater sum of skills. `keep_prevalence` lets only classes of the same prevalence change places.
    """
    if len(prevalence) == 2:
        skill = confusion[:, 0, 0] + confusion[:, 1, 1] - 1
        balance = int((skill > 0).sum()) - int((skill < 0).sum())
        worse = (balance, float(skill.sum())) < (0, 0.0)
        return [1, 0] if worse and not keep_prevalence else [0, 1]
    gain = confusion.sum(axis=0)
    if keep_prevalence:
        gain = np.where(prevalence[:, None] == prevalence, gain, -1e6)
    return _assigned(gain)


def _assigned(gain: Floats) -> list[int]:
    """Assign to each label (column) a class (row), each once, with the greatest sum of gains."""
    from scipy.optimize import linear_sum_assignment  # half a second to import, for more than two labels only

    classes, labels = linear_sum_assignment(gain, maximize=True)
    order: list[int] = classes[np.argsort(labels)].tolist()
    return order
