"""The answer of a chat service as a vote: what it chose, or why it did not, and what it cost in tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ringtrue.core import Json, read_json, shortened
from ringtrue.models.chat._chances import chances_of

VOTE, REASON = "vote", "reason"
"""The fields of an answer."""

_STOPPED = {"length": "cut off at max_tokens", "content_filter": "held back by a filter of the service"}
"""Why an answer ended that is not whole."""


class Usage(NamedTuple):
    """The tokens of one call as the service counted them; `cached` is a part of `prompt`."""

    prompt: int
    cached: int
    completion: int


class Vote(NamedTuple):
    """What a judge says of an item: `label` is None where it gave no vote, and `why` says why not."""

    label: str | None
    why: str = ""
    chances: Mapping[str, float] | None = None
    """The probability of each choice, where the service tells."""
    reason: str = ""


def read_vote(said: Any, options: Mapping[str, str]) -> Vote:
    """Return the vote in an answer. What is cut off, refused or not of the agreed form is no vote: nothing is guessed.

    `options` says what each letter stands for.
    """
    choices = said.get("choices") if isinstance(said, dict) else None
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = first.get("message")
    if not isinstance(message, dict):
        return Vote(None, "an answer without a message")
    ended = first.get("finish_reason")
    if ended in _STOPPED:
        return Vote(None, _STOPPED[ended])
    refusal = message.get("refusal")
    content = message.get("content")
    if refusal or not isinstance(content, str):
        told = f": {shortened(str(refusal), 200)}" if refusal else ""
        return Vote(None, f"refused{told}")
    try:
        answer = read_json(content.encode())
    except ValueError:
        return Vote(None, "an answer that is not JSON")
    letter = answer.get(VOTE) if isinstance(answer, dict) else None
    if not isinstance(letter, str) or letter not in options:
        return Vote(None, "an answer without one of the choices")
    table = chances_of(content, letter, first.get("logprobs"), list(options))
    reason = answer.get(REASON)
    return Vote(
        options[letter],
        chances=None if table is None else {options[one]: chance for one, chance in table.items()},
        reason=reason if isinstance(reason, str) else "",
    )


def read_usage(said: Any) -> Usage | None:
    """Return the tokens of a call; None where the service does not tell them, or not as numbers."""
    usage = said.get("usage") if isinstance(said, dict) else None
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    numbers = [usage.get("prompt_tokens"), cached or 0, usage.get("completion_tokens")]
    whole = [one for one in numbers if isinstance(one, int) and not isinstance(one, bool) and one >= 0]
    return Usage(whole[0], min(whole[1], whole[0]), whole[2]) if len(whole) == len(numbers) else None


def read_version(said: Any) -> str:
    """Return which model answered, and in which version, as far as the service tells."""
    told: list[Json] = [said.get("model"), said.get("system_fingerprint")] if isinstance(said, dict) else []
    return " ".join(shortened(str(one), 100) for one in told if one)
