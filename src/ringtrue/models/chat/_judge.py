"""A language model behind a chat address that answers the question of a rubric with one of its choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ringtrue.core import InvalidInput, Json, canonical_json
from ringtrue.models._credentials import is_repeated, masked
from ringtrue.models._post import Post, Refused
from ringtrue.models.chat._reading import REASON, VOTE, Usage, Vote, read_usage, read_version, read_vote
from ringtrue.models.chat._rubric import MOST_CHOICES, Prompt

_NO_VOTE = {400, 413, 422, 500}
"""Statuses by which a service says no to one item, such as a text that is too long; it may answer the others."""

_TRIES = 3
"""How often an item is sent again that a service answers with an error of its own."""


class Call(NamedTuple):
    """What one request came to."""

    vote: Vote
    usage: Usage | None
    version: str = ""


@dataclass(frozen=True, slots=True)
class Judge:
    """A language model with its settings. What it is asked is the rubric's.

    Parameters
    ----------
    name
        What it is called in the panel.
    url
        The address for chats, such as https://host/v1/chat/completions.
    model
        The model's name at that service.
    key
        The environment variable that holds the key; none without it.
    temperature, seed
        How it chooses its words.
    max_tokens
        The most that an answer may have.
    reason
        Whether it writes one line of reasons before it votes.
    logprobs
        Whether the service is asked how likely the choices were.
    repeat
        Tells judges of equal settings apart, which are asked independently.
    timeout
        The seconds that one request may take.
    send, leave_out
        Fields that the service needs besides, and fields that it does not take.
    """

    name: str
    url: str
    model: str
    key: str | None = None
    temperature: float = 0.0
    seed: int | None = 0
    max_tokens: int = 64
    reason: bool = False
    logprobs: bool = True
    repeat: int = 0
    timeout: float = 60.0
    send: Mapping[str, Any] = field(default_factory=dict)
    leave_out: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise InvalidInput(f"max_tokens={self.max_tokens} leaves no room for an answer: give 64 or more")
        self.post()  # what cannot be called is told before anything is asked

    @property
    def headers(self) -> dict[str, str]:
        """The headers by name, each with the variable that holds its value."""
        return {} if self.key is None else {"Authorization": f"Bearer {self.key}"}

    def post(self) -> Post:
        """Return what sends requests; one is used for many."""
        return Post(self.url, timeout=self.timeout, headers=self.headers, tries=_TRIES)

    def body(self, prompt: Prompt) -> str:
        """Return the request about an item, the same text for the same item."""
        answer: dict[str, Any] = {VOTE: {"type": "string", "enum": list(prompt.options)}}
        if self.reason:
            answer = {REASON: {"type": "string"}, **answer}
        schema = {"type": "object", "properties": answer, "required": list(answer), "additionalProperties": False}
        fields: dict[str, Any] = {
            "model": self.model,
            "messages": list(prompt.messages),
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "vote", "strict": True, "schema": schema},
            },
        }
        fields |= {} if self.seed is None else {"seed": self.seed}
        fields |= {"logprobs": True, "top_logprobs": MOST_CHOICES} if self.logprobs else {}
        fields = {name: value for name, value in fields.items() if name not in self.leave_out} | dict(self.send)
        return canonical_json(fields)

    def ask(self, post: Post, prompt: Prompt, body: str) -> Call:
        """Return what the service says of an item. A failure that stays is raised: it is never a vote.

        Parameters
        ----------
        post
            What sends the request.
        prompt
            What is asked, for the meaning of the letters.
        body
            The request, as `body` makes it of the prompt.
        """
        try:
            said, _ = post(body)
        except Refused as no:
            if no.status not in _NO_VOTE:
                raise
            return Call(Vote(None, f"status {no.status}: {str(no)[:200]}"), None)
        vote = read_vote(said, prompt.options)
        if is_repeated([vote.reason, vote.why], self.headers):
            raise InvalidInput(f"the judge {self.name!r} answered with a secret that it was sent: mend the service")
        return Call(vote, read_usage(said), masked(read_version(said), self.headers))

    def to_json(self) -> dict[str, Json]:
        """Return all that distinguishes this judge from another; which variable holds a key is not part of it."""
        kept: dict[str, Json] = {"url": self.url, "model": self.model, "temperature": self.temperature}
        kept |= {"seed": self.seed, "max_tokens": self.max_tokens, "reason": self.reason, "logprobs": self.logprobs}
        return kept | {"repeat": self.repeat, "send": dict(self.send), "leave_out": list(self.leave_out)}


def check_apart(judges: Sequence[Judge]) -> None:
    """Refuse two names for one judge: its votes would count twice."""
    seen: dict[str, str] = {}
    for judge in judges:
        known = seen.setdefault(canonical_json(judge.to_json()), judge.name)
        if known != judge.name:
            raise InvalidInput(
                f"judges {known!r} and {judge.name!r} are one: give one another model, seed or repeat, or leave it out"
            )


def shared_models(judges: Sequence[Judge]) -> list[list[str]]:
    """Return the names of judges that ask one model, where they are several: they err together."""
    by_model: dict[str, list[str]] = {}
    for judge in judges:
        by_model.setdefault(judge.model, []).append(judge.name)
    return [names for names in by_model.values() if len(names) > 1]
