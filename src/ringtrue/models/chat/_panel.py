"""Judges who vote on the items of a study: each call paid once, its most reserved, its cost settled by its tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial

from ringtrue.core import InvalidInput, Json, Oracle, Query, Reply
from ringtrue.models.chat._calls import Calls, call_key
from ringtrue.models.chat._judge import Call, Judge
from ringtrue.models.chat._prices import Price
from ringtrue.models.chat._reading import Usage, Vote
from ringtrue.models.chat._rubric import Prompt, Rubric


class Tariff:
    """What judges cost, each by the price of its model; nothing where no prices are given."""

    def __init__(self, judges: Sequence[Judge], prices: Mapping[str, Price] | None) -> None:
        for judge in judges if prices is not None else ():
            if judge.model not in prices:  # type: ignore[operator]
                raise InvalidInput(
                    f"the prices name no model {judge.model!r}, which the judge {judge.name!r} asks: add its price"
                )
        self._judges = list(judges)
        self._prices = {} if prices is None else {judge.name: prices[judge.model] for judge in judges}

    def most(self, judge: Judge, body: str) -> Decimal:
        """Return the most that a request can cost."""
        price = self._prices.get(judge.name)
        return Decimal(0) if price is None else price.most(body, judge.max_tokens)

    def most_of(self, prompt: Prompt) -> Decimal:
        """Return the most that the votes of all judges on an item can cost."""
        return sum((self.most(judge, judge.body(prompt)) for judge in self._judges), Decimal(0))

    def cost(self, judge: Judge, body: str, usage: Usage | None) -> Decimal:
        """Return what a call cost; the most that it could, where the service does not tell its tokens."""
        price = self._prices.get(judge.name)
        if price is None:
            return Decimal(0)
        return price.most(body, judge.max_tokens) if usage is None else price.cost(usage)


class VotingPanel(Oracle):
    """Judges who are asked about each item in turn. An answer is `{"votes": {judge: choice}}`, and None if all fail.

    A judge that gave no vote is None there, and `no_vote` says why. `chances` are the probabilities of the choices,
    where a service tells them.

    Parameters
    ----------
    rubric
        What is asked.
    judges
        Who is asked.
    seed
        By which the order of choices is shuffled.
    tariff
        What calls cost.
    calls
        Where paid calls are kept.
    repeat
        Tells how often the item of a query was asked about before.
    """

    one_by_one = True
    """Each item is kept for itself: it is paid for."""

    def __init__(
        self,
        rubric: Rubric,
        judges: Sequence[Judge],
        *,
        seed: int,
        tariff: Tariff,
        calls: Calls,
        repeat: Callable[[Query], int] = lambda _: 0,
    ) -> None:
        self.rubric, self.judges, self._seed = rubric, list(judges), seed
        self.calls, self._tariff, self._repeat = calls, tariff, repeat
        self._posts = {judge.name: judge.post() for judge in judges}

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """Return the votes on each item, with what they cost."""
        return [self._reply(query) for query in queries]

    def _reply(self, query: Query) -> Reply:
        prompt, repeat = self.rubric.prompt(query.item.values, seed=self._seed), self._repeat(query)
        votes: dict[str, Vote] = {}
        cost = Decimal(0)
        for judge in self.judges:
            body = judge.body(prompt)
            key = call_key(judge, body, repeat)
            call, paid = self.calls.once(key, judge, query.id, partial(self._call, judge, prompt, body))
            votes[judge.name] = call.vote
            cost += paid
        return Reply(_value(votes), cost)

    def _call(self, judge: Judge, prompt: Prompt, body: str) -> tuple[Call, Decimal]:
        call = judge.ask(self._posts[judge.name], prompt, body)
        return call, self._tariff.cost(judge, body, call.usage)


def _value(votes: Mapping[str, Vote]) -> Json:
    """Return votes as a study keeps them."""
    if all(vote.label is None for vote in votes.values()):
        return None
    chances: dict[str, Json] = {
        name: {label: round(chance, 6) for label, chance in vote.chances.items()}
        for name, vote in votes.items()
        if vote.chances is not None and vote.label is not None
    }
    no_vote: dict[str, Json] = {name: vote.why for name, vote in votes.items() if vote.label is None}
    value: dict[str, Json] = {"votes": {name: vote.label for name, vote in votes.items()}}
    return value | ({"chances": chances} if chances else {}) | ({"no_vote": no_vote} if no_vote else {})
