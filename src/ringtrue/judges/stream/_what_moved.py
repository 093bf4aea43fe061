"""Which part of a panel moved between two samples of votes: the prevalence, a judge, or two who now vote alike."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc, ndtri, ndtri_exp

from ringtrue.core import ABSTAINED, InvalidInput, Sketch
from ringtrue.judges._evaluation import Evaluation, Floats
from ringtrue.judges._trio import solve_trio
from ringtrue.judges.latent._climb import climb
from ringtrue.judges.latent._em import Point, Votes, arrays_of, posterior_of
from ringtrue.judges.latent._fit_test import fit_test
from ringtrue.judges.latent._latent import LatentFit, fit_latent
from ringtrue.judges.latent._pairs import APART, ITEMS, SECOND, pair_residuals, pair_tables
from ringtrue.judges.stream._moved import LEVEL, Moved, Part, rate_shifts
from ringtrue.stats import ranked

# So many judges are tried as the ones who moved; in larger panels those whose votes differ most.
_TRIED = 8
# Up to so many patterns the fit is tested on all of them at once.
_FEW_PATTERNS = 64

PREVALENCE = -1
"""Stands for the prevalence where parts are named by a judge's place."""

JUDGES = 100
"""In larger panels pairs are not compared: their tables would be most of the work."""


def what_moved(before: Sketch, since: Sketch) -> Moved:
    """Find which parts of a panel moved between two samples, and how far.

    Fits both samples together with judges who err independently, all parts shared. Then parts are let go one by
    one, the clearest first, as long as the likelihood gains by more than chance would. A shift of the prevalence
    leaves the judges as they are; a judge who moves leaves the prevalence and the others. With fewer than three
    judges, or if the model does not describe the first sample, or if two judges vote alike who did not before, only
    shares of votes and agreements are compared; so they are if a fit fails, and the failure is told.
    """
    if (before.judges, before.labels) != (since.judges, since.labels):
        raise InvalidInput("before and since are not of the same judges and labels: use marginal() to make them so")
    rates = rate_shifts(before, since)
    alike: tuple[tuple[str, str], ...] = ()
    parts: tuple[Part, ...] = ()
    reason = failure = ""
    try:
        alike = alike_since(before, since, level=LEVEL)
        if alike:
            reason = "votes cannot tell a copy from two judges who are now both right"
        else:
            parts, reason = _parts(before, since)
    except Exception as error:  # whatever goes wrong in the fits, what was seen is told
        failure = f"{type(error).__name__}: {error}"
    return Moved(before.labels, (before.size, since.size), parts, reason, rates, alike, failure)


def _parts(before: Sketch, since: Sketch) -> tuple[tuple[Part, ...], str]:
    """Return the prevalence and the judges, with what moved marked; or none and the reason."""
    usual, reason = _usable(before, since)
    if usual is None:
        return (), reason
    samples = TwoSamples(before, since)
    twice = TwoSampleFit(np.stack([usual.prevalence] * 2), np.stack([usual.confusion] * 2), -math.inf)
    shared = samples.fit(frozenset(), twice)
    tried = [PREVALENCE, *sorted(samples.likely_movers(shared, _TRIED))]
    limit = math.log((1 - LEVEL) / (len(before.judges) + 1))
    moved: frozenset[int] = frozenset()
    best = shared
    while len(moved) < len(tried):
        fits = {part: samples.fit(moved | {part}, best) for part in tried if part not in moved}
        clearest = min(fits, key=lambda part: _log_chance(fits[part], best, part, before))
        if _log_chance(fits[clearest], best, clearest, before) > limit:
            break
        moved, best = moved | {clearest}, fits[clearest]
    clarity = {}
    for part in tried:
        other = samples.fit(moved ^ {part}, best)
        with_part, without = (best, other) if part in moved else (other, best)
        clarity[part] = _deviate(_log_chance(with_part, without, part, before))
    names = {PREVALENCE: "prevalence", **dict(enumerate(before.judges))}
    return tuple(
        Part(name, place in moved, clarity.get(place), *(_values(best, place, sample) for sample in (0, 1)))
        for place, name in names.items()
    ), ""


def _usable(before: Sketch, since: Sketch) -> tuple[Evaluation | None, str]:
    """Evaluate the first sample if its judges seem to err independently; otherwise say why not."""
    if len(before.judges) < 3:
        return None, "that takes three judges or more"
    if not before.size or not since.size:
        return None, "one of the samples is empty"
    complete = before.complete()
    if len(before.judges) == 3 and len(before.labels) == 2 and complete.size:
        trio = solve_trio(complete)
        if not trio.valid:
            return None, f"three judges who err independently do not vote like this: {trio.reason}"
    fit = fit_latent(before)
    misfit = _misfit(before, fit)
    return (None, f"judges who err independently do not vote like this: {misfit}") if misfit else (fit.evaluation, "")


def _misfit(sketch: Sketch, fit: LatentFit) -> str:
    """Say how the votes contradict independent errors: pattern by pattern where these are few, else pair by pair."""
    judges = len(sketch.judges)
    if len(sketch.labels) ** judges <= _FEW_PATTERNS and not sketch.abstentions:
        test = fit_test(sketch, fit)
        return str(test) if test.p is not None and test.p <= 1 - LEVEL else ""
    if judges < 4:
        return ""
    z = pair_residuals(sketch, fit.evaluation)
    first, second = (int(place) for place in np.unravel_index(ranked(np.abs(z))[0], z.shape))
    worst = float(z[first, second])
    if abs(worst) <= -ndtri((1 - LEVEL) / (judges * (judges - 1))):
        return ""
    how = "more" if worst > 0 else "less"
    return f"{sketch.judges[first]} and {sketch.judges[second]} agree {how} than that explains (z = {worst:.1f})"


