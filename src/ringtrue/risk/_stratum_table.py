"""Where the failures are: answers and failures by stratum."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ringtrue.core import Json, Record


@dataclass(frozen=True, slots=True)
class StratumRow:
    """What was seen in one stratum; `rate` is of its answers, `chance` how often it was drawn over an even share."""

    name: str
    items: int
    share: float
    answers: int
    failures: int
    rate: float
    chance: float

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


class StratumTable:
    """Counts the answers by the stratum that their draws were noted with; strata under other profiles are others."""

    def __init__(self, profile: str | None) -> None:
        self._profile = profile
        self._items: dict[str, int] = {}
        self._counts: dict[str, list[int]] = {}

    def add(self, record: Record, failed: bool | None) -> None:
        kept = record.predicted
        if failed is None or not isinstance(kept, dict) or "stratum" not in kept or kept["profile"] != self._profile:
            return
        name, items = str(kept["stratum"]), kept["items"]
        self._items[name] = items if isinstance(items, int) else 0
        counts = self._counts.setdefault(name, [0, 0])
        counts[0] += 1
        counts[1] += failed

    def rows(self, size: int) -> tuple[StratumRow, ...]:
        """One row per stratum that was asked about, those with most failures first."""
        total = sum(answers for answers, _ in self._counts.values())
        found = [
            StratumRow(
                name, self._items[name], self._items[name] / size, answers, failures, failures / answers,
                answers / total * size / self._items[name],
            )
            for name, (answers, failures) in self._counts.items()
        ]  # fmt: skip
        return tuple(sorted(found, key=lambda row: (-row.failures, -row.rate, row.name)))
