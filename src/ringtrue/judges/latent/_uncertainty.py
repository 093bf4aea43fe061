"""How sure an evaluation without labels can be, if judges err independently: in general, and on these very items."""

from __future__ import annotations

from typing import get_args

import numpy as np
from scipy.special import ndtri

from ringtrue.core import Argument, Interval, InvalidInput, Sketch, count
from ringtrue.judges._evaluation import Estimates, Evaluation, Floats, Reserve, Target, check_target
from ringtrue.judges.latent._angles import AngleLikelihood, Quantities, angle, fold_angles
from ringtrue.judges.latent._em import arrays_of
from ringtrue.judges.latent._information import MOST_CELLS, information, slopes_of
from ringtrue.judges.latent._profile import climb_angles, profile, standard_errors, widen_quantile

_WORK = 2**25
"""Above so many products in one step of the search, curvature at the best fit has to do: a panel of 12 judges who are
seen in thousands of patterns. Large panels have a likelihood that is near to a parabola."""

UNKNOWNS = 1_500
"""Above so many unknowns the intervals would take minutes."""

_STEP = 2**33
"""Above so many multiplications in one step of their search as well: labels by patterns by unknowns squared. A thousand
items with 3 judges and 16 labels, or 10 judges and 9 labels, are below."""

_NUMBERS = 2**24
"""Above so many numbers, unknowns by labels by patterns, 128 MB for one table of scores, the intervals would take half
a gigabyte and more; and where all patterns make more than these, only those that were seen are listed."""

_STEPS = 3 * 10**10
"""Steps that the search for the best fit may take, times the cube of the unknowns, which each of them costs."""

_WHOLE = 0.99
"""An interval at least so wide says nothing, and its method says so."""


def unlabelled_estimates(
    sketch: Sketch,
    evaluation: Evaluation,
    *,
    target: Target,
    level: float = 0.95,
    prevalence_known: bool = False,
) -> Estimates:
    """Put intervals around an evaluation made from votes alone, by the likelihood of independent judges.

    In general: the values that some likely fit has, by profile likelihood, a little wider where the votes tell little.
    Unlike the estimate give or take its standard error, these hold at the edges and for weak judges, whose likelihood
    is far from a parabola. Fits with the labels swapped are as likely; the evaluation has chosen between the two.

    On this test: the same, drawn in by the share of the variance that comes from which items happened to be in the
    test. That share is computed with half an item added to each count, so that judges without a seen error are not
    taken for perfect. Missing votes are taken to be missing at random.

    The intervals know of chance alone: judges who err together put the truth outside.

    References: Venzon & Moolgavkar, Applied Statistics 37 (1988); Louis, Journal of the Royal Statistical Society B 44
    (1982).

    >>> from ringtrue.judges import fit_latent
    >>> trio = Sketch.from_cells(["ann", "bob", "cyd"], ["no", "yes"], [114, 26, 60, 60, 36, 24, 45, 85])
    >>> told = unlabelled_estimates(trio, fit_latent(trio).evaluation, target="in general")
    >>> print(told.prevalence[0])
    44.4% [26.7%, 61.8%] (95%, profile likelihood, only if the judges share nothing but the truth)

    Parameters
    ----------
    sketch
        The votes.
    evaluation
        What was made from them.
    target
        "in general" for items like these, "on this test" for these very items.
    level
        The level of each interval.
    prevalence_known
        States that the prevalence of the evaluation was given, not estimated.
    """
    check_target(target)
    return unlabelled_both(sketch, evaluation, level=level, prevalence_known=prevalence_known)[target]


def unlabelled_both(
    sketch: Sketch, evaluation: Evaluation, *, level: float = 0.95, prevalence_known: bool = False
) -> dict[Target, Estimates]:
    """Do the same for both targets at once, in the time of one: see `unlabelled_estimates`."""
    evaluation.check_panel(sketch, "give the sketch it was made from")
    if not 0.5 <= level < 1:
        raise InvalidInput(Argument("level", level), " must lie in [0.5, 1): write 0.95 for 95%")
    if not sketch.size:
        raise InvalidInput("sketch has no items: count votes before asking how sure they make one")
    patterns, counts = arrays_of(sketch)
    likelihood = AngleLikelihood(patterns, counts, len(sketch.labels), prevalence_known=prevalence_known)
    quantities = Quantities(likelihood)
    z = float(ndtri((1 + level) / 2))
    start = fold_angles(likelihood.angles_of(evaluation))
    if 2 * len(quantities) * (len(patterns) + likelihood.size) * likelihood.size**2 <= _WORK:
        (best, value, ends), method = profile(likelihood, start, quantities, z=z), "profile likelihood"
    else:
        (best, value, ends), method = _by_curvature(likelihood, start, quantities, z), "likelihood curvature"
    # An interval that is printed by itself, or read from JSON without what is around it, keeps its reserve.
    method = f"{method}, {Reserve.CONDITIONAL.value}"
    ratio = _drawn_in(likelihood.evaluation_at(best, evaluation, method), sketch, prevalence_known)
    at_edge = (ends < 1e-5) | (ends > np.pi - 1e-5)
    drawn = np.where(at_edge, ends, value[:, None] + (ends - value[:, None]) * ratio[:, None])
    note = ""
    if likelihood.value(start[None])[0] < likelihood.value(best[None])[0] - z * z / 2:
        note = "; the estimate is not the most likely one"
    told = {"in general": (ends, method + note), "on this test": (drawn, f"{method}, on these items{note}")}
    return {
        target: _estimates(sketch, evaluation, *told[target], target, level, prevalence_known)
        for target in get_args(Target)
    }


