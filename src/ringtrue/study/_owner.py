"""What the owner of a study decides: second opinions, conflicts among raters, and who may enter a desk."""

from __future__ import annotations

from ringtrue.core import Argument, InvalidInput, Json, Reply, plain
from ringtrue.study._book import Events
from ringtrue.study._study import Study
from ringtrue.study._telling import checked_reply, number_of


class Owner:
    """The owner of a study, who sees what raters do not."""

    def __init__(self, study: Study) -> None:
        self._book = study._book

    def second(self, share: float) -> None:
        """Ask for second opinions: about every failure, and about each other answer with the chance `share`."""
        if not 0 < share <= 1:
            raise InvalidInput(Argument("share", share), " must lie in (0, 1]: write 10% or 0.1 for one in ten")

        def build() -> tuple[Events, None]:
            known = self._book.ledger.second.share
            if known is not None and known != share:
                raise InvalidInput(
                    Argument("share", share), f" was set to {known:g} before, and its coins are drawn: keep it"
                )
            return [] if known is not None else [("second", {"share": share})], None

        self._book.commit(build)

    def settle(self, query: str, answer: Json, *, reason: str) -> None:
        """Decide about an item on which raters differ, as the owner of the study; None if it cannot be told."""
        number = number_of(self._book, query)
        if not reason.strip():
            raise InvalidInput("reason='' must say why you decide so: write a few words")

        def build() -> tuple[Events, None]:
            record = self._book.ledger.records[number]
            if number not in self._book.ledger.second.conflicts and number not in self._book.ledger.second.settled:
                raise InvalidInput(f"query={query!r} has no answers that differ: there is nothing to decide")
            value = checked_reply(self._book.ledger, record, Reply(plain(answer))).value
            return [("settled", {"number": number, "value": value, "reason": reason})], None

        self._book.commit(build)

    def set_desk(self, **settings: Json) -> None:
        """Keep what the owner of a desk set: `paused`, `labels`, new `links`, or `unlink` to end those made before."""
        self._book.commit(lambda: ([("desk", dict(settings))], None))
