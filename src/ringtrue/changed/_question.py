"""The question: did this model change, and how?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ringtrue.changed._census import Census
from ringtrue.changed._columns import Columns, slice_names
from ringtrue.changed._decision import noise_watch
from ringtrue.changed._estimator import KINDS, ShiftEstimator
from ringtrue.changed._methods import METHODS, slice_score
from ringtrue.changed._sections import changed_sections
from ringtrue.changed.paired import LOOKS
from ringtrue.core import (
    NO_SCORES,
    Argument,
    Batch,
    Chip,
    Claim,
    Context,
    InvalidInput,
    Json,
    Measured,
    Model,
    Pass,
    Policy,
    Pool,
    Question,
    Scores,
    Section,
    parse_share,
)

EDITION = 2
"""The way in which the error of a shift is bounded. In the first, the whole chance of error was spent on each look."""

QUANTITIES = ("change", "accuracy drop")


class Changed(Question):
    """Did this model change, and how? The old answers are columns of the pool, the new ones are paid for.

    Make one with `Changed.of`, which counts the pool.

    Parameters
    ----------
    census
        The pool as it was counted.
    columns
        The columns by which it was counted.
    claim
        What is to be decided, such as "change <= 1%" or "accuracy drop <= 1%"; without one it is whether the model
        changed at all, and "unchanged" then means that at most a share `error` of its answers did.
    error
        How precisely the shift of the confusion matrix should be known, as the largest Frobenius error at 95 %.
    noise
        The share of answers that differ when the same model is asked twice: 0 for a model that always gives the same
        answer. Without it, changed answers are asked for once more, which tells a change from noise.
    method
        One of `METHODS`.
    name
        The name of the question within its study.
    edition
        The way in which the error is bounded. Studies of the first edition go on as they began, for one look.
    """

    kind = "changed"
    reads = {"census": Census.from_json, "columns": Columns.from_json}  # noqa: RUF012
    responder = "model"
    unit = "call"
    needs_model = "any"  # whether it gives labels is seen at the first answer: a trial would have to be paid for

    @classmethod
    def of(
        cls,
        pool: Pool,
        *,
        old: str,
        truth: str | None = None,
        confidence: str | None = None,
        slices: Sequence[str] = (),
        **choices: Any,
    ) -> Changed:
        """Count the pool by the columns that hold the old answers, the true labels and the old confidences.

        Parameters
        ----------
        pool
            The items, with what is known of each.
        old
            The column of the old answers.
        truth
            The column of the true labels, if there are any.
        confidence
            The column of the old model's confidences, if there are any.
        slices
            Columns whose values part the pool, for a finding per part.
        choices
            `claim`, `error`, `noise`, `method` and `name`, as `Changed` has them.
        """
        if isinstance(slices, str):
            raise InvalidInput(Argument("slices", slices), f" is text: give a list, as in [{slices!r}]")
        columns = Columns(old, truth, confidence, tuple(slices))
        return cls(columns.census(pool), columns, **choices)

    def __init__(
        self,
        census: Census,
        columns: Columns,
        *,
        claim: Claim | str | None = None,
        error: float | str | None = None,
        noise: float | str | None = None,
        method: str = "paired",
        name: str = "changed",
        edition: int = EDITION,
    ) -> None:
        if method not in METHODS:
            raise InvalidInput(Argument("method", method), f" is none of {', '.join(METHODS)}: choose one of them")
        wanted, floor = _share("error", error), _share("noise", noise, zero=True)
        said = None if claim is None else Claim.parse(claim)
        checked = None if said is None else _checked(said, census)
        row = METHODS[method]
        if floor != 0 and row.only_steady:
            raise InvalidInput(
                Argument("method", method),
                " picks items by a rule, which cannot tell noise from a change: give ",
                Argument("noise", 0),
                " if the model always gives the same answer, or use another method",
            )
        self.census, self.columns, self.claim, self.error, self.noise = census, columns, checked, wanted, floor
        self.method, self.name, self.edition = method, name, _checked_edition(edition)
        self._policy = row.policy(census, noise_watch(floor, checked, wanted, labelled=census.labelled))

    @classmethod
    def from_config(cls, config: Mapping[str, Any], **given: Any) -> Self:
        """Make the comparison that wrote this configuration; one that names no edition is of the first."""
        return super().from_config({"edition": 1, **config}, **given)

    @property
    def looks(self) -> int:
        """How many looks the bound on the error allows for."""
        return 1 if self.edition == 1 else LOOKS

    @property
    def policy(self) -> Policy:
        """Draws or picks items by the method."""
        return self._policy

    def known(self, batch: Batch, model: Model | None) -> list[tuple[Json, dict[str, Json]]]:  # noqa: ARG002
        """Return what is known of each item before it is asked: label, old answer, level, confidence and slices."""
        return [(None, known) for known in self.columns.known(batch, self.census)]

    def passes(self) -> list[Pass]:
        """Return one scan that finds of which kind each item is."""
        return [Pass(self._find_kinds)]

    def _find_kinds(self, items: Measured, *_: Any) -> dict[str, NDArray[Any]]:
        """Return the kind of each item, and the place of its value in each slice column; no answer is paid for."""
        batch = items.batch
        scores: dict[str, NDArray[Any]] = {"kind": self.columns.kinds(batch, self.census).astype(np.int32)}
        for column, kept in self.census.slices.items():
            place = {value: code for code, value in enumerate(kept)}
            values = slice_names(batch.columns[column])
            scores[slice_score(column)] = np.array([place[value] for value in values], dtype=np.int32)
        return scores

    def estimator(
        self,
        *,
        size: int,
        claim: Claim | None,
        scores: Scores = NO_SCORES,  # noqa: ARG002
    ) -> ShiftEstimator:
        """Return what turns answers into a shift."""
        checked = None if claim is None else _checked(claim, self.census)
        return ShiftEstimator(self, size=size, claim=checked)

    @classmethod
    def sections(cls, context: Context) -> Sequence[Section]:
        """Return what a reader is shown of a comparison."""
        return changed_sections(context)

    @classmethod
    def chip(cls, finding: Mapping[str, Any]) -> Chip:
        """Return the verdict: without a claim, whether anything changed."""
        verdict = str(finding["verdict"])
        words = {"rings true": "unchanged", "rings false": "changed"}.get(verdict, verdict)
        return Chip(verdict if finding["claim"] else words, verdict.replace(" ", "-"))

    @classmethod
    def gallery(cls, computed: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Return the answers that flipped, those from right to wrong first."""
        flips = computed["finding"]["flips"]["items"]
        return sorted(flips, key=lambda flip: (KINDS.index(flip["kind"]), flip["number"]))


def _checked_edition(edition: Any) -> int:
    if edition not in range(1, EDITION + 1):
        raise InvalidInput(Argument("edition", edition), f" is not one there is: leave it out, or give 1 to {EDITION}")
    return int(edition)


def _checked(claim: Claim, census: Census) -> Claim:
    claim.about(*QUANTITIES)
    if claim.quantity == "accuracy drop" and not census.labelled:
        said, truth = Argument("claim", str(claim)), Argument("truth")
        raise InvalidInput(said, " needs true labels: give ", truth, ", or claim something of the change")
    return claim


def _share(argument: str, value: float | str | None, *, zero: bool = False) -> float | None:
    """Return a share as a number, given as text or number."""
    if value is None:
        return None
    named = Argument(argument, value)
    share = parse_share(value, named) if isinstance(value, str) else float(value)
    if not (0 < share < 1 or (zero and share == 0)):
        low = "at least 0" if zero else "above 0"
        raise InvalidInput(named, f" must be {low} and below 1: write it like 1% or 0.01")
    return share
