"""A finding about a change in words: its sentence, and what must be true for it to hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringtrue.core import Verdict, at_least, count, percent, points

if TYPE_CHECKING:
    from ringtrue.changed._finding import ShiftFinding


def sentence(found: ShiftFinding) -> str:
    """The finding for a colleague: what was asked, what changed, and how sure that is."""
    seen, level = _seen(found), f"({percent(found.change.level)}, valid while you watch)"
    if found.claim is None or found.bound is None:
        low, high = percent(found.change.low, toward="below"), percent(found.change.high, toward="above")
        if found.verdict is Verdict.RINGS_TRUE and not found.flips.total and found.answers == found.population:
            return f"the model is unchanged: {count(found.answers, 'answer')}, all as before, and no item is left"
        if found.verdict is Verdict.RINGS_TRUE and found.error.required is not None:
            return f"the model is unchanged within {percent(found.error.required)}: {seen} {level}{_accuracy(found)}"
        told = "the model changed" if found.verdict is Verdict.RINGS_FALSE else "no change shown yet"
        return f"{told}: {seen}, so {low} to {high} of the pool's answers {level}{_accuracy(found)}"
    what = found.claim.quantity
    if what == "change" and found.noise.assumed != 0:
        what = "change beyond the noise"
    most, least = percent(found.bound.high, toward="above"), percent(found.bound.low, toward="below")
    if found.verdict is Verdict.RINGS_TRUE:
        return f"{found.claim} rings true: {seen}, so {what} <= {most} {level}{_accuracy(found)}"
    if found.verdict is Verdict.RINGS_FALSE:
        return f"{found.claim} rings false: {seen}, so {what} >= {least} {level}{_accuracy(found)}"
    return f"{found.claim} is not yet known: {seen}, so {what} <= {most} {level}{_accuracy(found)}{outlook(found)}"


def headline(found: ShiftFinding) -> str:
    """The finding in one line with no more than three numbers beside the claim's own."""
    asked = f"{found.answers:,} asked"
    if not found.answers:
        return "nothing is answered yet" if found.claim is None else f"{found.claim} is not yet known: no answer yet"
    if found.claim is None or found.bound is None:
        low, high = percent(found.change.low, toward="below"), percent(found.change.high, toward="above")
        if found.verdict is Verdict.RINGS_FALSE:
            return f"the model changed: {low} to {high} of the pool's answers ({asked})"
        if found.verdict is Verdict.NOT_YET_KNOWN:
            return f"no change shown yet: up to {high} of the pool's answers may have changed ({asked})"
        if not found.flips.total and found.answers == found.population:
            return f"the model is unchanged: {count(found.answers, 'answer')}, all as before"
        seen = f"{found.flips.total:,} of {count(found.answers, 'answer')} differ"
        return f"the model is unchanged within {percent(found.error.required or 0.0)}: {seen}"
    what = "change" if found.claim.quantity == "change" else "drop"
    most = percent(found.bound.high, toward="above")
    if found.verdict is Verdict.RINGS_TRUE:
        return f"{found.claim} rings true: a {what} of at most {most} ({asked})"
    if found.verdict is Verdict.RINGS_FALSE:
        return f"{found.claim} rings false: a {what} of {at_least(found.bound.low, found.claim.limit)} ({asked})"
    return f"{found.claim} is not yet known: a {what} of up to {most} is possible ({asked})"


def _seen(found: ShiftFinding) -> str:
    """What was seen; where answers vary, how many of the changed ones came again when asked again."""
    noise = found.noise
    if noise.assumed == 0:
        return f"{found.flips.total:,} of {count(found.answers, 'answer')} changed"
    differ = f"{found.flips.total:,} of {count(found.answers, 'answer')} differ"
    again = f" ({noise.persisted:,} of {noise.asked_twice:,} the same when asked again)" if noise.asked_twice else ""
    return differ + again


def _accuracy(found: ShiftFinding) -> str:
    if found.accuracy is None:
        return ""
    moved = found.accuracy.difference
    return f"; accuracy {points(moved.estimate, moved.low, moved.high)} points"


def outlook(found: ShiftFinding) -> str:
    """What it would still take to decide."""
    if found.remaining is None or found.remaining.expected is None:
        return ""
    return f"; about {count(found.remaining.expected, 'more call')} if {percent(found.remaining.at_rate)} changed"


def assumptions(found: ShiftFinding) -> tuple[str, ...]:
    """What must be true of the world, one sentence each."""
    lines = [
        f"Intervals speak of the {count(found.population, 'item')} of this pool. The stream that the pool came from "
        "differs from it by the luck of that draw, which comes on top.",
        "The old answers were given by the old model to these very items, with the settings of today.",
    ]
    if found.labelled:
        lines.append("The true labels are taken as the truth.")
    else:
        lines.append("There are no true labels: rows are what the old model said, and nothing is known of accuracy.")
    if found.noise.assumed is None:
        lines.append(
            "A change beyond the noise is one that comes again when asked again. A model that only answers less "
            "steadily than before is not told from one that did not change: there is one old answer per item."
        )
        lines.append(
            "The pool was not chosen by looking at the old answers, and second answers were given anew, not kept by a "
            "cache: otherwise noise looks like a change."
        )
    elif found.noise.assumed == 0:
        lines.append("The model answers the same question always the same: one changed answer proves a change.")
    else:
        lines.append(f"By themselves at most {percent(found.noise.assumed)} of the answers vary, as was stated.")
    if found.noise.assumed != 0:
        lines.append(
            "The verdict speaks of the model's chances on items like those of this pool. Intervals and matrices speak "
            "of the answers that it gave and would give to this pool, noise included."
        )
    if found.picked:
        lines.append(
            f"{count(found.picked, 'item')} were picked by a rule, not by chance: they are known, and no interval "
            "is drawn from them to the rest of the pool."
        )
    if found.unanswerable:
        lines.append(
            f"{count(found.unanswerable, 'item')} the model could not answer: counted as changed and as unchanged, "
            "whichever widens an interval."
        )
    return tuple(lines)
