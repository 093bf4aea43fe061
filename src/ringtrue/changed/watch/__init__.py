"""A model that is watched for months: a few questions close to another answer, asked one at a time, and an alarm."""

from ringtrue.changed.watch._alarm import Alarm, Strangeness
from ringtrue.changed.watch._choice import nearest
from ringtrue.changed.watch._finding import Sentinel, WatchFinding
from ringtrue.changed.watch._question import Watch

__all__ = ["Alarm", "Sentinel", "Strangeness", "Watch", "WatchFinding", "nearest"]