def _log_chance(more: TwoSampleFit, less: TwoSampleFit, part: int, sketch: Sketch) -> float:
    """Return the log chance of so large a gain if nothing moved: of twice the gain, by chi-square."""
    labels = len(sketch.labels)
    half = (labels - 1) * (1 if part == PREVALENCE else labels) / 2
    gain = max(0.0, more.log_likelihood - less.log_likelihood)
    chance = float(gammaincc(half, gain))
    if chance > 0:
        return math.log(chance)
    return -gain + (half - 1) * math.log(gain) - math.lgamma(half)  # its tail, where it is too small for a number


def _deviate(log_chance: float) -> float:
    """Return the normal deviate that is exceeded on either side with this probability."""
    return max(0.0, float(-ndtri_exp(log_chance - math.log(2))))


def _values(fit: TwoSampleFit, place: int, sample: int) -> tuple[float, ...]:
    shares = fit.prevalence[sample] if place == PREVALENCE else fit.confusion[sample, place].diagonal()
    return tuple(float(share) for share in shares)


@dataclass(frozen=True, slots=True, eq=False)
class TwoSampleFit:
    """The likeliest parameters: prevalence (2, labels) and confusion (2, judges, labels, labels), before and since."""

    prevalence: Floats
    confusion: Floats
    log_likelihood: float


class TwoSamples:
    """Two samples of the same judges, to be fitted with any set of parts moving between them.

    A judge who moves is two judges, of whom one never votes in the second sample and the other never in the first.
    """

    def __init__(self, before: Sketch, since: Sketch) -> None:
        (old, times), (new, more) = arrays_of(before), arrays_of(since)
        self._patterns, self._counts = np.concatenate([old, new]), np.concatenate([times, more])
        self._second = np.repeat([0, 1], [len(before), len(since)])
        self._labels, self._judges = len(before.labels), len(before.judges)

    def fit(self, moved: frozenset[int], start: TwoSampleFit) -> TwoSampleFit:
        judges = sorted(moved - {PREVALENCE})
        second = self._second[:, None] == 1
        twins = np.where(second, self._patterns[:, judges], ABSTAINED)
        own = self._patterns.copy()
        own[:, judges] = np.where(second, ABSTAINED, own[:, judges])
        stratum = self._second if PREVALENCE in moved else np.zeros_like(self._second)
        votes = Votes.of(np.concatenate([own, twins], axis=1), self._counts, self._labels, stratum=stratum)
        rows = np.concatenate([start.confusion[0], start.confusion[1][judges]])
        run = climb(votes, Point.tabled(start.prevalence[: votes.strata].copy(), rows), fixed=False)
        table = run.point.by_truth()
        confusion = np.stack([table[: self._judges]] * 2)
        confusion[1][judges] = table[self._judges :]
        prevalence = np.broadcast_to(run.point.prevalence, (2, self._labels)).copy()
        return TwoSampleFit(prevalence, confusion, run.height * votes.items)

    def likely_movers(self, shared: TwoSampleFit, most: int) -> list[int]:
        """List the judges whose votes differ most between the samples, given what each pattern says of the truth."""
        votes = Votes.of(self._patterns, self._counts, self._labels)
        posterior, _ = posterior_of(votes, Point.tabled(shared.prevalence[:1], shared.confusion[0]))
        weights = self._counts[:, None] * posterior
        # Votes by sample, judge, vote and truth: items that each sample would have if the posterior were the truth.
        said = np.stack([votes.said.T @ np.where(self._second[:, None] == sample, weights, 0.0) for sample in (0, 1)])
        said = said.reshape(2, self._judges, self._labels, self._labels)
        cast = np.maximum(said.sum(axis=2, keepdims=True), 1e-9)
        pooled = said.sum(axis=0) / cast.sum(axis=0)
        variance = np.maximum(pooled * (1 - pooled), 1e-9) * (1 / cast).sum(axis=0)
        score = (np.diff(said / cast, axis=0)[0] ** 2 / variance).sum(axis=(1, 2))
        return [int(judge) for judge in np.argsort(-score, kind="stable")[:most]]


def alike_since(before: Sketch, since: Sketch, *, level: float) -> tuple[tuple[str, str], ...]:
    """Name the pairs who vote apart on no more than 5% of 20 common items or more, and clearly more often before.

    Clearly: by more than chance would move the agreement of one of all pairs in 1 - level of comparisons. The two must
    have used another label than their usual one on five items, or else all that is known is that they said the same.
    """
    judges = len(before.judges)
    if judges > JUDGES or not before.size or not since.size:
        return ()
    old, new = (pair_tables(Votes.of(*arrays_of(each), len(each.labels))) for each in (before, since))
    (common, agreed), (later, alike) = ((each.sum(axis=(2, 3)), np.einsum("ijaa->ij", each)) for each in (old, new))
    second = alike - np.einsum("ijaa->ija", new).max(axis=2)
    near = (later >= ITEMS) & (later - alike <= APART * later) & (second >= SECOND) & (common > 0)
    share = (agreed + alike) / np.maximum(common + later, 1)
    error = np.sqrt(share * (1 - share) * (1 / np.maximum(common, 1) + 1 / np.maximum(later, 1)))
    rise = alike / np.maximum(later, 1) - agreed / np.maximum(common, 1)
    clear = rise > -float(ndtri((1 - level) / max(math.comb(judges, 2), 1))) * error
    pairs = zip(*np.nonzero(np.triu(near & clear, 1)), strict=True)
    return tuple((before.judges[one], before.judges[other]) for one, other in pairs)
