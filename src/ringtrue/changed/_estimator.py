"""The estimator: from the new model's answers in the order of asking to what changed."""

from __future__ import annotations

from collections.abc import Iterable

from ringtrue.changed._census import Census
from ringtrue.changed._decision import Decision
from ringtrue.changed._finding import ShiftFinding
from ringtrue.changed._flips import FlipList
from ringtrue.changed._methods import METHODS
from ringtrue.changed._numbers import accuracy_of, cells_of, slices_of, thinned
from ringtrue.changed._parts import ClaimPath
from ringtrue.changed._precision import Precision
from ringtrue.changed._told import Reading, Told
from ringtrue.changed.evidence import ShiftDraws
from ringtrue.changed.paired import expected_answers
from ringtrue.core import Claim, InvalidInput, Record, Verdict
from ringtrue.stats import Remaining, labels_to_decide


class ShiftEstimator:
    """What changed, from answers drawn with known chances, valid after every answer.

    The claim `change <= 1%` says that at most this share of the pool's answers changed beyond the noise, and
    `accuracy drop <= 1%` that the accuracy on the pool fell by at most so much. Without a claim the verdict rings
    false as soon as a change is detected, and true once it is shown that no more than `error` of the answers changed.
    """

    def __init__(
        self, census: Census, *, size: int, method: str, claim: Claim | None, error: float | None, noise: float | None
    ) -> None:
        if size != census.size:
            raise InvalidInput(f"census has {census.size:,} items and the pool {size:,}: count this very pool")
        self._census, self._method, self._claim = census, METHODS[method], claim
        change = claim is None or claim.quantity == "change"
        self._allowed = (error if claim is None else claim.limit) if noise == 0 and change else None
        self._reading = Reading(census)
        self._draws = ShiftDraws(census, predict=expected_answers)
        self._decision = Decision(self._draws, claim=claim, tolerance=error, noise=noise)
        self._precision = Precision(census, self._method, error)
        self._flips = FlipList(census)
        self._calls = 0
        self._uniform = True

    @property
    def verdict(self) -> Verdict:
        """Whether the claim or, without one, "unchanged" rings true."""
        return self._decision.verdict

    @property
    def satisfied(self) -> bool:
        """Whether the question is settled: the verdict is known, and the shift well enough."""
        return self.verdict is not Verdict.NOT_YET_KNOWN and self._precision.holds

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            told = self._reading.read(record)
            self._calls += told.answer is not None
            if told.again:
                self._decision.again(told)
            else:
                self._first(told)

    def _first(self, told: Told) -> None:
        record = told.record
        self._uniform &= told.uniform
        said = self._draws.take(
            told.kind, told.answer, probability=record.probability, floor=record.floor, share=record.note.get("share"),
            slices=record.known.get("slices"), slice_shares=record.note.get("slice_shares"),
        )  # fmt: skip
        self._decision.first(told, said)
        self._flips.take(told, self._reading.names)
        if told.answer is not None:
            self._precision.look(self._draws.answered, self._reading)

    def finding(self) -> ShiftFinding:
        """What the answers so far show."""
        census, draws, decision, level = self._census, self._draws, self._decision, self._decision.level
        names = self._reading.names
        old = census.old_matrix(len(names))
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
            flips=self._flips.flips(),
            slices=slices_of(draws, level),
            decided_at=decision.decided_at,
            remaining=self._remaining(),
            claimed=self._claimed(),
        )

    def _claimed(self) -> ClaimPath | None:
        """How the bounds on what the claim speaks of came nearer, up to its decision or now."""
        if self._claim is None or not self._draws.answered:
            return None
        looks = list(self._decision.looks)
        decided = self.verdict is not Verdict.NOT_YET_KNOWN
        if not decided and (now := self._decision.look(self._claim))[0] > looks[-1][0]:
            looks.append(now)
        answers, low, high = zip(*looks, strict=True)
        return ClaimPath(answers, low, high, answers[-1] if decided else None)

    def _remaining(self) -> Remaining | None:
        """How many more calls decide about the change, while all draws were uniform: others cannot be foreseen so."""
        counted = self._uniform and not self._draws.unanswerable
        if self._allowed is None or self.verdict is not Verdict.NOT_YET_KNOWN or not counted:
            return None
        changed, answers = self._flips.total, self._draws.answered
        return labels_to_decide(
            changed, answers, self._allowed, level=self._decision.level, population=self._census.size
        )
