"""The inputs that are searched for the worst deviation. Pure."""

from ringtrue.worst.spaces._choice import Choice
from ringtrue.worst.spaces._constraints import AtMost
from ringtrue.worst.spaces._numbers import Integer, Real
from ringtrue.worst.spaces._space import SearchSpace
from ringtrue.worst.spaces._task_space import TaskSpace

__all__ = ["AtMost", "Choice", "Integer", "Real", "SearchSpace", "TaskSpace"]
