"""Estimates that pair each new answer with the old one, where to ask next, and how far off they may be."""

from ringtrue.changed.paired._bound import EVEN, LOOKS, draw_weights, error_bound, oneshot_bound, uniform_bound
from ringtrue.changed.paired._estimates import expected_answers, oneshot_shift, paired_shift, uniform_shift

__all__ = [
    "EVEN",
    "LOOKS",
    "draw_weights",
    "error_bound",
    "expected_answers",
    "oneshot_bound",
    "oneshot_shift",
    "paired_shift",
    "uniform_bound",
    "uniform_shift",
]
