"""The estimator: from the new model's answers in the order of asking to what changed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ringtrue.changed._census import Census
from ringtrue.changed._decision import Decision
from ringtrue.changed._finding import ShiftFinding
from ringtrue.changed._methods import METHODS, Method
from ringtrue.changed._parts import ClaimPath, ErrorPath, Flips, accuracy_of, cells_of, thinned
from ringtrue.changed._reader import Reading, Told
from ringtrue.changed.evidence import ShiftDraws
from ringtrue.changed.paired import uniform_bound
from ringtrue.core import Claim, Estimator, InvalidInput, Json, Record, Verdict
from ringtrue.stats import Remaining, labels_to_decide

if TYPE_CHECKING:
    from ringtrue.changed._question import Changed

SHOWN = 100
"""Items that are listed: a reader looks at some, a program reads the records."""

KINDS = ("right to wrong", "wrong to right", "another wrong answer", "changed")
"""What can become of an item, in the order in which people want to see them; the last without true labels."""


def flips_in(census: Census, reading: Reading) -> Flips:
    """Return the items whose first answer is not the old one: all of them counted, the first listed."""
    found: dict[str, list[Told]] = {kind: [] for kind in KINDS}
    for told in reading.first.values():
        if told.changed and not census.labelled:
            found["changed"].append(told)
        elif told.changed and told.old == told.truth:
            found["right to wrong"].append(told)
        elif told.changed:
            found["wrong to right" if told.answer == told.truth else "another wrong answer"].append(told)
    names = reading.names
    items: list[dict[str, Json]] = [
        {
            "number": told.record.number,
            "id": told.record.id,
            "row": told.row,
            "truth": names[told.truth] if census.labelled else None,
            "old": names[told.old],
            "new": None if told.answer is None else names[told.answer],
            "confidence": told.record.known.get("confidence"),
            "kind": kind,
        }
        for kind, some in found.items()
        for told in some[:SHOWN]
    ]
    worse, better, other, unlabelled = map(len, found.values())
    return Flips(worse, better, other, unlabelled, tuple(items[:SHOWN]))


_STEP, _GROWTH = 10, 1.05
"""The bound is looked at every ten answers and, later, after a twentieth more: it takes some milliseconds."""


_WORST = math.sqrt(2)
"""Two matrices of shares are never further apart than this."""


class Precision:
    """The bound on the error of the shift at fixed numbers of answers, the same in whatever portions they come."""

    def __init__(self, census: Census, method: Method, required: float | None, looks: int) -> None:
        self.required, self._chances = required, looks
        self.holds_at: int | None = None
        self._census, self._method = census, method
        self._next = _STEP
        self._looks: list[tuple[int, float, float]] = []

    def look(self, answers: int, reading: Reading) -> None:
        """Look at the bound after an answer, if it is time for a look."""
        if answers < self._next:
            return
        self._next = max(answers + _STEP, int(answers * _GROWTH))
        found = self._at(answers, reading)
        self._looks.append(found)
        kept = self.required is None or found[1] <= self.required
        self.holds_at = (self.holds_at or answers) if kept else None

    @property
    def holds(self) -> bool:
        """Whether what is required holds at the last look, or nothing is required."""
        return self.required is None or self.holds_at is not None

    def _at(self, answers: int, reading: Reading) -> tuple[int, float, float]:
        counts = reading.counts
        # An item that the model could not answer may have changed in any way.
        lost = _WORST * (len(reading.first) - answers) / self._census.size
        bound = min(_WORST, float(self._method.bound(self._census, counts, looks=self._chances)) + lost)
        uniform = min(_WORST, float(uniform_bound(self._census, counts, looks=self._chances)))
        return answers, bound, uniform

    def path(self, answers: int, reading: Reading) -> ErrorPath:
        """Return all looks so far, and one more for now."""
        now = self._at(answers, reading)
        looks = self._looks if self._looks and self._looks[-1][0] == answers else [*self._looks, now]
        columns = tuple(zip(*looks, strict=True))
        return ErrorPath(self.required, now[1], None if self.required is None else self.holds_at, *columns)


class ShiftEstimator(Estimator):
    """What changed, from answers drawn with known chances, valid after every answer.

    The claim `change <= 1%` says that at most this share of the pool's answers changed beyond the noise, and
    `accuracy drop <= 1%` that the accuracy on the pool fell by at most so much. Without a claim the verdict rings
    false as soon as a change is detected, and true once it is shown that no more than `error` of the answers changed.
    """

    def __init__(self, question: Changed, *, size: int, claim: Claim | None) -> None:
        census, error, noise = question.census, question.error, question.noise
        if size != census.size:
            raise InvalidInput(f"census has {census.size:,} items and the pool {size:,}: count this very pool")
        self._census, self._method, self._claim = census, METHODS[question.method], claim
        change = claim is None or claim.quantity == "change"
        self._allowed = (error if claim is None else claim.limit) if noise == 0 and change else None
        self._reading = Reading(census)
        self._draws = ShiftDraws(census)
        self._decision = Decision(self._draws, claim=claim, tolerance=error, noise=noise)
        self._precision = Precision(census, self._method, error, question.looks)
        self._calls = 0
        self._uniform = True

    @property
    def verdict(self) -> Verdict:
        """Whether the claim or, without one, "unchanged" rings true."""
        return self._decision.verdict

    @property
    def done(self) -> bool:
        """Whether the question is settled: the verdict is known, and the shift well enough."""
        return self.verdict is not Verdict.NOT_YET_KNOWN and self._precision.holds

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            told = self._reading.read(record)
            self._calls += told.answer is not None
            if told.again:
                self._decision.again(told)
                continue
            self._uniform &= told.uniform
            said = self._draws.take(
                told.kind,
                told.answer,
                probability=record.probability,
                floor=record.floor,
                share=record.note.get("share"),
                slices=record.known.get("slices"),
                slice_shares=record.note.get("slice_shares"),
            )
            self._decision.first(told, said)
            if told.answer is not None:
                self._precision.look(self._draws.answered, self._reading)

    def finding(self) -> ShiftFinding:
        """Return what the answers so far show."""
        census, draws, decision, level = self._census, self._draws, self._decision, self._decision.level
        names = self._reading.names
        old, flips = census.old_matrix(len(names)), flips_in(census, self._reading)
        return ShiftFinding(
            claim=self._claim,
            verdict=self.verdict,
            method=self._method.name,
            labelled=census.labelled,
            population=census.size,
            answers=draws.answered,
            unanswerable=draws.unanswerable,
            picked=draws.picked,
            calls=self._calls,
            labels=census.answers[: census.labels],
            answer_names=names,
            old=old,
            shift=self._method.shift(census, self._reading.counts),
            cells=cells_of(draws, names, old, level),
            change=draws.change(level),
            bound=decision.bound(),
            accuracy=accuracy_of(draws, level),
            noise=decision.noise(),
            changed=decision.change_detected(),
            accuracy_changed=decision.accuracy_detected(),
            evidence=thinned(decision.path),
            error=self._precision.path(draws.answered, self._reading),
            flips=flips,
            slices=draws.slices(level),
            decided_at=decision.decided_at,
            remaining=self._remaining(flips.total),
            claimed=self._claimed(),
        )

    def _claimed(self) -> ClaimPath | None:
        """Return how the bounds on what the claim speaks of came nearer, up to its decision or now."""
        if self._claim is None or not self._draws.answered:
            return None
        looks = list(self._decision.looks)
        decided = self.verdict is not Verdict.NOT_YET_KNOWN
        if not decided and (now := self._decision.look(self._claim))[0] > looks[-1][0]:
            looks.append(now)
        answers, low, high = zip(*looks, strict=True)
        return ClaimPath(answers, low, high, answers[-1] if decided else None)

    def _remaining(self, changed: int) -> Remaining | None:
        """Return how many more calls decide about the change, while all draws were uniform and can be foreseen."""
        counted = self._uniform and not self._draws.unanswerable
        if self._allowed is None or self.verdict is not Verdict.NOT_YET_KNOWN or not counted:
            return None
        level, size = self._decision.level, self._census.size
        return labels_to_decide(changed, self._draws.answered, self._allowed, level=level, population=size)
