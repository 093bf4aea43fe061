"""The ladder: the right evaluator for the judges, labels and knowledge at hand, and what it says of the judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges._evaluation import Estimates, Evaluation
from ringtrue.judges._margin import margin_of
from ringtrue.judges._notice import chance_to_notice
from ringtrue.judges._panel_finding import PanelFinding
from ringtrue.judges._reasons import Looked, reasons_of
from ringtrue.judges._reserve import Reason, Reserve, weigh
from ringtrue.judges._standing import GOOD_ENOUGH, all_at_once, standings_of
from ringtrue.judges._use import uses_of, worth_of
from ringtrue.judges._work import beyond_program, beyond_votes, simulations
from ringtrue.judges.bounds._bounds import best_minimum_accuracy
from ringtrue.judges.intervals._uncertainty import unlabelled_both
from ringtrue.judges.labelled._labelled import LabelledPanel
from ringtrue.judges.latent._arrays import arrays_of
from ringtrue.judges.latent._fit import FitTest, fit_test
from ringtrue.judges.latent._latent import fit_latent
from ringtrue.judges.latent._latent_fit import LatentFit
from ringtrue.judges.latent._residuals import pair_residuals
from ringtrue.judges.trio._majority import majority_vote
from ringtrue.judges.trio._response import tolerance
from ringtrue.judges.trio._trio import Trio, mirror, solve_trio


@dataclass(frozen=True, slots=True)
class _Rung:
    """What one step of the ladder gives; `lacking` says why votes alone were not evaluated although judges suffice."""

    method: str
    choice: str
    evaluation: Evaluation | None = None
    trio: Trio | None = None
    latent: LatentFit | None = None
    fit: FitTest | None = None
    lacking: str = ""


def evaluate(
    sketch: Sketch,
    *,
    truth: str | None = None,
    prevalence: float | None = None,
    better: str | None = None,
    at_least: float | None = None,
    independent: bool = False,
    level: float = 0.95,
) -> PanelFinding:
    """Judge the judges: say which are good enough, with intervals, and what votes alone would say of them.

    With labels every number that is shown without reserve rests on them, whatever the judges share. Numbers from votes
    alone carry a reserve, which only `independent` lifts, and only while nothing speaks against it.

    Parameters:
        sketch: the counts of vote patterns.
        truth: the judge of the sketch who is the truth where it is known; items it left out are unlabelled, and the
            labelled ones must be a random sample.
        prevalence: the known share of the first label.
        better: a judge that is known to be better than chance.
        at_least: the share of right votes on every label that makes a judge good enough; 80% if it is not given.
        independent: states that the judges share nothing but the truth, which no votes can show.
        level: the level of each interval, and of all standings together.

    >>> trio = Sketch.from_cells(["ann", "bob", "cyd"], ["no", "yes"], [114, 26, 60, 60, 36, 24, 45, 85])
    >>> found = evaluate(trio, at_least=0.7)
    >>> print(found)
    it takes about 180 labels to tell whether ann, bob and cyd are good enough
    >>> found.reserve.value, round(float(found.evaluation.prevalence[0]), 12)
    ('only if the judges share nothing but the truth', 0.444444444444)
    """
    votes = sketch if truth is None else sketch.without(truth)
    _check(votes, prevalence, better, at_least)
    rung = _climb(votes, prevalence, better)
    evaluation = rung.evaluation
    known = prevalence is not None
    binary = len(votes.labels) == 2
    enough = evaluation is not None and len(votes.judges) >= 3
    sure = all_at_once(level, len(votes.judges), len(votes.labels))
    general = here = None
    if evaluation is not None:
        both = unlabelled_both(votes, evaluation, level=level, prevalence_known=known)
        general, here = both["in general"], both["on this test"]
    labels = None if truth is None else _Labelled.of(sketch, truth, level)
    looked = Looked(
        sketch=sketch,
        votes=votes,
        truth=truth,
        evaluation=evaluation,
        trio=rung.trio,
        fit=rung.fit,
        residuals=pair_residuals(votes, evaluation) if evaluation is not None and len(votes.judges) >= 4 else None,
        tolerance=tolerance(evaluation) if evaluation is not None and enough and binary else None,
        notice=chance_to_notice(evaluation, votes.size)
        if evaluation is not None and enough and binary and not votes.abstentions
        else None,
        general=general,
        margin=None if general is None or labels is None else margin_of(general, labels.estimates_at(sure), level),
        prevalence=prevalence,
        independent=independent,
    )
    unlooked = beyond_program(votes) if at_least is not None else ""
    lacking = [Reason("unknowns", "doubt", rung.lacking)] if rung.lacking else []
    lacking += [Reason("specification", "note", unlooked)] if unlooked else []
    reserve, reasons = weigh([*lacking, *reasons_of(looked)])
    estimates_at = None if labels is None else labels.estimates_at
    if estimates_at is None and evaluation is not None and reserve is Reserve.NONE:
        estimates_at = partial(_stated, votes, evaluation, known)
    together = None if estimates_at is None else estimates_at(sure)
    best = None
    if (binary or at_least is not None) and not beyond_program(votes):
        best = best_minimum_accuracy(votes)
    standings = standings_of(
        votes.judges,
        estimates_at,
        labelled=0 if labels is None else labels.items,
        items=votes.size,
        rarest=_rarest(votes, evaluation),
        labels=len(votes.labels),
        bar=GOOD_ENOUGH if at_least is None else at_least,
        level=level,
        ceiling=best,
    )
    return PanelFinding(
        standings=standings,
        uses=uses_of(
            standings,
            together,
            labelled=0 if labels is None else labels.items,
            worth=None if labels is None else labels.worth,
        ),
        reserve=reserve,
        reasons=reasons,
        judges=votes.judges,
        labels=votes.labels,
        items=votes.size,
        abstentions=votes.abstentions,
        labelled_items=0 if labels is None else labels.items,
        method=rung.method,
        choice=rung.choice,
        evaluation=evaluation,
        mirror=mirror(evaluation) if evaluation is not None and binary and not known else None,
        majority=majority_vote(votes).evaluation,
        general=general,
        here=here,
        labelled=None if labels is None else labels.general,
        labelled_here=None if labels is None else labels.here,
        together=together,
        margin=looked.margin,
        fit=rung.fit,
        residuals=looked.residuals,
        tolerance=looked.tolerance,
        notice=looked.notice,
        best=best,
        assumptions=_assumptions(looked),
    )


@dataclass(frozen=True, slots=True)
class _Labelled:
    """What the labels say: of items like these, of these very items, and of items like these at any level."""

    items: int
    general: Estimates
    here: Estimates
    estimates_at: Callable[[float], Estimates]
    worth: float | None

    @classmethod
    def of(cls, sketch: Sketch, truth: str, level: float) -> _Labelled:
        items = sketch.size - sketch.given(truth, None).size
        if not items:
            raise InvalidInput(f"truth={truth!r} has no label at all: label some items, chosen by chance")
        panel = LabelledPanel.of(sketch, truth)
        general = panel.estimates(level=level)
        here = panel.estimates(level=level, target="on this test")
        worth = worth_of(items, general, panel.without_votes.estimates(level=level)) if items < sketch.size else None
        return cls(items, general, here, lambda wanted: panel.estimates(level=wanted), worth)


def _stated(votes: Sketch, evaluation: Evaluation, prevalence_known: bool, level: float) -> Estimates:
    """What votes alone say at a level, where the user's statement lifts the reserve."""
    return unlabelled_both(votes, evaluation, level=level, prevalence_known=prevalence_known)["in general"]


