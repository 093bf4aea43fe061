"""What a shape must offer: the body of a batch, and the reading of an answer. It knows no network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit, urlunsplit

from ringtrue.core import InvalidInput, count, label_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

Columns = Mapping[str, "NDArray[Any]"]
"""The cells of a batch by column, in the order in which they are sent."""


class Wire(ABC):
    """How one kind of server is asked. An error is InvalidInput whose text goes on after the model's name: "sent no …".

    Parameters
    ----------
    url
        The address.
    labels
        The names of the classes, in the model's order, where the user gave them.
    hide
        Hides a secret that a server repeats, on one line.
    """

    name: ClassVar[str]
    """What people call it."""

    def __init__(self, url: str, labels: Sequence[str] | None = None, hide: Callable[[str], str] = str) -> None:
        self.url, self._hide = url, hide
        self.labels = None if labels is None else [label_text(label) for label in labels]

    @property
    def about(self) -> str | None:
        """The address that tells about the model or its server, if there is one."""
        return None

    def learn(self, text: str | None) -> None:  # noqa: B027 - most have nothing to learn
        """Take in what that address told, before the first batch; None if it told nothing."""

    def sent(self, names: Sequence[str]) -> list[str]:
        """Return those of the columns that are sent, in their order."""
        return list(names)

    @abstractmethod
    def body(self, columns: Columns) -> dict[str, Any]:
        """Return what is sent for a batch; what is not a number is None."""

    @abstractmethod
    def predictions(self, said: Any, items: int) -> list[Any]:
        """Return a prediction per item: a label, `{"label": …, "probabilities": {…}}`, or a list of numbers."""

    def versions(self, said: Any) -> dict[str, Any]:  # noqa: ARG002 - most say nothing of it
        """Return what the server tells of its version, by name; `said` is an answer."""
        return {}

    def shown(self, value: Any) -> str:
        """Write what a server sent, in a few words: of an object its keys."""
        told = ", ".join(" ".join(key.split()) for key in value)[:60] if isinstance(value, dict) else value
        return self._hide(f"{told!r}")[:80]

    def listed(self, said: Any, key: str) -> list[Any]:
        """Return the list under a key of an answer."""
        found = said.get(key) if isinstance(said, dict) else None
        if not isinstance(found, list):
            raise InvalidInput(f'sent no list "{key}" ({self.shown(said)}): mend the service')
        return found


def beside(url: str, ending: str, other: str) -> str:
    """Return an address with another end of its path and no query.

    >>> beside("https://host/a/invocations?x=1", "/invocations", "/version")
    'https://host/a/version'
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/").removesuffix(ending) + other, "", ""))


def cells(column: NDArray[Any]) -> list[Any]:
    """Return the cells of a column as JSON can hold them: what is not a number is None."""
    return [None if isinstance(cell, float) and cell != cell else cell for cell in column.tolist()]


def by_place(value: Any, labels: Sequence[str] | None) -> Any:
    """Return a label that a server gave as a whole number: where that is none of the labels, it is a place among them.

    >>> by_place(1, ["cat", "dog"]), by_place(2, ["1", "2"]), by_place(2, None)
    ('dog', 2, 2)
    """
    if labels is None or isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return value
    if label_text(value) in labels:
        return value
    if not 0 <= value < len(labels) or value != int(value):
        raise InvalidInput(
            f"answered {value!r}, which is neither one of the labels {', '.join(labels)} nor a place among them: "
            "name all classes with --labels, in the model's order"
        )
    return labels[int(value)]


def with_chances(label: Any, row: Sequence[float], labels: Sequence[str] | None) -> Any:
    """Return a prediction with the probability of each class; without a label, it is the first most likely class.

    The classes are named by `labels`, else by their numbers from 0. They may be named in another order than the model
    has them: so probabilities by which another class than the label is the most likely are left out.

    >>> with_chances(None, [0.2, 0.8], ["cat", "dog"])
    {'label': 'dog', 'probabilities': {'cat': 0.2, 'dog': 0.8}}
    >>> with_chances("cat", [0.2, 0.8], ["cat", "dog"]), with_chances("cat", [0.8, 0.2], None)
    ('cat', 'cat')

    Parameters
    ----------
    label
        What the model says, None if it gives probabilities alone.
    row
        The probabilities.
    labels
        The names of the classes, in the model's order.
    """
    if labels is not None and len(row) != len(labels):
        many = f"the {count(len(labels), 'label')}" if len(labels) != 1 else "the label"
        raise InvalidInput(
            f"gave {len(row)} probabilities for {many} {', '.join(labels)}: name all classes with --labels, in the "
            "model's order"
        )
    names = labels or [str(place) for place in range(len(row))]
    highest = max((chance for chance in row if isinstance(chance, int | float)), default=None)
    most_likely = [name for name, chance in zip(names, row, strict=True) if chance == highest]
    if label is None:
        label = most_likely[0] if most_likely else None
    elif label_text(label) not in most_likely:
        return label
    return {"label": label, "probabilities": dict(zip(names, row, strict=True))}


def as_numbers(row: Sequence[float], labels: Sequence[str] | None) -> Any:
    """Return what a row of numbers is: a regressor's, or where the classes are named, their probabilities or a label.

    >>> as_numbers([0.2, 0.8], None), as_numbers([1.0], ["cat", "dog"])
    ([0.2, 0.8], 'dog')
    """
    if labels is None:
        return list(row)
    return by_place(row[0], labels) if len(row) == 1 else with_chances(None, row, labels)
