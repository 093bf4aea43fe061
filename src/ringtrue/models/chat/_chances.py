"""How sure a judge was: the probabilities of the letters at the token that decided."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from ringtrue.core import Json


def chances_of(content: str, letter: str, logprobs: Json, allowed: Collection[str]) -> dict[str, float] | None:
    """Return the probability of each allowed letter, renormalised over them; None where the service does not tell.

    Services report probabilities as they were before a schema ruled letters out, so that none is what it seems by
    itself. A letter that was not chosen and is not among the alternatives which the service lists has 0.

    >>> tokens = [{"token": '{"vote":"', "top_logprobs": []},
    ...     {"token": "A", "top_logprobs": [{"token": "A", "logprob": -1.0}, {"token": "x", "logprob": -0.1},
    ...     {"token": "B", "logprob": -1.0}]}, {"token": '"}', "top_logprobs": []}]
    >>> chances_of('{"vote":"A"}', "A", {"content": tokens}, "AB")
    {'A': 0.5, 'B': 0.5}

    Parameters
    ----------
    content
        What the service sent as its answer.
    letter
        The letter that was chosen in it.
    logprobs
        The tokens with their alternatives, as the service sent them; None without.
    allowed
        The letters that could be chosen.
    """
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(tokens, list) or not all(isinstance(token, dict) for token in tokens):
        return None
    texts = [str(token.get("token", "")) for token in tokens]  # type: ignore[union-attr]
    # Some services drop a fence of backticks around the answer, but not its tokens.
    begin = "".join(texts).rfind(content.strip())
    place = content.strip().rfind(f'"{letter}"')
    if begin < 0 or place < 0:
        return None
    end = begin + place + 1
    for token, text in zip(tokens, texts, strict=True):
        if end < len(text):
            return _shares(token, text[:end], allowed)  # type: ignore[arg-type]
        end -= len(text)
    return None


def _shares(token: Mapping[str, Any], before: str, allowed: Collection[str]) -> dict[str, float] | None:
    """Return the share of each letter among the alternatives that go on with one after the same beginning.

    What was chosen need not be among the alternatives that a service lists: it may have been forced by the schema.
    """
    weights = dict.fromkeys(allowed, 0.0)
    told = {str(other.get("token", "")): other.get("logprob") for other in (token, *(token.get("top_logprobs") or ()))}
    for text, value in told.items():
        letter = text[len(before) : len(before) + 1]
        if text.startswith(before) and letter in weights and isinstance(value, int | float) and value <= 0:
            weights[letter] += math.exp(value)
    total = sum(weights.values())
    return {letter: weight / total for letter, weight in weights.items()} if total > 0 else None
