"""What the answers so far show of a change, valid at every look: tests, verdicts and intervals."""

from ringtrue.changed.evidence._detection import AccuracyTest, ChangeTest, LimitVerdict, PersistenceTest
from ringtrue.changed.evidence._group import Repeats, outcome
from ringtrue.changed.evidence._shift_draws import Said, ShiftDraws, Slice

__all__ = [
    "AccuracyTest",
    "ChangeTest",
    "LimitVerdict",
    "PersistenceTest",
    "Repeats",
    "Said",
    "ShiftDraws",
    "Slice",
    "outcome",
]
