"""How much work votes alone may make: unknowns grow with the square of the labels, and what is done with their cube."""

from __future__ import annotations

from ringtrue.core import Sketch, count

UNKNOWNS = 1_500
"""Above so many unknowns the intervals would take minutes."""

STEP = 2**33
"""Above so many multiplications in one step of their search as well: labels by patterns by unknowns squared. A thousand
items with 3 judges and 16 labels, or 10 judges and 9 labels, are below."""

PROGRAM = 2**13
"""Above so many unknowns, labels by patterns, the linear program of a specification would take minutes."""

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
    panel = f"{count(judges, 'judge')} with {count(labels, 'label')} have {count(unknowns, 'unknown')}"
    if unknowns > given:
        return f"votes alone are not evaluated: {panel} and gave {count(given, 'vote')}; merge labels, or add items"
    numbers = unknowns * labels * len(votes)
    if unknowns > UNKNOWNS or numbers > NUMBERS or numbers * unknowns > STEP:
        patterns = count(len(votes), "pattern")
        return f"votes alone are not evaluated: {panel} on {patterns}, too many to work out; merge labels"
    return ""


def beyond_program(votes: Sketch) -> str:
    """Why a specification is not held against the votes, in one sentence; empty if it can be."""
    if len(votes.labels) * len(votes) <= PROGRAM:
        return ""
    return (
        f"whether all judges can be so good is not looked at: {count(len(votes.labels), 'label')} on "
        f"{count(len(votes), 'pattern')} of votes are too many to work out; merge labels"
    )


def simulations(votes: Sketch) -> int:
    """How many panels the fit test simulates: fewer where each is dear, so that their work is bounded."""
    judges, labels = len(votes.judges), len(votes.labels)
    refit = 50 * 4 * min(votes.size, 100_000 // judges) * judges * labels**2
    return max(_LEAST, min(_USUAL, _SIMULATED // refit))
