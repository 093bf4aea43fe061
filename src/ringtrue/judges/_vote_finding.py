"""What judges voted: a frozen value that reads as a sentence and serialises."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ringtrue.core import Claim, Interval, Json, Readable, Verdict, count


@dataclass(frozen=True, slots=True)
class JudgeVotes:
    """The votes of one judge, by choice; on how many items it gave none, and how often it contradicted itself."""

    name: str
    votes: dict[str, int]
    no_vote: int
    asked_twice: int
    contradicted: int


@dataclass(frozen=True, slots=True)
class VoteFinding(Readable):
    """The votes on the items of a pool. They decide no claim: whether judges can be relied on is another question."""

    kind: ClassVar[str] = "vote"
    judges: tuple[JudgeVotes, ...]
    answers: int
    """Items that have a vote."""
    unanswerable: int
    """Items on which no judge gave a vote."""
    population: int
    calls: int
    """Answers that were counted or compared, those about items that were asked about twice included."""

    @property
    def claim(self) -> Claim | None:
        """None: votes are no claim."""
        return None

    @property
    def verdict(self) -> Verdict:
        """Nothing is decided."""
        return Verdict.NOT_YET_KNOWN

    @property
    def estimate(self) -> Interval | None:
        """None: votes are counted, and nothing is estimated."""
        return None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be kept in mind."""
        return ("A vote is what a judge said, not what is true.",)

    def __str__(self) -> str:
        said = f"{count(len(self.judges), 'judge')} voted on {self.answers:,} of {count(self.population, 'item')}"
        silent = f"; on {count(self.unanswerable, 'item')} none did" if self.unanswerable else ""
        missing = sum(judge.no_vote for judge in self.judges) - self.unanswerable * len(self.judges)
        lacking = f"; {count(missing, 'vote')} missing besides" if missing else ""
        twice = max((judge.asked_twice for judge in self.judges), default=0)
        if not twice:
            return said + silent + lacking
        fickle = ", ".join(f"{judge.name} {judge.contradicted:,}" for judge in self.judges)
        return f"{said}{silent}{lacking}; asked twice about {count(twice, 'item')}, contradictions: {fickle}"

    def draw(self, axes: Any) -> None:
        """Draw the shares of the choices, a bar for each judge."""
        draw_votes(axes, self.to_json()["judges"])

    def to_json(self) -> dict[str, Json]:
        """Return the votes for programs."""
        return {
            "sentence": str(self),
            "claim": None,
            "verdict": self.verdict.value,
            "answers": self.answers,
            "unanswerable": self.unanswerable,
            "population": self.population,
            "calls": self.calls,
            "judges": [asdict(judge) for judge in self.judges],
        }


def draw_votes(axes: Any, judges: Any) -> None:
    """Draw the shares of the choices of each judge side by side; what it gave no vote on is at the end, in grey."""
    labels = list(dict.fromkeys(label for judge in judges for label in judge["votes"]))
    names = [judge["name"] for judge in judges]
    total = [max(1, sum(judge["votes"].values()) + judge["no_vote"]) for judge in judges]
    left = [0.0] * len(judges)
    parts: list[tuple[str, list[int], str | None]] = [
        (label, [judge["votes"].get(label, 0) for judge in judges], None) for label in labels
    ]
    parts += [("no vote", [judge["no_vote"] for judge in judges], "0.8")] if any(j["no_vote"] for j in judges) else []
    for label, numbers, colour in parts:
        shares = [number / whole for number, whole in zip(numbers, total, strict=True)]
        axes.barh(names, shares, left=left, label=label, color=colour)
        left = [before + share for before, share in zip(left, shares, strict=True)]
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the items")
    axes.invert_yaxis()
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize="small")
