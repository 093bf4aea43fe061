"""Telling one model from another by what they answer."""

from __future__ import annotations

from ringtrue.core import Batch, Model, digest


def fingerprint(model: Model, batch: Batch) -> str:
    """The model's name with a hash of its answers to a few items, or a note that it does not repeat itself.

    The model is asked twice.
    """
    first, second = (digest(model.answer(batch).values()) for _ in range(2))
    return f"{model.name}:{first if first == second else 'nondeterministic'}"
