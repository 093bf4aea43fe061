"""The paired estimate: what each kind of item answers now, and the shift that follows."""

from __future__ import annotations

import numpy as np

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats
from ringtrue.changed.paired._redrawn import redrawn

_PULL = 8.0
"""Answers that what is learnt from all kinds counts for in each kind.

Of 1, 3, 8, 10 and 20 on the tuning data of benchmarks/bench_changed.py. With 31 labels 8 needs 11 % fewer calls than
3 on vendor swaps; with 7 labels 20 needs 5 % more than 3. Choosing it anew from the answers, by how well each is
predicted from the others, is no better on updates and up to 60 % worse where old and new are unrelated.
"""


def expected_answers(census: Census, counts: Floats) -> Floats:
    """How often items of each kind are expected to give each new answer, shape (kinds, answers); rows sum to 1.

    `counts` says how many items of each kind gave each answer. A kind's own answers are joined with what is learnt
    from all kinds (see `redrawn`), which counts for eight answers. If nothing changed, nothing is expected to.

    Reference: Efron & Morris, Journal of the American Statistical Association 68 (1973).
    """
    counts = np.asarray(counts, dtype=float)
    asked = counts.sum(axis=1, keepdims=True)
    expected: Floats = (counts + _PULL * redrawn(census, counts)) / (asked + _PULL)
    return expected


def paired_shift(census: Census, counts: Floats) -> Floats:
    """The shift of the confusion matrix: answers that are known as they are, all others as expected.

    Exactly zero as long as nothing changed, and exactly right when every item was asked.

    >>> from ringtrue.changed._baseline import Baseline
    >>> census, kind = Census.take(Baseline.of(old=["a", "b", "a", "a"], truth=["a", "a", "a", "b"]))
    >>> paired_shift(census, np.array([[1, 0], [0, 0], [1, 0]])).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    >>> paired_shift(census, np.array([[2, 0], [1, 0], [1, 0]])).tolist()
    [[0.25, -0.25], [0.0, 0.0]]
    """
    counts = np.asarray(counts, dtype=float)
    asked, items = counts.sum(axis=1, keepdims=True), census.items[:, None]
    known = (counts + (items - asked) * expected_answers(census, counts)) / items
    # A kind that kept all its answers must contribute nothing: rounding may not look like a change.
    known[np.arange(census.kinds), census.old] -= 1.0
    return census.matrix(known)