def _by_curvature(
    likelihood: AngleLikelihood, start: Floats, quantities: Quantities, z: float
) -> tuple[Floats, Floats, Floats]:
    """Return the best fit, the quantities there, and their ends as far off as the curvature says."""
    steps = max(10, min(100, _STEPS // likelihood.size**3))
    (best,), _ = climb_angles(likelihood, likelihood.start_from(start)[None], steps=steps, gain=1e-6)
    value, error, _ = standard_errors(likelihood, best, quantities)
    reach = widen_quantile(z, error) * error
    return best, value, np.clip(np.stack([value - reach, value + reach], axis=1), 0.0, np.pi)


def _drawn_in(fitted: Evaluation, sketch: Sketch, prevalence_known: bool) -> Floats:
    """Return the standard error on this test over that in general, for each quantity."""
    labels = len(fitted.labels)
    items = sketch.size * fitted.prevalence
    prevalence = (items + 0.5) / (sketch.size + 0.5 * labels)
    confusion = (fitted.confusion * items[:, None] + 0.5) / (items[:, None] + 0.5 * labels)
    softened = Evaluation(fitted.judges, fitted.labels, prevalence, confusion, fitted.method)
    cells = labels ** len(fitted.judges)
    unknowns = (labels - 1) * (1 + len(fitted.judges) * labels)
    listed = not sketch.abstentions and cells <= MOST_CELLS and labels * cells * unknowns <= _NUMBERS
    told = information(softened, sketch=None if listed else sketch, prevalence_known=prevalence_known)
    slopes = slopes_of(softened)
    general, here = (np.einsum("qp,pr,qr->q", slopes, told.covariance(target), slopes) for target in get_args(Target))
    ratio: Floats = np.sqrt(np.maximum(here, 0.0) / np.where(general > 0, general, 1.0))
    return ratio


def _estimates(
    sketch: Sketch,
    evaluation: Evaluation,
    ends: Floats,
    method: str,
    target: Target,
    level: float,
    prevalence_known: bool,
) -> Estimates:
    patterns, counts = arrays_of(sketch)
    votes, labels = counts @ (patterns >= 0), len(sketch.labels)
    shares = np.full(labels, float(sketch.size))
    # In the order of `Estimates.numbers`: the estimates, the items they are of, and how many labels could tell at most.
    values = np.concatenate([evaluation.prevalence, evaluation.accuracies.ravel(), evaluation.overall])
    items = np.concatenate([shares, np.repeat(votes, labels), votes])
    told = np.concatenate([shares, np.outer(votes, evaluation.prevalence).ravel(), votes])
    bounds = np.sin(np.clip(ends, 0.0, np.pi) / 2) ** 2
    numbers = []
    for value, n, known, (low, high) in zip(np.clip(values, 0.0, 1.0).tolist(), items, told, bounds, strict=True):
        least = _least(value, float(known), level) if target == "in general" else (value, value)
        low, high = min(float(low), value, least[0]), max(float(high), value, least[1])
        how = f"{method}; the votes do not bound it" if high - low >= _WHOLE else method
        numbers.append(Interval(value, low, high, level, how, int(n)))
    if prevalence_known:
        numbers[:labels] = [_given(share, sketch.size, target, level) for share in evaluation.prevalence]
    return Estimates.of(sketch, numbers, target, method)


def _least(share: float, items: float, level: float) -> tuple[float, float]:
    """Return Wilson's interval for as many labelled items: votes without labels cannot tell more.

    It matters for a judge with a handful of votes, where the likelihood is flat and a search may end too soon.
    """
    z = float(ndtri((1 + level) / 2)) ** 2
    middle, spread = (share * items + z / 2) / (items + z), np.sqrt(z * (items * share * (1 - share) + z / 4))
    return max(0.0, float(middle - spread / (items + z))), min(1.0, float(middle + spread / (items + z)))


def _given(share: float, items: int, target: Target, level: float) -> Interval:
    """Return a prevalence that was given: certain in general, and on these items as near to it as chance allows."""
    share = float(share)
    if target == "in general":
        return Interval(share, share, share, level, "given, not estimated", items)
    reach = float(ndtri((1 + level) / 2)) / np.sqrt(items)
    low, high = np.sin(np.clip(angle(share) + np.array([-reach, reach]), 0.0, np.pi) / 2) ** 2
    return Interval(share, min(low, share), max(high, share), level, "given; on these items by chance", items)


def beyond_votes(votes: Sketch) -> str:
    """Say in one sentence why votes alone are not evaluated; nothing if they can be.

    A judge has a chance for each vote on the items of each label. Where these are more than the votes, nothing
    determines them.
    """
    judges, labels = len(votes.judges), len(votes.labels)
    unknowns = (labels - 1) * (1 + judges * labels)
    given = votes.size * judges - votes.abstentions
    panel = f"{count(judges, 'judge')} with {count(labels, 'label')} have {count(unknowns, 'unknown')}"
    if unknowns > given:
        return f"votes alone are not evaluated: {panel} and gave {count(given, 'vote')}; merge labels, or add items"
    numbers = unknowns * labels * len(votes)
    if unknowns > UNKNOWNS or numbers > _NUMBERS or numbers * unknowns > _STEP:
        patterns = count(len(votes), "pattern")
        return f"votes alone are not evaluated: {panel} on {patterns}, too many to work out; merge labels"
    return ""
