"""SurFree: ever shorter steps to a changed decision, by turning along circles through the item."""

from __future__ import annotations

import numpy as np

from ringtrue.blind.distances._asker import BISECTION, Codes, Decisions, Distances, Flags, Inputs
from ringtrue.blind.distances._lines import Radii, smooth_directions
from ringtrue.blind.distances._starts import begin

_NOISE_DRAWS = 10
_FIRST_ANGLE = np.pi / 6
"""Also the widest, so that twice the angle stays below a right angle, at which the circle is back at the item."""

_LAST_ANGLE = 0.01
"""In radians: an item whose angle has sunk below it would gain less than 0.005 % a turn, and is done."""

_NARROWER, _WIDER = 0.8, 1.3
_TURN = 3
"""The most queries of one turn: two sides, and twice the angle."""


def surfree(
    decisions: Decisions, rng: np.random.Generator, *, starts: Inputs | None = None, queries: int = 120
) -> Distances:
    """Shorten the L2 step to a changed decision, in widths of the box, without the estimate of any gradient.

    From a changed point on the boundary, every turn takes a random direction at a right angle to the step (of low
    frequency for images, the same for all items) and walks the circle of which the step is a diameter: all its points
    are nearer to the item, and where the boundary is flat the last changed one is the nearest of that plane. The
    angle tried first adapts to its successes. A last bisection leads straight towards the item.

    An item begins at its start, or in noise where it has none or the model does not tell the two apart. Where noise
    does not change the decision either, it has no distance.

    Reference: Maho, Furon & Le Merrer, SurFree: a fast surrogate-free black-box attack, CVPR 2021.
    """
    spare = decisions.left(queries) - (starts is not None)  # a start costs a query, too
    draws = max(0, int(spare.min(initial=_NOISE_DRAWS)))
    at, found = begin(decisions, starts, rng, draws=draws)
    angle = np.full(len(decisions), _FIRST_ANGLE, dtype=np.float32)
    for direction in smooth_directions(decisions.shape, rng):
        items = np.flatnonzero(found & (angle > _LAST_ANGLE) & (decisions.left(queries) >= _TURN + BISECTION))
        if not len(items):
            break
        at[items], turned = _turn(decisions, items, at[items], direction.reshape(-1), angle[items])
        angle[items] *= np.where(turned, _WIDER, _NARROWER)
        np.minimum(angle, _FIRST_ANGLE, out=angle)
    last = np.flatnonzero(found & (decisions.left(queries) >= BISECTION))
    at[last] = decisions.bisected(at[last], last, BISECTION)
    return decisions.distances(at, found)


def _turn(decisions: Decisions, items: Codes, at: Inputs, direction: Inputs, angle: Radii) -> tuple[Inputs, Flags]:
    """Return changed points farther along the circles, on the one side or the other, and whether there were any."""
    origin = decisions.rows[items]
    step = at - origin
    length = np.linalg.norm(step, axis=1, keepdims=True)
    along = np.einsum("ij,j->i", step, direction)[:, None]
    across = direction - along / length**2 * step
    # A direction along the step itself leaves nothing to turn to; then the point only moves towards the item.
    across *= length / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-3)

    def points(rows: Codes, angles: Radii) -> Inputs:
        cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
        # The model is asked inside the box, so the step goes on from there; clipping makes it only shorter.
        return np.asarray(np.clip(origin[rows] + cosine * (cosine * step[rows] + sine * across[rows]), 0, 1))

    def changed(rows: Codes, angles: Radii) -> Flags:
        return decisions.changed(points(rows, angles), items[rows])

    turned = changed(np.arange(len(items)), angle)
    others = np.flatnonzero(~turned)
    signed = np.where(turned, angle, -angle)
    turned[others] = changed(others, signed[others])
    rows = np.flatnonzero(turned)
    twice = 2 * signed[rows]
    # The paper bisects the arc. The same queries shorten the step more in another plane, so here it is only doubled.
    kept = np.where(changed(rows, twice), twice, signed[rows])
    at = at.copy()
    at[rows] = points(rows, kept)
    return at, turned
