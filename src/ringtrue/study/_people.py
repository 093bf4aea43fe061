"""The people of a study, a pure fold of the events about them: what each did, what they put off, and their links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

Role: TypeAlias = Literal["rater", "owner"]


class Link(NamedTuple):
    """A link to a desk, known by the hash of its token alone."""

    role: Role
    rater: str | None
    until: float
    """When it ends, in seconds since 1970."""


@dataclass(slots=True)
class Tally:
    """What one rater did: the queries in the order in which they were first answered, and when."""

    moments: dict[int, float] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    """How long each item was looked at, where that was told."""
    corrected: int = 0

    @property
    def last(self) -> int | None:
        """The query that this rater answered last."""
        return next(reversed(self.moments), None)


@dataclass(slots=True)
class People:
    """Who answers a study, and who may enter its desk."""

    raters: dict[str, Tally] = field(default_factory=dict)
    put_off: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """By query, the raters who would rather see it later."""
    links: dict[str, Link] = field(default_factory=dict)
    """By the hash of its token."""
    labels: list[str] | None = None
    """The labels that a desk shows, where the study itself takes any."""
    paused: bool = False
    """Whether a desk offers no items for now."""

    def of(self, rater: str) -> Tally:
        return self.raters.setdefault(rater, Tally())

    def answered(self, number: int, rater: str | None, moment: float) -> None:
        """Note who answered a query, or said something of it."""
        self.put_off.pop(number, None)
        if rater is not None:
            self.of(rater).moments.setdefault(number, moment)

    def seen(self, payload: dict[str, Any]) -> None:
        """Note how long a rater looked at an item."""
        self.of(payload["rater"]).seconds.append(payload["seconds"])

    def puts_off(self, numbers: list[int], rater: str) -> None:
        """Note that a rater would rather see some items later."""
        for number in numbers:
            raters = self.put_off.get(number, ())
            self.put_off[number] = raters if rater in raters else (*raters, rater)

    def desk(self, payload: dict[str, Any]) -> None:
        """Take what the owner of a desk set: new links, no links but those that come, labels, or a pause."""
        if payload.get("unlink"):
            self.links.clear()
        for token_hash, *link in payload.get("links", ()):
            self.links[token_hash] = Link(*link)
            if link[1] is not None:
                self.of(link[1])
        self.labels = payload.get("labels", self.labels)
        self.paused = payload.get("paused", self.paused)
