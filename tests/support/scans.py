"""Runs the passes of a question over a batch, without a study."""

from ringtrue.core import Batch, Measured
from ringtrue.stats import generator


def scanned(question, batch, answers=None, rng=None):
    """Return what the first pass finds of a batch; whatever is asked of the model, it gives these answers."""
    (one, *_) = question.passes()
    chance = generator(0, "scan") if rng is None else rng
    return one.run(Measured(batch, {}), Measured(Batch([], {}), {}), lambda _: answers, chance)
