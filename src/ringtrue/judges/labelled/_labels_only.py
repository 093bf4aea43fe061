"""Labels alone: each share counted on the labelled items, with exact intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ringtrue.core import Interval
from ringtrue.judges._evaluation import Floats, Target
from ringtrue.judges.labelled._labelled_sketch import LabelledSketch, Ratio
from ringtrue.stats import clopper_pearson, hypergeometric

METHOD = "labels alone"


def labels_only(sketch: LabelledSketch, ratios: Sequence[Ratio], *, level: float, target: Target) -> list[Interval]:
    """The shares on the labelled items, with Clopper and Pearson's interval or, on this test, the hypergeometric one.

    Without a labelled item that counts, nothing is known: the interval is [0, 1] around one half. It has zero width
    only when there is no unlabelled item left that could count.
    """
    n = np.array([round(float((sketch.labelled * ratio.of).sum())) for ratio in ratios])
    k = np.array([round(float((sketch.labelled * ratio.counts).sum())) for ratio in ratios])
    bounds = clopper_pearson(k, n, level=level)
    low, high, name = bounds.low, bounds.high, "Clopper-Pearson"
    if target == "on this test":
        least, most = _on_this_test(sketch, ratios, k, n, level)
        low, high, name = np.maximum(low, least), np.minimum(high, most), "hypergeometric"
    return [
        Interval(hits / count, float(a), float(b), level, f"{METHOD} ({name})", count)
        if count
        else Interval(0.5, 0.0, 1.0, level, f"{METHOD} (none)", 0)
        for hits, count, a, b in zip(k.tolist(), n.tolist(), low, high, strict=True)
    ]


def _on_this_test(
    sketch: LabelledSketch, ratios: Sequence[Ratio], k: Floats, n: Floats, level: float
) -> tuple[Floats, Floats]:
    """Bounds on the shares among the items of this very test.

    How many items there are of a label is unknown unless all are labelled; it is taken to be as large as it can be
    for any of the shares, which spreads the tails most. The shares of a smaller number lie between those of the
    largest, hence one more item on either side.
    """
    unlabelled = sketch.items - sketch.labelled.sum(axis=1)
    most, least = (
        n + np.array([round(float(unlabelled @ end(ratio.of, axis=1))) for ratio in ratios]) for end in (np.max, np.min)
    )
    unknown = least < most
    most = np.where(unknown, most.max(where=unknown, initial=0), most)
    low, high = np.zeros(n.shape), np.ones(n.shape)
    for population in np.unique(most[n > 0]).tolist():  # the exact tails are slow: all shares of one size together
        here = (most == population) & (n > 0)
        bounds = hypergeometric(k[here], n[here], population=population, level=level)
        slack = np.where(unknown[here], 1 / population, 0.0)
        low[here], high[here] = np.maximum(0.0, bounds.low - slack), np.minimum(1.0, bounds.high + slack)
    return low, high
