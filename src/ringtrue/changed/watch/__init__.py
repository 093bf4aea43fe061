"""A model that is watched for months: by a few questions close to another answer, or by chance, and an alarm."""

from ringtrue.changed.watch._alarm import Alarm, Strangeness
from ringtrue.changed.watch._choice import nearest
from ringtrue.changed.watch._finding import Sentinel, WatchFinding
from ringtrue.changed.watch._policy import InSight
from ringtrue.changed.watch._question import Watch

__all__ = ["Alarm", "InSight", "Sentinel", "Strangeness", "Watch", "WatchFinding", "nearest"]
