"""A finding about a change in words: its sentence, and what must be true for it to hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringtrue.core import Verdict, count, percent, points

if TYPE_CHECKING:
    from ringtrue.changed._finding import ShiftFinding


def sentence(found: ShiftFinding) -> str:
    """The finding for a colleague: what was asked, what changed, and how sure that is."""
    seen = f"{found.flips.total:,} of {count(found.answers, 'answer')} changed"
    level = f"({percent(found.change.level)}, valid while you watch)"
    if found.claim is None or found.bound is None:
        within = found.error.required
        low, high = percent(found.change.low, toward="below"), percent(found.change.high, toward="above")
        if found.verdict is Verdict.RINGS_TRUE and (within is None or found.answers == found.population):
            return f"the model is unchanged: all {count(found.answers, 'item')} of the pool answered as before"
        if found.verdict is Verdict.RINGS_TRUE:
            return f"the model is unchanged within {percent(within or 0)}: {seen} {level}{_accuracy(found)}"
        told = "the model changed" if found.verdict is Verdict.RINGS_FALSE else "no change shown yet"
        return f"{told}: {seen}, so {low} to {high} of the pool's answers {level}{_accuracy(found)}"
    what = found.claim.quantity
    most, least = percent(found.bound.high, toward="above"), percent(found.bound.low, toward="below")
    if found.verdict is Verdict.RINGS_TRUE:
        return f"{found.claim} rings true: {seen}, so {what} <= {most} {level}{_accuracy(found)}"
    if found.verdict is Verdict.RINGS_FALSE:
        return f"{found.claim} rings false: {seen}, so {what} >= {least} {level}{_accuracy(found)}"
    return f"{found.claim} is not yet known: {seen}, so {what} <= {most} {level}{_accuracy(found)}{outlook(found)}"


def _accuracy(found: ShiftFinding) -> str:
    if found.accuracy is None:
        return ""
    moved = found.accuracy.difference
    return f"; accuracy {points(moved.estimate, moved.low, moved.high)} points"


def outlook(found: ShiftFinding) -> str:
    """What it would still take to decide."""
    if found.remaining is None or found.remaining.expected is None:
        return ""
    return f"; about {found.remaining.expected:,.0f} more calls if {percent(found.remaining.at_rate)} changed"


def assumptions(found: ShiftFinding) -> tuple[str, ...]:
    """What must be true of the world, one sentence each."""
    lines = [
        f"Intervals speak of the {found.population:,} items of this pool. The stream that the pool came from differs "
        "from it by the luck of that draw, which comes on top.",
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
    elif found.noise.assumed == 0:
        lines.append("The model answers the same question always the same: one changed answer proves a change.")
    else:
        lines.append(f"By themselves at most {percent(found.noise.assumed)} of the answers vary, as was stated.")
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
