"""The question that has judges vote: which items, in which order, some twice, and how the votes are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ringtrue.core import (
    NO_SCORES,
    Claim,
    Column,
    Context,
    Draw,
    Estimator,
    Figure,
    InvalidInput,
    Json,
    Policy,
    Question,
    Record,
    Scores,
    Section,
    Table,
    Verdict,
    View,
    count,
)
from ringtrue.judges._vote_finding import JudgeVotes, VoteFinding, draw_votes
from ringtrue.stats import Shuffle

AGAIN = 10
"""Items that are asked about twice: enough to see a judge that contradicts itself, few enough to cost little."""

REPEAT = "repeat"
"""In the note of a draw: how often the item was asked about before."""


class InTurn(Policy):
    """Walks along one random order of the pool, and comes back once to the first items.

    By chance, so that votes which the budget ends early are a sample of the pool. All judges vote on the same items.
    """

    name = "in-turn"
    foresees = True
    asks_again = True

    def __init__(self, items: int | None, again: int) -> None:
        self._items, self._again = items, again

    def propose(self, view: View, n: int) -> list[Draw]:
        """Propose the next items; a proposal ends before an item that stands in it already."""
        size = view.size if self._items is None else min(self._items, view.size)
        again = min(self._again, size)
        order = _order(view.size, view.seed)
        draws: dict[int, Draw] = {}
        for step in range(view.step, min(view.step + n, size + again)):
            repeat = int(again <= step < 2 * again)
            row = order[step - again if step >= again else step]
            if row in draws:
                break
            draws[row] = Draw(row=row, note={REPEAT: 1} if repeat else {})
        return list(draws.values())


@lru_cache(maxsize=8)
def _order(size: int, seed: int) -> Shuffle:
    return Shuffle(size, seed, "vote")


class Vote(Question):
    """What do these judges say of the items of a pool? An answer is the votes of all judges on one item.

    Parameters
    ----------
    judges
        The settings of each judge, by name; all that distinguishes it from another.
    rubric
        What they are asked.
    items
        How many items of the pool, drawn at random; all without it.
    again
        How many of them are asked about twice.
    name
        What the question is called in a study.
    """

    kind = "vote"
    unit = "item"

    def __init__(
        self,
        judges: Mapping[str, Mapping[str, Any]],
        rubric: Mapping[str, Any],
        *,
        items: int | None = None,
        again: int = AGAIN,
        name: str = "votes",
    ) -> None:
        if not judges:
            raise InvalidInput("judges is empty: name at least one")
        if items is not None and items < 1:
            raise InvalidInput(f"items={items} must be at least 1: leave it out for all")
        self.judges, self.rubric, self.items, self.again, self.name = dict(judges), dict(rubric), items, again, name

    @property
    def policy(self) -> InTurn:
        """What decides what to ask next."""
        return InTurn(self.items, self.again)

    def estimator(self, *, size: int, claim: Claim | None, scores: Scores = NO_SCORES) -> Votes:  # noqa: ARG002
        """Return what counts votes."""
        if claim is not None:
            raise InvalidInput(f'claim="{claim}" is not decided by votes: judge them with judges, or claim with risk')
        return Votes(list(self.judges), size if self.items is None else min(size, self.items))

    def uses(self, record: Record) -> bool:
        """Return whether a record is of this question: what others were told are not votes."""
        return record.question == self.name

    def check_answer(self, value: Json, record: Record, labels: Sequence[str] | None) -> None:  # noqa: ARG002
        """Refuse what is not the votes of these judges."""
        votes = value.get("votes") if isinstance(value, dict) else None
        if not isinstance(votes, dict) or set(votes) != set(self.judges):
            raise InvalidInput(f"answer={value!r} for item {record.id!r} must be the votes of {', '.join(self.judges)}")

    @classmethod
    def sections(cls, context: Context) -> Sequence[Section]:
        """Return a table of the votes of each judge."""
        judges = context.finding["judges"]
        labels = list(dict.fromkeys(label for judge in judges for label in judge["votes"]))
        head = ["judge", *labels, "no vote", "contradicted itself"]
        rows = [
            [
                judge["name"],
                *(f"{judge['votes'].get(label, 0):,}" for label in labels),
                f"{judge['no_vote']:,}",
                f"{judge['contradicted']:,} of {count(judge['asked_twice'], 'item')}",
            ]
            for judge in judges
        ]
        table = Table(rows, [Column(name) for name in head], named=True, brief=len(rows))
        aloud = "; ".join(", ".join(f"{label} {n:,}" for label, n in judge["votes"].items()) for judge in judges)
        figure = Figure(lambda axes: draw_votes(axes, judges), (3.4, 1.4 + 0.35 * len(judges)), f"Votes: {aloud}.")
        return [Section("Votes", figure=figure, table=table)]


class Votes(Estimator):
    """Counts votes, and how often a judge says something else of the same item."""

    def __init__(self, judges: Sequence[str], size: int) -> None:
        self._judges, self._size = judges, size
        self._first: dict[int | None, Mapping[str, Any]] = {}
        self._counted: dict[str, Counter[str]] = {name: Counter() for name in judges}
        self._none: Counter[str] = Counter()
        self._twice: Counter[str] = Counter()
        self._contradicted: Counter[str] = Counter()
        self._silent = self._taken = 0

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records; the second votes on an item are held against the first."""
        for record in records:
            told: Any = record.value if record.state == "answered" else None
            self._taken += 1
            votes: Mapping[str, Any] = dict.fromkeys(self._judges) if told is None else told["votes"]
            if record.note.get(REPEAT):
                self._compare(votes, self._first.get(record.row, {}))
                continue
            self._first[record.row] = votes
            self._silent += told is None
            for name in self._judges:
                if votes[name] is None:
                    self._none[name] += 1
                else:
                    self._counted[name][str(votes[name])] += 1

    def _compare(self, votes: Mapping[str, Any], first: Mapping[str, Any]) -> None:
        for name in self._judges:
            if votes[name] is not None and first.get(name) is not None:
                self._twice[name] += 1
                self._contradicted[name] += votes[name] != first[name]

    @property
    def verdict(self) -> Verdict:
        """Votes decide nothing by themselves."""
        return Verdict.NOT_YET_KNOWN

    def finding(self) -> VoteFinding:
        """Return the votes so far."""
        judges = tuple(
            JudgeVotes(
                name,
                dict(sorted(self._counted[name].items())),
                self._none[name],
                self._twice[name],
                self._contradicted[name],
            )
            for name in self._judges
        )
        answers, calls = len(self._first) - self._silent, self._taken - self._silent
        return VoteFinding(judges, answers, self._silent, self._size, calls)
