"""An estimate without bias: a first sample to learn from, a second by what was learnt, joined by fixed weights."""

from __future__ import annotations

import numpy as np

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats, Ints
from ringtrue.changed.paired._allocation import _shared_out, _spread
from ringtrue.changed.paired._expected import expected_answers
from ringtrue.changed.paired._redrawn import groups_of
from ringtrue.core import InvalidInput


def first_draws(census: Census, calls: int) -> Ints:
    """How many items of each group to draw first: in proportion, at least one. Shape (kinds,), the group's number."""
    group = groups_of(census)
    items = np.bincount(group, census.items).astype(float)
    return _rounded(items, items, calls)[group]


def second_draws(census: Census, first: Floats, calls: int) -> Ints:
    """How many of the items left in each group to draw next: Neyman on what the first answers taught, at least one."""
    first = np.asarray(first, dtype=float)
    group = groups_of(census)
    left_kind = census.items - first.sum(axis=1)
    left = np.bincount(group, left_kind).astype(float)
    return _rounded(np.bincount(group, left_kind * _spread(census, first)).astype(float), left, calls)[group]


def two_phase_shift(census: Census, first: Floats, second: Floats) -> Floats:
    """The shift without bias, from answers of two phases, each a random sample of fixed size in every group.

    The first phase gives the mean change of each group. What it taught predicts the items left, and the second phase
    corrects the predictions by what it finds; the predictions are fixed by then, so that being wrong costs precision
    only. Both are joined by the numbers of their answers, which were fixed beforehand. Groups are those of
    `first_draws`. If nothing changed the error is zero.

    Reference: Särndal, Swensson & Wretman, Model Assisted Survey Sampling (1992), difference estimator.
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    group = groups_of(census)
    left = census.items - first.sum(axis=1)
    for name, counts, there in (("first", first, census.items.astype(float)), ("second", second, left)):
        missing = (np.bincount(group, counts.sum(axis=1)) == 0) & (np.bincount(group, there) > 0)
        if missing.any():
            raise InvalidInput(f"{name} has no answer in {missing.sum()} of the groups: draw at least one in each")
    unchanged = np.zeros(first.shape)
    unchanged[np.arange(census.kinds), census.old] = 1.0
    learnt = expected_answers(census, first)
    change = census.matrix(_corrected(unchanged, first, census.items, group) / census.items[:, None] - unchanged)
    after = (first + _corrected(learnt, second, left, group)) / census.items[:, None]
    share = first.sum() / max(first.sum() + second.sum(), 1.0)
    shift: Floats = share * change + (1 - share) * census.matrix(after - unchanged)
    return shift


def _corrected(predicted: Floats, counts: Floats, items: Floats | Ints, group: Ints) -> Floats:
    """Totals of answers by kind: as predicted, and the mean misprediction of the group on top."""
    asked = counts.sum(axis=1)
    missed = np.zeros((int(group.max()) + 1, counts.shape[1]))
    np.add.at(missed, group, counts - asked[:, None] * predicted)
    missed /= np.maximum(np.bincount(group, asked), 1.0)[:, None]
    totals: Floats = items[:, None] * (predicted + missed[group])
    return totals


def _rounded(claims: Floats, most: Floats, calls: int) -> Ints:
    """Whole numbers of draws: one wherever there is an item, the rest by claims, in all exactly the calls."""
    there = (most > 0).astype(np.int64)
    if calls < there.sum():
        raise InvalidInput(f"calls={calls} must be at least {there.sum()}: every group of items needs one")
    calls = min(calls, int(most.sum()))
    more = _shared_out(claims, most - there, float(calls - there.sum()))
    whole = np.minimum(np.floor(more), most - there).astype(np.int64) + there
    short = calls - int(whole.sum())
    for place in np.argsort(-(more - np.floor(more)), kind="stable").tolist() * 2:
        if short == 0:
            break
        if whole[place] < most[place]:
            whole[place] += 1
            short -= 1
    return whole
