"""How much work votes alone may make: unknowns grow with the square of the labels, and what is done with their cube."""

from __future__ import annotations

from ringtrue.core import Sketch, count

UNKNOWNS = 1_500
"""Above so many unknowns the intervals would take minutes: 3 judges with 23 labels, 10 with 12, 100 with 4."""

NUMBERS = 2**24
"""Above so many numbers, unknowns by labels by patterns, the intervals would take half a gigabyte and more."""

_SIMULATED = 2**33
"""Multiplications that the fit test's simulated panels may take, some ten seconds of them."""

_LEAST, _USUAL = 39, 99
"""Panels that the fit test simulates: fewer than 39 could hardly show a misfit at 5%."""


def beyond_votes(votes: Sketch) -> str:
    """Why votes alone are not evaluated, in one sentence; empty if they can be.

    A judge has a chance for each vote on the items of each label. Where these are more than the votes, nothing
    determines them.
    """
    judges, labels = len(votes.judges), len(votes.labels)
    unknowns = (labels - 1) * (1 + judges * labels)
    given = votes.size * judges - votes.abstentions
    panel = f"{count(judges, 'judge')} with {labels} labels have {unknowns:,} unknowns"
    if unknowns > given:
        return f"votes alone are not evaluated: {panel} and gave {count(given, 'vote')}; merge labels, or add items"
    if unknowns > UNKNOWNS or unknowns * labels * len(votes) > NUMBERS:
        return f"votes alone are not evaluated: {panel} on {len(votes):,} patterns, too many to work out; merge labels"
    return ""


def simulations(votes: Sketch) -> int:
    """How many panels the fit test simulates: fewer where each is dear, so that their work is bounded."""
    judges, labels = len(votes.judges), len(votes.labels)
    refit = 50 * 4 * min(votes.size, 100_000 // judges) * judges * labels**2
    return max(_LEAST, min(_USUAL, _SIMULATED // refit))
