"""What the classes of a fit are called: votes alone cannot tell one naming from another, so a rule must."""

from __future__ import annotations

import numpy as np

from ringtrue.judges._evaluation import Floats

BETTER = "named so that most judges are better than chance"
ACCURATE = "named so that the sum of accuracies is greatest"
KNOWN = "named by the known prevalence"
AS_STARTED = "named as in the start"


def naming(prevalence: Floats, confusion: Floats, *, keep_prevalence: bool = False) -> list[int]:
    """Which class each label should be: for two labels by the majority of judges, for more by the sum of accuracies.

    With two labels, that naming is taken in which more judges are better than chance than worse; if as many are, the
    one with the greater sum of skills. `keep_prevalence` lets only classes of the same prevalence change places.
    """
    if len(prevalence) == 2:
        skill = confusion[:, 0, 0] + confusion[:, 1, 1] - 1
        balance = int((skill > 0).sum()) - int((skill < 0).sum())
        worse = (balance, float(skill.sum())) < (0, 0.0)
        return [1, 0] if worse and not keep_prevalence else [0, 1]
    gain = confusion.sum(axis=0)
    if keep_prevalence:
        gain = np.where(prevalence[:, None] == prevalence, gain, -1e6)
    return _assigned(gain)


def nearest_shares(prevalence: Floats, known: Floats) -> list[int]:
    """Which class each label should be for the prevalences to be as near as can be to the known ones."""
    return _assigned(-np.abs(prevalence[:, None] - known))


def _assigned(gain: Floats) -> list[int]:
    """For each label (column) the class (row), each once, with the greatest sum of gains."""
    from scipy.optimize import linear_sum_assignment  # half a second to import, for more than two labels only

    classes, labels = linear_sum_assignment(gain, maximize=True)
    order: list[int] = classes[np.argsort(labels)].tolist()
    return order
