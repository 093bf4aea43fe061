"""A language model under test: it answers the question of a rubric about each item, and its choice is its label."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ringtrue.core import Batch, Labels, Model, digest
from ringtrue.models._answers import checked_labels, column_of
from ringtrue.models.chat._judge import Judge
from ringtrue.models.chat._reading import Vote
from ringtrue.models.chat._rubric import Rubric

NO_ANSWER = "(no answer)"
"""The label of an item to which the model gave no answer that can be read: cut off, refused, or of another form."""

_AT_ONCE = 8
"""Requests that wait for their turn at the service at once."""


class ChatModel(Model):
    """A judge as the model under test. Its labels are the choices of the rubric, and "(no answer)".

    A failure of the transport is raised, and is never an answer. Nothing is kept between two calls: a model that has
    changed must be able to say something else.

    Parameters
    ----------
    rubric
        What it is asked about each item.
    judge
        The model behind its address, with its settings.
    seed
        By which the order of choices is shuffled.
    """

    remote = True

    def __init__(self, rubric: Rubric, judge: Judge, *, seed: int = 0) -> None:
        self.rubric, self.judge, self._seed = rubric, judge, seed
        self._post = judge.post()
        asked = digest([rubric.to_json(), judge.to_json(), seed])  # another rubric is another model
        self.name = f"chat {judge.model} at {self._post.where} ({asked[:8]})"
        self._choices = [*rubric.decided, rubric.cannot_tell, NO_ANSWER]
        self.classes = self._choices
        self.features = [*rubric.show, *rubric.pair]
        self.versions: dict[str, str] = {}

    def answer(self, batch: Batch) -> Labels:
        """Return what the model chooses of each item, with probabilities where the service tells those of all."""
        names = [*self.rubric.show, *self.rubric.pair]
        columns = [column_of(self.name, batch, name).tolist() for name in names]
        rows = [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]
        with ThreadPoolExecutor(min(_AT_ONCE, max(1, len(rows)))) as threads:
            votes = list(threads.map(self._vote, rows))
        labels = [NO_ANSWER if vote.label is None else vote.label for vote in votes]
        if any(vote.chances is None for vote in votes):
            return checked_labels(self.name, batch, labels)
        table = [[(vote.chances or {}).get(label, 0.0) for label in self._choices] for vote in votes]
        return checked_labels(self.name, batch, labels, probabilities=table, classes=self._choices)

    def _vote(self, values: dict[str, Any]) -> Vote:
        prompt = self.rubric.prompt(values, seed=self._seed)
        call = self.judge.ask(self._post, prompt, self.judge.body(prompt))
        if call.version:
            self.versions["service"] = call.version
        return call.vote
