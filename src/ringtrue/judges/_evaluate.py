"""The ladder: the right evaluator for the judges, labels and knowledge at hand, and what it says of the judges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from ringtrue.core import Argument, InvalidInput, Sketch
from ringtrue.judges._bounds import best_minimum_accuracy, beyond_program
from ringtrue.judges._evaluation import Evaluation, Reason, Reserve, all_at_once, margin_of, weigh
from ringtrue.judges._labelled import LabelledPanel
from ringtrue.judges._majority import majority_vote
from ringtrue.judges._panel_finding import PanelFinding, uses_of, worth_of
from ringtrue.judges._reasons import Looked, reasons_of
from ringtrue.judges._shared_errors import chance_to_notice, tolerance
from ringtrue.judges._standing import GOOD_ENOUGH, standings_of
from ringtrue.judges._trio import CONTRADICT, Trio, mirror, solve_trio
from ringtrue.judges.latent._em import arrays_of
from ringtrue.judges.latent._fit_test import FitTest, fit_test, simulations
from ringtrue.judges.latent._latent import fit_latent
from ringtrue.judges.latent._pairs import pair_residuals
from ringtrue.judges.latent._uncertainty import beyond_votes, unlabelled_both, unlabelled_estimates


@dataclass(frozen=True, slots=True)
class _Rung:
    """One step of the ladder; `lacking` says why votes alone were not evaluated although judges suffice."""

    method: str
    choice: str
    evaluation: Evaluation | None = None
    trio: Trio | None = None
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

    >>> trio = Sketch.from_cells(["ann", "bob", "cyd"], ["no", "yes"], [114, 26, 60, 60, 36, 24, 45, 85])
    >>> found = evaluate(trio, at_least=0.7)
    >>> print(found)
    it takes about 180 labels to tell whether ann, bob and cyd are good enough
    >>> found.reserve.value, round(float(found.evaluation.prevalence[0]), 12)
    ('only if the judges share nothing but the truth', 0.444444444444)

    Parameters
    ----------
    sketch
        The counts of vote patterns.
    truth
        The judge of the sketch who is the truth where it is known; items it left out are unlabelled, and the labelled
        ones must be a random sample.
    prevalence
        The known share of the first label.
    better
        A judge that is known to be better than chance.
    at_least
        The share of right votes on every label that makes a judge good enough; 80% if it is not given.
    independent
        States that the judges share nothing but the truth, which no votes can show.
    level
        The level of each interval, and of all standings together.
    """
    votes = sketch if truth is None else sketch.without(truth)
    check_options(votes, prevalence, better, at_least)
    rung = _climb(votes, prevalence, better)
    evaluation = rung.evaluation
    known = prevalence is not None
    binary = len(votes.labels) == 2
    sure = all_at_once(level, len(votes.judges), len(votes.labels))
    general = here = None
    if evaluation is not None:
        both = unlabelled_both(votes, evaluation, level=level, prevalence_known=known)
        general, here = both["in general"], both["on this test"]
    labelled = labelled_here = worth = estimates_at = None
    labels = 0
    if truth is not None:
        panel = LabelledPanel.of(sketch, truth)
        labels = panel.known.labels
        estimates_at = cache(panel.estimates)  # the same levels are asked for again below
        labelled, labelled_here = estimates_at(level), panel.estimates(level, "on this test")
        if labels < sketch.size:
            worth = worth_of(labels, labelled, panel.without_votes.estimates(level))
    shared: dict[str, Any] = {"evaluation": evaluation, "fit": rung.fit, "general": general}
    shared |= dict.fromkeys(("residuals", "tolerance", "notice", "margin"))
    if evaluation is not None and general is not None:
        if len(votes.judges) >= 4:
            shared["residuals"] = pair_residuals(votes, evaluation)
        if binary:
            shared["tolerance"] = tolerance(evaluation)
        if binary and not votes.abstentions:
            shared["notice"] = chance_to_notice(evaluation, votes.size)
        if estimates_at is not None:
            shared["margin"] = margin_of(general, estimates_at(sure), level)
    looked = Looked(sketch, votes, truth, rung.trio, prevalence, independent, **shared)
    unlooked = beyond_program(votes) if at_least is not None else ""
    lacking = [Reason("unknowns", "doubt", rung.lacking)] if rung.lacking else []
    lacking += [Reason("specification", "note", unlooked)] if unlooked else []
    reserve, reasons = weigh([*lacking, *reasons_of(looked)])
    if estimates_at is None and evaluation is not None and reserve is Reserve.NONE:
        alone = partial(unlabelled_estimates, votes, evaluation, target="in general", prevalence_known=known)
        estimates_at = cache(lambda at: alone(level=at))
    together = None if estimates_at is None else estimates_at(sure)
    best = None
    if (binary or at_least is not None) and not beyond_program(votes):
        best = best_minimum_accuracy(votes)
    standings = standings_of(
        votes.judges,
        estimates_at,
        labelled=labels,
        items=votes.size,
        rarest=_rarest(votes, evaluation),
        labels=len(votes.labels),
        bar=GOOD_ENOUGH if at_least is None else at_least,
        level=level,
        ceiling=best,
    )
    return PanelFinding(
        standings=standings,
        uses=uses_of(standings, together, labelled=labels, worth=worth),
        reserve=reserve,
        reasons=reasons,
        judges=votes.judges,
        labels=votes.labels,
        items=votes.size,
        abstentions=votes.abstentions,
        labelled_items=labels,
        method=rung.method,
        choice=rung.choice,
        mirror=mirror(evaluation) if evaluation is not None and binary and not known else None,
        majority=majority_vote(votes).evaluation,
        here=here,
        labelled=labelled,
        labelled_here=labelled_here,
        together=together,
        best=best,
        assumptions=_assumptions(looked),
        **shared,
    )


