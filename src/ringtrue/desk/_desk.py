"""The desk without its server: what each rater is shown, says and takes back, in the words of the pages."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import InvalidInput, Json, Query, decimal
from ringtrue.desk._fields import Fields, Picture
from ringtrue.desk._keys import choice_keys, command_keys
from ringtrue.study import Raters

MOST = 5
"""Items that a rater may hold at a time: the one on the screen, the next, and some whose answers are on their way."""

RENEW = 120
"""Seconds after which a page renews what it holds."""

_LONGEST_NAME = 10


class Desk:
    """The raters of a study as the pages know them.

    Queries have names that say nothing: their numbers would tell a rater which items are looked at a second time.
    """

    def __init__(self, raters: Raters, fields: Fields, outputs: Sequence[str] = ()) -> None:
        """Show the items of a study to its raters.

        Parameters
        ----------
        raters, fields
            Who answers, and how items are shown.
        outputs
            The numbers that are asked for, by name; without any, labels are.
        """
        self.raters, self.fields, self.outputs = raters, fields, list(outputs)
        self._key = raters.study.identity.encode()
        self._numbers: dict[str, int] = {}
        self._named = 0

    @property
    def labels(self) -> list[str] | None:
        """The labels that raters choose from; None where they may write any, or are asked for numbers."""
        study = self.raters.study
        known = study.plan["labels"] or study.people.labels
        return None if known is None or self.outputs else list(known)

    def config(self, rater: str) -> dict[str, Json]:
        """Return what the rater's page is told once."""
        study, labels = self.raters.study, self.labels or []
        keys = choice_keys(labels)
        return {
            "study": study.name,
            "id": study.identity[:_LONGEST_NAME],
            "rater": rater,
            "choices": [{"label": label, "key": key} for label, key in zip(labels, keys, strict=True)],
            "commands": dict(command_keys(keys)),
            "outputs": list(self.outputs),
            "free": self.labels is None and not self.outputs,
            "renew": RENEW,
        }

    # Names

    def name(self, number: int) -> str:
        """Return the name of a query by its number."""
        name = hmac.new(self._key, str(number).encode(), hashlib.sha256).hexdigest()[:_LONGEST_NAME]
        self._numbers[name] = number
        return name

    def number(self, name: Json) -> int:
        """Return the number of a query by its name; refuses a name that the study never gave."""
        if name not in self._numbers:  # such as after a restart
            self.raters.study.refresh()
            asked = len(self.raters.study.records)
            for number in range(self._named, asked):
                self.name(number)
            self._named = asked
        if not isinstance(name, str) or name not in self._numbers:
            raise InvalidInput(f"query={str(name)[:40]!r} was never asked here: give one that `ask` returned")
        return self._numbers[name]

    def query(self, name: Json) -> str:
        """Return the id of a query in its study, by its name here."""
        return f"{self.raters.study.name}:{self.number(name)}"

    # What raters do

    def ask(self, rater: str, n: Json) -> dict[str, Json]:
        """Return items for a rater, or why there are none."""
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise InvalidInput(f"n={n!r} must be a whole number, at least 1: ask for one item")
        held = self.raters.ask(rater, min(n, MOST))
        empty = None if held else self.raters.empty(rater)
        return {
            "queries": [{**self.shown(one.query), "until": one.until} for one in held],
            "mine": self.mine(rater),
            "empty": None if empty is None else {"why": empty.why, "until": empty.until},
        }

    def shown(self, query: Query) -> dict[str, Json]:
        """Return a query as a rater sees it."""
        name = self.name(int(query.id.rpartition(":")[2]))
        fields: list[Json] = [*self.fields.of(query.item.values, f"/items/{name}")]
        return {"id": name, "fields": fields}

    def tell(self, rater: str, told: Mapping[str, Any]) -> dict[str, Json]:
        """Record an answer. It is on the disk when this returns."""
        answer, read = self.answer(told)
        seconds = told.get("seconds")
        if seconds is not None and not (isinstance(seconds, int | float) and 0 <= seconds < 1e6):
            raise InvalidInput(f"seconds={seconds!r} must be a number of seconds: leave it out if it is not known")
        self.raters.tell(self.query(told.get("query")), answer, rater=rater, seconds=seconds)
        return self._saved(rater, read)

    def amend(self, rater: str, told: Mapping[str, Any]) -> dict[str, Json]:
        """Correct an answer of the rater's own."""
        answer, read = self.answer(told)
        self.raters.amend(self.query(told.get("query")), answer, rater=rater)
        return self._saved(rater, read)

    def _saved(self, rater: str, read: list[str] | None) -> dict[str, Json]:
        return {"saved": True, "mine": self.mine(rater), "read": None if read is None else [*read]}

    def answer(self, told: Mapping[str, Any]) -> tuple[Json, list[str] | None]:
        """Return an answer as it is recorded and, for numbers, how they were read."""
        if "numbers" not in told:
            if "answer" not in told:
                raise InvalidInput('answer is missing: give "answer", a label or null for "cannot tell"')
            answer = told["answer"]
            if answer is not None and self.outputs:
                raise InvalidInput(f'answer={answer!r}: this study asks for numbers: give "numbers"')
            if answer is not None and not isinstance(answer, str | int | float | bool):
                raise InvalidInput("answer must be a label, or null for cannot tell: give one text")
            if isinstance(answer, str) and not answer.strip():
                raise InvalidInput(f"answer={answer!r} is empty: give a label, or null if you cannot tell")
            return answer, None
        typed = told["numbers"]
        if not self.outputs or not isinstance(typed, list) or len(typed) != len(self.outputs):
            wanted = len(self.outputs)
            raise InvalidInput(f"numbers={typed!r} must be a list of {wanted}: give one for each output")
        numbers: list[float] = []
        for name, text in zip(self.outputs, typed, strict=True):
            number = decimal(str(text))
            if number is None:
                raise InvalidInput(f"{name}={text!r} is not a number: write one decimal sign and no others")
            numbers.append(number)
        return (list(numbers) if len(numbers) > 1 else numbers[0]), [f"{number:.10g}" for number in numbers]

    def mine(self, rater: str) -> int:
        """Return how many items a rater has answered."""
        return len(self.raters.tally(rater).moments)

    def last(self, rater: str) -> dict[str, Json]:
        """Return what a rater answered last, to be corrected."""
        found = self.raters.last(rater)
        if found is None:
            return {"query": None}
        query, answer = found
        return {"query": self.shown(query), "answer": answer}

    def later(self, rater: str, told: Mapping[str, Any]) -> None:
        """Give an item back that the rater would rather see later."""
        self.raters.later(self.query(told.get("query")), rater=rater)

    def release(self, rater: str, told: Mapping[str, Any]) -> None:
        """Give back what the rater has not answered."""
        self.raters.release(self._listed(told), rater=rater)

    def renew(self, rater: str, told: Mapping[str, Any]) -> None:
        """Keep with the rater what is looked at."""
        self.raters.renew(self._listed(told), rater=rater)

    def _listed(self, told: Mapping[str, Any]) -> list[str]:
        names = told.get("queries")
        if not isinstance(names, list) or len(names) > 4 * MOST:
            raise InvalidInput(
                f"queries={str(names)[:40]} must be a short list of names: give those that `ask` returned"
            )
        return [self.query(name) for name in names]

    def picture(self, name: str, place: int, rater: str | None) -> Picture | None:
        """Return an image of a query; a rater sees those of items that are or were with this one."""
        number = self.number(name)
        if rater is not None and not self.raters.knows(rater, number):
            return None
        return self.fields.picture(self.raters.shown(number).item.values, place)
