"""What the answers so far show of a change, valid at every look: tests, verdicts and intervals."""

from ringtrue.changed.evidence._detection import AccuracyTest, ChangeTest
from ringtrue.changed.evidence._persistence import PersistenceTest
from ringtrue.changed.evidence._repeats import Repeats, outcome
from ringtrue.changed.evidence._shift_draws import ShiftDraws, SliceShift
from ringtrue.changed.evidence._taking import Told
from ringtrue.changed.evidence._verdicts import LimitVerdict

__all__ = [
    "AccuracyTest",
    "ChangeTest",
    "LimitVerdict",
    "PersistenceTest",
    "Repeats",
    "ShiftDraws",
    "SliceShift",
    "Told",
    "outcome",
]
