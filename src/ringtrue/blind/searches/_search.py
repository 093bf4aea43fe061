"""What every search is: a name, and a chooser of the next items on a given pool."""

from __future__ import annotations

from typing import Protocol

from ringtrue.blind.searches._field import Field, Floats, History


class Chooser(Protocol):
    """A search at work on one pool. What it returns depends on the pool and the history alone."""

    def choose(self, history: History, n: int) -> list[int]:
        """The next n items to ask, none asked or open before; fewer when none are left."""
        ...

    def chances(self, history: History) -> Floats:
        """The probability of error of every item of the pool, as this search believes it."""
        ...


class Search(Protocol):
    """A way to look for errors."""

    @property
    def name(self) -> str: ...

    @property
    def needs_distance(self) -> bool:
        """Whether it needs the residual of the adversarial distance."""
        ...

    def on(self, field: Field) -> Chooser:
        """The search at work on a pool."""
        ...
