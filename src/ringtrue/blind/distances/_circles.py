"""Two searches along circles through the item, on which a flat boundary has its nearest point: HopSkipJump and SurFree.

HopSkipJump estimates the normal of the boundary from labels around a point of it: Chen, Jordan & Wainwright,
HopSkipJumpAttack: a query-efficient decision-based attack, IEEE S&P 2020. Three things differ, and save most of the
queries (`benchmarks/bench_distances.py`):

- It sets out several times, to another start each: the nearest point of the boundary on one side of an item may lie
  half as far again as that on another side, and no search along the boundary gets from there to here.
- The labels are asked for in orthogonal directions, which repeat nothing, and for images in slow waves first, in
  which most of the normal of an image classifier lies.
- The step is not guessed and shortened but bisected on the half circle over the way from the item to the point: where
  the boundary is flat, the circle crosses it at the nearest point of the plane (Reza et al., CGBA, ICCV 2023).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.fft import idctn

from ringtrue.blind.distances._asker import BISECTION, Codes, Decisions, Distances, Flags, Inputs
from ringtrue.blind.distances._lines import Radii, smooth_directions
from ringtrue.blind.distances._starts import affordable, at_starts, begin, in_noise

STARTS = 4
"""Searches of an item at most: more bring little."""

_SEARCH = 250  # queries from which on another search brings more than a longer one

_NOISE_DRAWS = 100

_FIRST_PROBES = 20
"""Probes grow with the root of the round, as theirs: a normal must be known better, the nearer the best point is."""

_WAVES = ((3, 7), (9, 10), (19, 14))  # up to a round, so many waves along each side of an image; in later rounds all

_REACH = 0.02
"""How far a probe lies from the boundary, as a share of the distance: about as far as a bisection errs, or farther."""

_NEAREST = 1e-6  # in widths of the box: an item that lies on the boundary itself needs no search


class _Probes(NamedTuple):
    """Orthogonal directions (k, d) of unit length, in runs of at most as many as their space has dimensions."""

    directions: Inputs
    dimensions: int


def hopskipjump(
    decisions: Decisions, rng: np.random.Generator, *, starts: Inputs | None = None, queries: int = 500
) -> Distances:
    """Return the nearest point by L2 of searches from the starts, or from noise; those of an item share its queries."""
    if starts is not None and starts.ndim == decisions.inputs.ndim:
        starts = starts[:, None]
    count = min(max(1, queries // _SEARCH), STARTS if starts is None else starts.shape[1])
    best, found = decisions.rows.copy(), np.zeros(len(decisions), dtype=bool)
    for number in range(count):
        share = queries * (number + 1) // count
        own = at_starts(decisions, None if starts is None else starts[:, number])
        at, begun = begin(decisions, own, in_noise(decisions, rng, affordable(_NOISE_DRAWS, queries // count)))
        _search(decisions, at, begun, rng, share)
        nearer = begun & (~found | (_distances(decisions, at) < _distances(decisions, best)))
        best[nearer] = at[nearer]
        found |= begun
    return decisions.distances(best, found)


def _search(decisions: Decisions, at: Inputs, begun: Flags, rng: np.random.Generator, queries: int) -> None:
    """Move the points of all items that have one along the boundary, until `queries` in all are spent."""
    for turn in range(1, queries + 1):
        probes = _probes(decisions.shape, turn, rng)
        needed = len(probes.directions) + 2 * BISECTION
        far = _distances(decisions, at) > _NEAREST
        items = np.flatnonzero(begun & far & (decisions.left(queries) >= needed))
        if not len(items):
            break
        # The probes of a part fill one call of the model; those of all items at once may not fit in memory.
        for part in np.array_split(items, 1 + len(items) * len(probes.directions) // decisions.asker.inputs_per_call):
            at[part] = _along_circle(decisions, part, at[part], _normals(decisions, part, at[part], probes))
    last = np.flatnonzero(begun & (decisions.left(queries) > 0))
    at[last] = decisions.bisected(at[last], last, BISECTION)


def _distances(decisions: Decisions, at: Inputs) -> Inputs:
    return np.asarray(np.linalg.norm(at - decisions.rows, axis=1))


def _probes(shape: tuple[int, ...], turn: int, rng: np.random.Generator) -> _Probes:
    """Return the directions of a round: of an image (height, width, channels) slow waves along the first two axes."""
    image = len(shape) > 1
    waves = next((waves for last, waves in _WAVES if turn <= last), max(shape))
    kept = tuple(min(side, waves) for side in shape[:2]) + shape[2:] if image else shape
    size = int(np.prod(kept))
    # More than a few probes a dimension tell little that is new, before the point has moved.
    count = min(int(_FIRST_PROBES * np.sqrt(turn)), 4 * size)
    runs = [np.linalg.qr(rng.standard_normal((size, min(size, count))))[0].T for _ in range(-(-count // size))]
    rows = np.concatenate(runs)[:count]
    if image:
        rows = idctn(rows.reshape(count, *kept), s=shape[:2], axes=(1, 2), norm="ortho").reshape(count, -1)
    return _Probes(rows.astype(np.float32), size)


def _normals(decisions: Decisions, items: Codes, at: Inputs, probes: _Probes) -> Inputs:
    """Return where the changed side is: the mean of the probes that change the answer, less that of the others.

    A random direction of unit length has about 1 / root of the dimensions along the normal: probes are that much
    longer. What counts is where they end, which clipping to the box may have moved.
    """
    length = _REACH * np.sqrt(probes.dimensions) * np.linalg.norm(at - decisions.rows[items], axis=1)
    moves = np.clip(at[:, None] + length[:, None, None].astype(np.float32) * probes.directions, 0, 1) - at[:, None]
    points = (at[:, None] + moves).reshape(-1, at.shape[1])
    count = len(probes.directions)
    signs = np.where(decisions.changed(points, np.repeat(items, count)), 1, -1).reshape(len(items), count)
    mean = signs.mean(axis=1, keepdims=True)
    # Their mean is taken off because the point lies somewhat to one side; if all agree, it would leave nothing.
    weights = np.where(np.abs(mean) < 1, signs - mean, signs).astype(np.float32)
    return np.asarray(np.matmul(weights[:, None], moves)[:, 0])


def _along_circle(decisions: Decisions, items: Codes, at: Inputs, normals: Inputs) -> Inputs:
    """Return the nearest changed points found on the half circles that lead from the old points to the items."""
    origin = decisions.rows[items]
    step = at - origin
    length = np.linalg.norm(step, axis=1, keepdims=True)
    ahead = step / length
    across = normals - np.sum(normals * ahead, axis=1, keepdims=True) * ahead
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    low, high = np.zeros_like(length), np.full_like(length, np.pi / 2)
    best, shortest = at, length
    for _ in range(BISECTION):
        angle = (low + high) / 2
        points = origin + length * np.cos(angle) * (np.cos(angle) * ahead + np.sin(angle) * across)
        np.clip(points, 0, 1, out=points)
        changed = decisions.changed(points, items)[:, None]
        low, high = np.where(changed, angle, low), np.where(changed, high, angle)
        distance = np.linalg.norm(points - origin, axis=1, keepdims=True)
        better = changed & (distance < shortest)
        best, shortest = np.where(better, points, best), np.where(better, distance, shortest)
    return best


_FEW_DRAWS = 10
_FIRST_ANGLE = np.pi / 6
"""Also the widest, so that twice the angle stays below a right angle, at which the circle is back at the item."""

_LAST_ANGLE = 0.01  # in radians: an item whose angle has sunk below it would gain less than 0.005 % a turn, and is done

_NARROWER, _WIDER = 0.8, 1.3
_TURN = 3  # the most queries of one turn: two sides, and twice the angle


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
    draws = max(0, int(spare.min(initial=_FEW_DRAWS)))
    at, found = begin(decisions, at_starts(decisions, starts), in_noise(decisions, rng, draws))
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
