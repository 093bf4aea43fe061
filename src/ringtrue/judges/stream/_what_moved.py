"""Which part of a panel moved between two samples of votes: the prevalence, or a judge."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaincc, ndtri, ndtri_exp

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges._evaluation import Evaluation
from ringtrue.judges.latent._fit import fit_test
from ringtrue.judges.latent._latent import fit_latent
from ringtrue.judges.latent._latent_fit import LatentFit
from ringtrue.judges.latent._residuals import pair_residuals
from ringtrue.judges.stream._alike import alike_since
from ringtrue.judges.stream._moved import LEVEL, Moved, Part
from ringtrue.judges.stream._moved_fit import PREVALENCE, TwoSampleFit, TwoSamples
from ringtrue.judges.stream._observed import rate_shifts
from ringtrue.judges.trio._trio import solve_trio
from ringtrue.stats import ranked

# So many judges are tried as the ones who moved; in larger panels those whose votes differ most.
_TRIED = 8
# Up to so many patterns the fit is tested on all of them at once.
_FEW_PATTERNS = 64


def what_moved(before: Sketch, since: Sketch) -> Moved:
    """Which parts of a panel moved between two samples, and how far.

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
    """The prevalence and the judges, with what moved marked; or none and the reason."""
    usual, reason = _usable(before, since)
    if usual is None:
        return (), reason
    samples = TwoSamples(before, since)
    shared = samples.fit(frozenset(), usual)
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
    """The first sample's evaluation if its judges seem to err independently; otherwise why not."""
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
    """How the votes contradict independent errors: pattern by pattern where they are few, otherwise pair by pair."""
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
    """Log of the probability that letting a part move gains so much by chance: of twice the gain, by chi-square."""
    labels = len(sketch.labels)
    half = (labels - 1) * (1 if part == PREVALENCE else labels) / 2
    gain = max(0.0, more.log_likelihood - less.log_likelihood)
    chance = float(gammaincc(half, gain))
    if chance > 0:
        return math.log(chance)
    return -gain + (half - 1) * math.log(gain) - math.lgamma(half)  # its tail, where it is too small for a number


def _deviate(log_chance: float) -> float:
    """The normal deviate that is exceeded on either side with this probability."""
    return max(0.0, float(-ndtri_exp(log_chance - math.log(2))))


def _values(fit: TwoSampleFit, place: int, sample: int) -> tuple[float, ...]:
    shares = fit.prevalence[sample] if place == PREVALENCE else fit.confusion[sample, place].diagonal()
    return tuple(float(share) for share in shares)