def _rarest(votes: Sketch, evaluation: Evaluation | None) -> float:
    """How common the rarest label is as far as votes tell: judges who err vote for it more often than it comes."""
    patterns, counts = arrays_of(votes)
    shares = [float(counts @ (patterns == label).sum(axis=1)) for label in range(len(votes.labels))]
    share = min(shares) / max(sum(shares), 1.0)
    return share if evaluation is None else min(share, float(evaluation.prevalence.min()))


def _climb(votes: Sketch, prevalence: float | None, better: str | None) -> _Rung:
    """Two judges have no answer, three a closed form, more or more labels the likelihood."""
    if len(votes.judges) < 3:
        return _Rung("bounds without assumptions", "none: fewer than three judges")
    if len(votes.judges) == 3 and len(votes.labels) == 2 and not votes.abstentions:
        trio = solve_trio(votes, better=better, prevalence=prevalence)
        if prevalence is None:
            return _Rung(
                f"error-independent trio, {trio.status}", trio.reason, trio.chosen if trio.valid else None, trio
            )
        latent = fit_latent(votes, prevalence=prevalence)
        fit = fit_test(votes, latent)
        return _Rung(latent.evaluation.method, latent.reason, latent.evaluation, trio, latent, fit)
    if lacking := beyond_votes(votes):
        return _Rung("none from votes alone", "none: too many unknowns", lacking=lacking)
    latent = fit_latent(votes, prevalence=prevalence)
    evaluation, choice = latent.evaluation, latent.reason
    if better is not None and len(votes.labels) == 2 and evaluation.skill[votes.place_of(better)] < 0:
        evaluation, choice = mirror(evaluation), f"{better} is stated to be better than chance"
    return _Rung(
        evaluation.method, choice, evaluation, None, latent, fit_test(votes, latent, repetitions=simulations(votes))
    )


def _check(votes: Sketch, prevalence: float | None, better: str | None, at_least: float | None) -> None:
    if not votes.size:
        raise InvalidInput("sketch holds no votes: count at least one item")
    if prevalence is not None and not 0 < prevalence < 1:
        raise InvalidInput(f"prevalence={prevalence:g} must lie strictly between 0 and 1: write it like 0.3")
    if prevalence is not None and len(votes.labels) != 2:
        raise InvalidInput(f"prevalence={prevalence:g} is for two labels, there are {len(votes.labels)}: leave it out")
    if at_least is not None and not 0 <= at_least <= 1:
        raise InvalidInput(f"at_least={at_least:g} must lie between 0 and 1: write it like 0.8")
    if better is not None:
        votes.place_of(better)
        if prevalence is not None:
            raise InvalidInput(
                f"better={better!r} and prevalence={prevalence:g} may contradict each other: give one of them"
            )
        if len(votes.labels) != 2:
            raise InvalidInput(f"better={better!r} is for two labels, there are {len(votes.labels)}: leave it out")


def _assumptions(looked: Looked) -> tuple[str, ...]:
    """What must be true of the world, one sentence each."""
    lines = []
    if looked.evaluation is not None:
        lines.append(
            "From votes alone: on items of one true label the judges err independently of each other. What the votes "
            "identify is whatever all judges respond to; that it is the label in question, no votes can show."
        )
        if looked.prevalence is None:
            lines.append(
                "Which label is which: most judges are better than chance, or what was stated instead of that."
            )
    if looked.votes.abstentions:
        lines.append("Whether a judge abstains does not depend on the truth, nor on how it would have voted.")
    if looked.truth is not None:
        lines.append("The labelled items are a random sample of all items, and their labels are right.")
    lines.append("In general: the items are a random sample of those the numbers speak of.")
    return tuple(lines)
