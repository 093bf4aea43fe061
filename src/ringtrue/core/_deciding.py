"""The bound that decides about a claim, answer by answer, and a close-up of it beside the claim's limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ringtrue.core._canonical import Json, plain
from ringtrue.core._text import percent

LAST_ANSWERS = 8
"""Answers before the decision that a close-up shows."""

_PLAIN = 1 / 12
"""A gap of so much of a figure's height is seen without a close-up."""

_SAME = 1e-9
"""Bound and limit that differ by this share of the limit or less differ by rounding alone."""

_HEIGHTS = (1.6, 1.0)
"""The heights of a figure and of the close-up below it; beside it, either would be too narrow for a phone."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """The one-sided bound that a verdict rests on, after each of the last answers before it, or before now.

    A bound from above must fall to the limit, one from below (`above` is False) must rise beyond it.
    """

    answers: tuple[int, ...]
    bounds: tuple[float, ...]
    limit: float
    above: bool
    decided_at: int | None

    def to_json(self) -> dict[str, Json]:
        return {name: plain(value) for name, value in asdict(self).items()}


def draw_deciding(
    axes: Any, deciding: Mapping[str, Any] | None, *, shares: bool = True, called: str = "bound that decides"
) -> None:
    """Mark the bound on the axes, and draw a close-up below them where it is too near to the limit to be told apart.

    Words say by how much they differ. `shares` are drawn in percent, other values as they are.
    """
    if deciding is None:
        return
    limit, edge = (value * (100 if shares else 1) for value in (deciding["limit"], deciding["bounds"][-1]))
    low, high = sorted(axes.get_ylim())
    if low <= edge <= high:
        axes.plot(deciding["answers"][-1], edge, "o", color="black", markersize=4, zorder=3, label=called)
    if low <= min(limit, edge) and max(limit, edge) <= high and abs(edge - limit) >= _PLAIN * (high - low):
        return
    spec = axes.get_subplotspec()
    if spec is None:  # axes that stand alone somewhere on a figure have no place to share
        axes.set_title(_words(deciding, shares), fontsize=8)
        return
    here, below = spec.subgridspec(2, 1, height_ratios=_HEIGHTS)
    axes.set_subplotspec(here)
    near = axes.figure.add_subplot(below)
    answers = deciding["answers"]
    path = [value * (100 if shares else 1) for value in deciding["bounds"]]
    end = answers[-1] + max(0.6, 0.15 * (answers[-1] - answers[0]))  # a little beyond, so that the last step is seen
    near.step([*answers, end], [*path, edge], where="post", color="C0", linewidth=1.6)
    near.plot(answers[-1], edge, "o", color="black", markersize=4, zorder=3, clip_on=False)
    near.axhline(limit, color="black", linestyle="--", linewidth=1)
    least, most = _around(limit, edge, path)
    if shares:  # no share is below none or above all; a drop in accuracy may be below
        least, most = max(least, min(edge, 0.0)), min(most, 100.0)
    near.set_ylim(least, most)
    near.set_xlim(answers[0] - 0.4, end)
    near.xaxis.get_major_locator().set_params(integer=True, nbins=6)
    near.ticklabel_format(axis="y", useOffset=False, style="plain")
    near.set_xlabel("answers", fontsize=8)
    near.tick_params(labelsize=8)
    near.yaxis.get_major_locator().set_params(nbins=5)
    near.set_ylabel("bound (%)" if shares else "close-up", fontsize=8)
    near.set_title(_words(deciding, shares), fontsize=8, loc="left")


def _words(deciding: Mapping[str, Any], shares: bool) -> str:
    """Return what the close-up shows: when, the bound, and how far it is from the limit."""
    bound, above = deciding["bounds"][-1], deciding["above"]
    number = percent(bound, toward="above" if above else "below") if shares else f"{bound:.4g}"
    when = "now" if deciding["decided_at"] is None else f"decided after {deciding['decided_at']:,}"
    return f"{when}: {'at most' if above else 'at least'} {number}, {from_limit(bound, deciding['limit'], shares)}"


def from_limit(bound: float, limit: float, shares: bool = True) -> str:
    """Return how far a bound is from a limit, in words.

    >>> from_limit(0.0493, 0.05), from_limit(0.05, 0.05), from_limit(1.625, 1.5, shares=False)
    ('0.07 points below the limit', 'the very limit', '0.12 above the limit')
    """
    gap = abs(bound - limit)
    if gap <= _SAME * abs(limit):
        return "the very limit"
    size = f"{100 * gap:.2g} points" if shares else f"{gap:.2g}"
    return f"{size} {'below' if bound < limit else 'above'} the limit"


def at_least(bound: float, limit: float) -> str:
    """Return a bound from below that refutes a limit, in words: more than the limit where rounding would make it that.

    >>> at_least(0.0675, 0.05), at_least(0.05005, 0.05)
    ('at least 6.75%', 'more than 5%')
    """
    number = percent(bound, toward="below")
    return f"more than {number}" if number == percent(limit) else f"at least {number}"


def _around(limit: float, edge: float, path: Sequence[float]) -> tuple[float, float]:
    """Return the scale of a close-up: the gap takes at least a tenth of it, and as much of the way is seen as fits."""
    gap = abs(edge - limit)
    way = max(abs(value - limit) for value in path)
    reach = max(min(7 * gap, way), 1.5 * gap) if gap > _SAME * abs(limit) else max(way, 0.01 * abs(limit))
    return limit - (reach if min(path) < limit else 0.4 * reach), limit + (reach if max(path) > limit else 0.4 * reach)