def _rarest(votes: Sketch, evaluation: Evaluation | None) -> float:
    """Guess the share of the rarest label from the votes: judges who err vote for it more often than it comes."""
    patterns, counts = arrays_of(votes)
    shares = [float(counts @ (patterns == label).sum(axis=1)) for label in range(len(votes.labels))]
    share = min(shares) / max(sum(shares), 1.0)
    return share if evaluation is None else min(share, float(evaluation.prevalence.min()))


def _climb(votes: Sketch, prevalence: float | None, better: str | None) -> _Rung:
    """Choose the evaluator: none for two judges, a closed form for three, the likelihood for more judges or labels."""
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
        return _Rung(latent.evaluation.method, latent.reason, latent.evaluation, trio, fit)
    if lacking := beyond_votes(votes):
        return _Rung("none from votes alone", "none: too many unknowns", lacking=lacking)
    latent = fit_latent(votes, prevalence=prevalence)
    evaluation, choice = latent.evaluation, latent.reason
    if better is not None and len(votes.labels) == 2 and evaluation.skill[votes.place_of(better)] < 0:
        evaluation, choice = mirror(evaluation), f"{better} is stated to be better than chance"
    fit = fit_test(votes, latent, repetitions=simulations(votes))
    return _Rung(evaluation.method, choice, evaluation, None, fit)


def check_options(votes: Sketch, prevalence: float | None, better: str | None, at_least: float | None) -> None:
    """Refuse votes that cannot be evaluated, and options of `evaluate` that are impossible or contradict each other."""
    if not votes.size:
        raise InvalidInput("sketch holds no votes: count at least one item")
    if prevalence is not None and not 0 < prevalence < 1:
        raise InvalidInput(Argument("prevalence", prevalence), " must lie strictly between 0 and 1: write it like 0.3")
    if prevalence is not None and len(votes.labels) != 2:
        raise InvalidInput(
            Argument("prevalence", prevalence), f" is for two labels, there are {len(votes.labels)}: leave it out"
        )
    if at_least is not None and not 0 <= at_least <= 1:
        raise InvalidInput(Argument("at_least", at_least), " must lie between 0 and 1: write it like 0.8")
    if better is not None:
        votes.place_of(better)
        if prevalence is not None:
            raise InvalidInput(Argument("better", better), " and ", Argument("prevalence", prevalence), CONTRADICT)
        if len(votes.labels) != 2:
            raise InvalidInput(
                Argument("better", better), f" is for two labels, there are {len(votes.labels)}: leave it out"
            )


def _assumptions(looked: Looked) -> tuple[str, ...]:
    """List what must be true of the world, one sentence each."""
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
