"""Which item to label next if the number of labels was fixed beforehand: any of those left, with one chance for all."""

from __future__ import annotations

from ringtrue.core import Draw, View
from ringtrue.stats import even_draws


class EvenDraws:
    """Draws items without replacement, each with the same chance: what an interval of one look is made for."""

    name = "even"
    foresees = True

    def propose(self, view: View, n: int) -> list[Draw]:
        """The next `n` items, each with its chance given all before."""
        return even_draws(view, n, "judges/even")
