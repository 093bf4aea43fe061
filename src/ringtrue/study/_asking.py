"""Turns what a policy proposes into queries, leased and priced, with what stands beside each item."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple, TypeAlias

from ringtrue.core import Ask, Batch, Draw, InvalidInput, Item, Json, Query, Question, View
from ringtrue.stats import check_draw
from ringtrue.study._book import Book, Events
from ringtrue.study._budget import price_of
from ringtrue.study._calls import persist
from ringtrue.study._leases import expired, to_query
from ringtrue.study._ledger import ASKED, Ledger
from ringtrue.study._passes import Prepared
from ringtrue.study._second import Lease
from ringtrue.study._things import Things, batch_of, shown_to_model

BLOCK = 64
"""Rows fetched at a time when a policy can tell what comes next: one model call serves as many queries."""

_AT_HAND = 64
"""Items that stay in memory after they were asked: raters look at two each for a while, and reading one again from a
file of a million rows takes as long as a commit."""


class Content(NamedTuple):
    """One item: what it holds, its hash, what the model says of it, and what else is known of it."""

    item: Item
    digest: str
    said: Json
    known: Mapping[str, Json]


Drawn: TypeAlias = list[tuple[Draw, Content]]
Place: TypeAlias = tuple[int | None, tuple[float, ...] | None]
"""Where an item comes from: its row of the pool, or its point of the space."""


class Asker:
    """Takes queries of a study, leased and priced."""

    def __init__(self, book: Book, things: Things, prepared: Prepared) -> None:
        self._book, self._things, self._prepared = book, things, prepared
        self._drawers: dict[str, Drawer] = {}
        self._at_hand: dict[Place, Item] = {}

    def __call__(
        self,
        question: Question,
        n: int,
        holder: str,
        seconds: float,
        *,
        fill: bool,
        last: Callable[[int], bool] = lambda _: False,
    ) -> tuple[Events, list[Query]]:
        """Return the events that give `holder` up to `n` queries: those offered before and still open, then new ones.

        Parameters
        ----------
        question, n
            What is asked, and how many queries at most.
        holder, seconds
            Who gets them, and for how long.
        fill
            Whether new ones are added to those offered before: without it a plan that was interrupted inside a batch
            completes that batch before its policy looks again.
        last
            Which of those offered before come after the new ones.
        """
        ledger, now = self._book.ledger, self._book.clock()
        lease = Lease(holder, round(now + seconds, 3))
        gone = expired(ledger, now)
        events: Events = [("released", {"numbers": gone, "reason": "expired"})] if gone else []
        waiting = _within_budget(ledger, sorted([*ledger.waiting, *gone])) if gone or ledger.waiting else []
        again = [number for number in waiting if not last(number)][:n]
        room = n - len(again) if fill or not again else 0
        asked, fresh = self._ask_new(question, room, lease) if room else ([], [])
        late = [number for number in waiting if last(number)][: room - len(fresh)]
        if again or late:
            events.append(("leased", {"numbers": [*again, *late], **lease._asdict()}))
        return [*events, *asked], [*self.queries(again), *fresh, *self.queries(late)]

    def queries(self, numbers: Sequence[int]) -> list[Query]:
        """Return queries that were asked before, with their items."""
        ledger, records = self._book.ledger, [self._book.ledger.records[number] for number in numbers]
        places = [(record.row, record.point) for record in records]
        missing = {place: record for place, record in zip(places, records, strict=True) if place not in self._at_hand}
        fetched = self._things.items(list(missing.values())) if missing else []
        known = self._at_hand | dict(zip(missing, fetched, strict=True))
        items = [known[place] for place in places]
        self._keep_at_hand(zip(places, items, strict=True))
        return [to_query(ledger, *pair) for pair in zip(records, items, strict=True)]

    def _keep_at_hand(self, items: Iterable[tuple[Place, Item]]) -> None:
        """Keep the newest items; those that were not asked for since go first."""
        for place, item in items:
            self._at_hand.pop(place, None)
            self._at_hand[place] = item
        while len(self._at_hand) > _AT_HAND:
            del self._at_hand[next(iter(self._at_hand))]

    def _ask_new(self, question: Question, room: int, lease: Lease) -> tuple[Events, list[Query]]:
        """Ask what was never asked, as far as the budget goes."""
        ledger, name, responder = self._book.ledger, question.name, question.responder
        study, seed, price = ledger.created["name"], ledger.created["seed"], price_of(ledger.created, responder)
        afforded = ledger.budget.affords(labels=ledger.used_labels, spent=ledger.used_money, price=price)
        most = room if afforded is None else min(room, afforded)
        if not most or not question.asks:
            return [], []
        seen, scores = ledger.rows[responder], self._prepared.of(question)
        view = View(seed, ledger.steps[name], ledger.size, seen, ledger.records, self._things.space, scores)
        if name not in self._drawers:
            self._drawers[name] = Drawer(question, self._things)
        rows, queries = [], []
        for number, (draw, content) in enumerate(self._drawers[name].draw(view, most, afforded), len(ledger.records)):
            item, digest, said, known = content
            asked = [draw.row, draw.point, item.id, digest, draw.probability, draw.floor]
            rows.append([*asked, said, dict(known) or None, draw.prediction, dict(draw.note) or None])
            queries.append(Query(f"{study}:{number}", name, responder, item, price, draw.probability, said, known))
            self._keep_at_hand([((draw.row, draw.point), item)])
        event = (ASKED, {"question": name, "cost": str(price), **lease._asdict(), "queries": rows})
        return [event] if rows else [], queries


def _within_budget(ledger: Ledger, waiting: list[int]) -> list[int]:
    """Return the waiting queries that the budget has room for; it may have been lowered since they were asked."""
    reserved = sum((ledger.records[number].cost for number in waiting), Decimal(0))
    labels, spent = ledger.used_labels - len(waiting), ledger.used_money - reserved
    kept: list[int] = []
    for number in waiting:
        price = ledger.records[number].cost
        if ledger.budget.affords(labels=labels, spent=spent, price=price) == 0:
            break
        labels, spent = labels + 1, spent + price
        kept.append(number)
    return kept


class Drawer:
    """Draws items by the policy of a question and fetches their content, ahead of time where the policy foresees.

    A study asks one item at a time, but a model answers a batch at little more than the price of one row, and a file
    is read block by block. What was drawn ahead is used as long as the study has gone on as foreseen: no other
    process asked anything meanwhile. Otherwise it is forgotten and drawn anew.
    """

    def __init__(self, question: Question, things: Things) -> None:
        self._question, self._policy, self._things = question, question.policy, things
        self._ahead: deque[tuple[Draw, Content]] = deque()
        self._foreseen = (-1, -1)
        self._brought: dict[int | None, Content] = {}

    def draw(self, view: View, n: int, most: int | None) -> Drawn:
        """Return at most `n` draws with their content; `most` is how many rows the budget has room for."""
        if self._question.space is not None:
            freely = view._replace(ask=self._asked_freely())
            return self._fetch([draw for draw in self._policy.propose(freely, n) if draw.point is not None])
        place = (view.step, len(view.asked))
        if place != self._foreseen or len(self._ahead) < n:
            self._ahead.clear()
            block = BLOCK if most is None else min(BLOCK, most)
            if n < block and self._policy.foresees:
                self._fetch_ahead(self._propose(view, block))
        if not self._ahead:
            return self._fetch(self._propose(view, n))
        self._foreseen = (-1, -1)  # until all are taken: an interrupt in between must not leave a shortened queue
        drawn = [self._ahead.popleft() for _ in range(min(n, len(self._ahead)))]
        self._foreseen = (place[0] + len(drawn), place[1] + len(drawn))
        return drawn

    def _asked_freely(self) -> Ask | None:
        """Return what asks the model about any items; None where each question would cost."""
        model = self._things.free_model(self._question)
        if model is None or (model.remote and not self._question.asks_remote):
            return None
        return lambda batch: persist("model", lambda: model.answer(batch))

    def _propose(self, view: View, n: int) -> list[Draw]:
        draws = self._policy.propose(view, n)
        rows = {draw.row for draw in draws}
        if None in rows or len(rows) < len(draws) or not (self._policy.asks_again or view.asked.isdisjoint(rows)):
            raise InvalidInput(f"policy {self._policy.name!r} proposed a row twice or none: ask each row once")
        left = view.size - len(view.asked)
        for draw in draws:
            if draw.row not in view.asked:
                check_draw(draw.probability, draw.floor, left)
                left -= 1
        return draws

    def _fetch_ahead(self, draws: list[Draw]) -> None:
        """Bring what will be needed soon. What fails now is tried again, and told, when it is needed.

        What was brought before is not brought again, although other processes on the study shift what comes next.
        """
        missing = [draw for draw in draws if draw.row not in self._brought]
        try:
            fresh = self._contents(self._take(missing)) if missing else []
        except Exception:
            self._brought = {}
            return
        known = self._brought | {draw.row: content for draw, content in zip(missing, fresh, strict=True)}
        self._brought = {draw.row: known[draw.row] for draw in draws}
        self._ahead.extend((draw, known[draw.row]) for draw in draws)

    def _fetch(self, draws: Sequence[Draw]) -> Drawn:
        if not draws:
            return []
        batch = self._take(draws)
        contents = persist("model", lambda: self._contents(batch))
        if self._question.space is not None and self._things.free_model(self._question) is not None:
            for content in contents:
                self._question.check_model(content.said)
        return list(zip(draws, contents, strict=True))

    def _take(self, draws: Sequence[Draw]) -> Batch:
        """Return the items of some draws: rows of the pool, or points of the space."""
        if self._question.space is None:
            return self._things.need_pool().take([draw.row for draw in draws if draw.row is not None])
        space = self._things.need_space()
        return batch_of([space.item(draw.point) for draw in draws if draw.point is not None])

    def _contents(self, batch: Batch) -> list[Content]:
        """Return the items with what stands beside each: the model is not shown what only the oracle is told."""
        shown = batch if self._question.space is None else shown_to_model(batch, self._things.need_space())
        told = self._question.known(shown, self._things.free_model(self._question))
        return [Content(item, mark, *parts) for item, mark, parts in zip(batch, batch.digests(), told, strict=True)]
