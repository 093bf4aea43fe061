"""An alarm that watches votes as they come and may run for ever: has this panel, or what it judges, changed?"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

from ringtrue.core import Argument, InvalidInput, Json, Pattern, Sketch, count, percent
from ringtrue.judges._figures import draw_timeline
from ringtrue.judges.stream._evidence import KnownEvidence, SplitEvidence, likeliest_change
from ringtrue.judges.stream._history import QUANTUM, History, views_of
from ringtrue.judges.stream._moved import Moved
from ringtrue.judges.stream._what_moved import what_moved

_POINTS = 512
"""A path keeps at most so many points: when they are more, every other one goes."""

_LOOKS = 1024
"""After so many looks at equal events that came at once, looks get rarer. Fewer looks are always valid."""


_MOST = 10**12
"""Beyond so many items the logarithms of factorials are too coarse."""


class PanelAlarm:
    """Watches a stream of votes and raises an alarm when the patterns no longer come as they did.

    The probability that it is ever raised while nothing changes is at most 1 - level, however long it runs and
    however often it is looked at. `reference` is a sample of what is usual: the alarm allows for its size. With
    `known=True` the reference's frequencies are taken as the truth.

    The evidence is a number whose expectation is at most 1 while nothing changes; the alarm is raised when it
    reaches 1 / (1 - level), and stays.

    >>> usual = Sketch.from_cells(["ann", "bob"], ["no", "yes"], [500, 100, 100, 300])
    >>> alarm = PanelAlarm(usual)
    >>> for _ in range(100):
    ...     raised = alarm.update({"ann": "no", "bob": "yes"}) or alarm.update({"ann": "yes", "bob": "no"})
    >>> raised, alarm.alarmed_at
    (True, 32)
    """

    def __init__(self, reference: Sketch, *, level: float = 0.95, known: bool = False) -> None:
        if not 0 < level < 1:
            raise InvalidInput(Argument("level", level), " must lie strictly between 0 and 1: 0.95 is usual")
        if not reference.size:
            raise InvalidInput("reference holds no item: give a sketch of votes that were usual")
        if reference.size > _MOST:
            raise InvalidInput(
                f"reference has {reference.size:,} items, at most {_MOST:,} can be weighed: take a sample"
            )
        self.reference = reference.copy()
        self.level = float(level)
        self.known = bool(known)
        self.alarmed_at: int | None = None
        self._history = History(self.reference, views_of(len(reference.judges), len(reference.labels)))
        self._evidence = KnownEvidence(self._history) if known else SplitEvidence(self._history)
        self._path: list[tuple[int, float]] = [(0, self._evidence.log_evidence)]
        self._changed_at: int | None = None
        self._stride = 1
        self._looks = 0

    def update(self, votes: Pattern | Mapping[str, Any], times: int = 1) -> bool:
        """Count an event by its pattern, or by its votes by judge; returns whether the alarm has been raised.

        A pattern is a tuple with the place of the label of each judge's vote, as of a sketch; -1 abstains.
        """
        place = self._history.place_of(self._pattern(votes))
        left = operator.index(times)
        if left < 0:
            raise InvalidInput(f"times={times} must not be negative: events cannot be taken back from a stream")
        begun = self.events
        while left:
            quantum = QUANTUM << ((self.events - begun) // (QUANTUM * _LOOKS)).bit_length()
            step = min(left, quantum - self.events % quantum)
            self._history.add(place, step)
            left -= step
            if self.events % QUANTUM == 0:
                self._look()
        return self.alarmed_at is not None

    @property
    def events(self) -> int:
        """The number of events so far."""
        return self._history.events

    @property
    def log_evidence(self) -> float:
        """The natural logarithm of the evidence, as of the last look; looks are 16 events apart."""
        return self._evidence.log_evidence

    @property
    def threshold(self) -> float:
        """The log evidence at which the alarm is raised."""
        return -math.log1p(-self.level)

    @property
    def path(self) -> tuple[tuple[int, float], ...]:
        """The log evidence after so many events, thinned to at most a few hundred points."""
        last = (self.events, self.log_evidence)
        return (*self._path, last) if self._path[-1][0] != self.events else tuple(self._path)

    @property
    def since(self) -> Sketch:
        """The sketch of the stream."""
        return self._history.sketch(0, before=False)

    @property
    def changed_at(self) -> int:
        """The event since which the stream seems to differ most, on a grid that is coarser with age.

        Settled when the alarm is raised; before that it may be anywhere.
        """
        return likeliest_change(self._history) if self._changed_at is None else self._changed_at

    @property
    def since_change(self) -> Sketch:
        """The sketch of the stream since then."""
        return self._history.sketch(self.changed_at, before=False)

    @property
    def before_change(self) -> Sketch:
        """The sketch of the reference and of the stream before that."""
        return self._history.sketch(self.changed_at, before=True)

    def explain(self) -> Moved:
        """Say what moved: the prevalence, a judge, or shares of votes if judges cannot be told apart.

        Compares the stream since the change with the reference and the stream before it. The place of the change
        was chosen by these same votes, so that differences look a little larger than they are.
        """
        return what_moved(self.before_change, self.since_change)

    def __str__(self) -> str:
        seen = f"{count(self.events, 'event')}, evidence {_times(self.log_evidence)} of {_times(self.threshold)} needed"
        if self.alarmed_at is None:
            return f"no alarm: {seen} ({percent(self.level)}, valid while you watch)"
        return (
            f"ALARM after {count(self.alarmed_at, 'event')}: votes have changed, by the looks of it since event "
            f"{self.changed_at:,} ({percent(self.level)}, valid while you watch)"
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "sentence": str(self),
            "level": self.level,
            "known": self.known,
            "events": self.events,
            "reference": self.reference.size,
            "log_evidence": self.log_evidence,
            "threshold": self.threshold,
            "alarmed_at": self.alarmed_at,
            "changed_at": self.changed_at,
            "path": [list(point) for point in self.path],
        }

    def draw(self, axes: Any) -> None:
        """Draw the evidence event by event, with the threshold and the alarm."""
        draw_timeline(axes, self.to_json())

    def _pattern(self, votes: Pattern | Mapping[str, Any]) -> Pattern:
        if isinstance(votes, Mapping):
            return self.reference.pattern(votes)
        labels = len(self.reference.labels)
        if len(votes) != len(self.reference.judges) or not all(-1 <= vote < labels for vote in votes):
            raise InvalidInput(
                f"pattern={votes!r} must hold {len(self.reference.judges)} places of labels from 0 to {labels - 1}: "
                "-1 abstains"
            )
        return tuple(votes)

    def _look(self) -> None:
        self._history.mark()
        self._evidence.look()
        self._looks += 1
        if self._looks % self._stride == 0:
            self._path.append((self.events, self.log_evidence))
            if len(self._path) > _POINTS:
                del self._path[1::2]
                self._stride *= 2
        if self.alarmed_at is None and self.log_evidence >= self.threshold:
            self.alarmed_at = self.events
            self._changed_at = likeliest_change(self._history)
            self._history.hold(self._changed_at)


def _times(log_evidence: float) -> str:
    return f"{math.exp(log_evidence):.3g}" if log_evidence < 700 else f"e^{log_evidence:.0f}"
