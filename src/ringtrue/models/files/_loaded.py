"""What the module of every format returns: a loaded model that says of itself what it takes and gives, and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from numpy.typing import NDArray

Cells: TypeAlias = "NDArray[Any] | list[str | None]"
"""One input of a batch: an array whose first dimension are the items, or a list of texts."""


class Taken(NamedTuple):
    """One input as the file declares it."""

    name: str
    kind: str
    """The type of its numbers as numpy calls it, "text", or "any" where numbers and text are both taken."""
    shape: Sequence[int | None]
    """Its dimensions, the items first; None is free."""


@dataclass(frozen=True, slots=True)
class About:
    """What a file says of itself.

    Parameters
    ----------
    library
        What runs it, with the version.
    inputs
        The inputs in their order.
    features
        The columns that fill them, where the file names them.
    classes
        The labels in the order of the probabilities, where the file has them.
    gives
        Labels; vectors; or scores, which are labels once the user names the classes, and else vectors.
    """

    library: str
    inputs: Sequence[Taken]
    features: Sequence[str] | None = None
    classes: Sequence[Any] | None = None
    gives: Literal["labels", "vectors", "scores"] = "vectors"


class Said(NamedTuple):
    """What a model says of a batch: labels, a table of probabilities, scores or outputs, or both."""

    labels: Sequence[Any] | None = None
    table: NDArray[Any] | None = None
    classes: Sequence[Any] | None = None
    """What the columns of the table are called, where only the answer tells."""


class Loaded(Protocol):
    """A model that was opened."""

    about: About

    def answer(self, inputs: Sequence[Cells]) -> Said:
        """Return what the model says of the items of these inputs, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Opening:
    """What is to be opened: the path, and the types that the user trusts."""

    path: str
    trusted: Sequence[str] = ()
