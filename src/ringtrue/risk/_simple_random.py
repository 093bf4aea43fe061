"""Simple random sampling without replacement: every item nobody has asked about is equally likely next."""

from __future__ import annotations

from ringtrue.core import Draw, View
from ringtrue.stats import even_draws


class SimpleRandom:
    """Walks along one random order of the pool and skips what other questions have asked meanwhile."""

    name = "simple-random"
    foresees = True

    def propose(self, view: View, n: int) -> list[Draw]:
        """The next `n` items of the order that nobody has asked about."""
        return even_draws(view, n, "risk/simple-random")
