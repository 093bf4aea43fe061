"""Many runs of MASA at once, without going through them step by step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.changed._baseline import Floats, Ints
from ringtrue.changed.masa import Partition, new_matrix
from simulated_shifts.scenario import Scenario

_AT_ONCE = 1_000_000
"""Answers drawn at once: beyond this the arrays leave the cache and memory grows, and nothing is gained."""


def masa_runs(
    scenario: Scenario,
    partition: Partition,
    budgets: Sequence[int],
    runs: int,
    rng: np.random.Generator,
    *,
    exploration: float = 1.0,
    replace: bool = True,
) -> Floats:
    """The estimated shift after each budget in each run, shape (runs, budgets, labels, answers).

    What MASA thinks of a part depends on that part's own answers alone. So the part's index before each of its draws
    is known once its answers are drawn, and going for the greatest index means taking all draws of all parts in the
    order of the smallest index that the part has had so far: as soon as a part is chosen, it stays chosen until its
    index falls below what it was. Sorting replaces the steps, and gives the very choices that the steps give.

    Reference: the smallest index so far is the prevailing charge of Weber, Annals of Applied Probability 2 (1992).
    """
    budgets = [budget if replace else min(budget, scenario.size) for budget in budgets]
    pool = scenario.new[np.argsort(partition.part, kind="stable")]
    ends = np.cumsum(partition.sizes)
    answers = [pool[end - size : end] for size, end in zip(partition.sizes, ends, strict=True)]
    expected = _expected_draws(partition, scenario, max(budgets), exploration)
    block = max(1, int(_AT_ONCE / expected.sum()))
    found = np.empty((runs, len(budgets), *scenario.shift.shape))
    for first in range(0, runs, block):
        number = min(block, runs - first)
        streams = [_Stream(codes, number, rng, replace=replace) for codes in answers]
        found[first : first + number] = _finish(scenario, partition, streams, expected, budgets, number, exploration)
    return found - scenario.old_matrix


class _Stream:
    """The answers of one part in the order in which each run would draw them, drawn as far as they are needed."""

    def __init__(self, codes: Ints, runs: int, rng: np.random.Generator, *, replace: bool) -> None:
        self._codes, self._rng = codes, rng
        self.limit = len(codes) if not replace else None
        self._drawn = (
            np.empty((runs, 0), dtype=np.int64) if replace else rng.permuted(np.tile(codes, (runs, 1)), axis=1)
        )

    def first(self, draws: int) -> Ints:
        """The first draws of each run, fewer where the part ends."""
        lacking = draws - self._drawn.shape[1]
        if lacking > 0 and self.limit is None:
            places = self._rng.integers(0, len(self._codes), size=(len(self._drawn), lacking))
            self._drawn = np.concatenate([self._drawn, self._codes[places]], axis=1)
        return self._drawn[:, :draws]


def _finish(
    scenario: Scenario,
    partition: Partition,
    streams: list[_Stream],
    expected: Ints,
    budgets: Sequence[int],
    runs: int,
    exploration: float,
) -> Floats:
    """The new matrices of these runs; where a part's draws give out, the runs it concerns are gone through again."""
    names, total = len(scenario.answers), max(budgets)
    found = np.empty((runs, len(budgets), *scenario.shift.shape))
    limits = np.array([np.iinfo(np.int64).max if stream.limit is None else stream.limit for stream in streams])
    left, draws = np.arange(runs), np.minimum(expected, limits)
    while len(left):
        drawn = [stream.first(number)[left] for stream, number in zip(streams, draws, strict=True)]
        taken = taken_draws(drawn, partition.shares, names, total, exploration)
        cells = np.concatenate([codes + part * names for part, codes in enumerate(drawn)], axis=1)
        owner = np.repeat(np.arange(partition.parts), draws)
        used = _tally(owner[taken], partition.parts)
        short = (used >= draws) & (draws < limits)
        done = ~short.any(axis=1)
        cells = np.take_along_axis(cells[done], taken[done], axis=1)
        counts = np.zeros((int(done.sum()), partition.parts * names), dtype=np.int64)
        before = 0
        for place, budget in enumerate(budgets):
            counts += _tally(cells[:, before:budget], partition.parts * names)
            by_part = counts.reshape(-1, partition.parts, names)
            found[left[done], place] = new_matrix(partition, by_part, scenario.old_matrix)
            before = budget
        left = left[~done]
        draws = np.where(short.any(axis=0), np.minimum(draws * 3 // 2 + 1, limits), draws)
    return found


def taken_draws(drawn: Sequence[Ints], shares: Floats, names: int, total: int, exploration: float = 1.0) -> Ints:
    """Which draws MASA makes, in its order, shape (runs, total): places among the parts' draws put side by side.

    `drawn` holds for each part the answers that each run would get there, shape (runs, draws).
    """
    lengths = np.array([codes.shape[1] for codes in drawn])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    before = np.concatenate([np.arange(length) for length in lengths])
    kind = np.int16 if len(drawn) * names < np.iinfo(np.int16).max else np.int64  # short integers sort in linear time
    cells = np.concatenate([codes + part * names for part, codes in enumerate(drawn)], axis=1, dtype=kind)
    # The sum of squared counts grows by 2 h + 1 when an answer that was seen h times is seen again.
    squares = np.cumsum(2 * _seen_before(cells) + 1, axis=1)
    squares = np.concatenate([np.zeros((len(squares), 1), dtype=squares.dtype), squares[:, :-1]], axis=1)
    squares -= np.repeat(squares[:, starts[:-1]], lengths, axis=1)
    asked = np.maximum(before, 2)
    score = np.sqrt(np.maximum(asked**2 - squares, 0) / (asked * (asked - 1)))
    share = np.repeat(shares, lengths)
    index = share / asked * (score + exploration / np.sqrt(np.sqrt(asked)))
    # Two of each part come first, one of each before the second of any, from large parts to small.
    index[:, before < 2] = ((2 - before) * (2 + exploration) + share)[before < 2]
    for start, end in pairwise(starts):
        np.minimum.accumulate(index[:, start:end], axis=1, out=index[:, start:end])
    return np.argsort(-index, axis=1, kind="stable")[:, :total]


def _seen_before(cells: NDArray[Any]) -> Ints:
    """How often the same value stands before each, by row."""
    order = np.argsort(cells, axis=1, kind="stable")
    ordered = np.take_along_axis(cells, order, axis=1)
    places = np.broadcast_to(np.arange(cells.shape[1]), cells.shape)
    first = np.concatenate([np.ones((len(cells), 1), dtype=bool), ordered[:, 1:] != ordered[:, :-1]], axis=1)
    rank = places - np.maximum.accumulate(np.where(first, places, 0), axis=1)
    seen = np.empty(cells.shape, dtype=np.int64)
    np.put_along_axis(seen, order, rank, axis=1)
    return seen


def _tally(values: Ints, names: int) -> Ints:
    """How often each row has each value, shape (rows, names)."""
    rows = len(values)
    flat = (values + names * np.arange(rows)[:, None]).reshape(-1)
    return np.bincount(flat, minlength=rows * names).reshape(rows, names)


def _expected_draws(partition: Partition, scenario: Scenario, total: int, exploration: float) -> Ints:
    """About as many draws of each part as a run will want: where the index with the true score is the same for all."""
    shares = partition.shares
    truth = partition.counts(scenario.new, len(scenario.answers)) / partition.sizes[:, None]
    score = np.sqrt(np.maximum(1 - (truth**2).sum(axis=1), 0))
    low, high = 0.0, 1 + exploration
    draws = np.full(len(shares), 2.0)
    for _ in range(60):
        level = (low + high) / 2
        for _ in range(20):
            draws = np.maximum(2, shares / level * (score + exploration * draws**-0.25))
        low, high = (level, high) if draws.sum() > total else (low, level)
    wanted: Ints = np.ceil(1.1 * draws + 2 * np.sqrt(draws) + 3).astype(np.int64)
    return wanted
