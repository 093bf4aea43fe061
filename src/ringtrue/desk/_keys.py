"""The keys of the rater's page: one for each choice, fixed by the order of the labels, and one for each command."""

from __future__ import annotations

import string
from collections.abc import Sequence

COMMANDS = {
    "unsure": "x", "later": "s", "undo": "u", "help": "?",
    "toggle": "z", "larger": "+", "smaller": "-", "fit": "0",
}  # fmt: skip
"""The commands and their keys, where no label needs them."""

_ORDER = "123456789" + "qwertyuiopasdfghjklzxcvbnm"
_OTHERS = ",.;:!'=*#" + string.ascii_uppercase


def choice_keys(labels: Sequence[str]) -> list[str | None]:
    """Return the key of each label: a label of one character is its own, the others get 1 to 9 and then letters.

    The keys of commands are left to them. Where there are more labels than keys, the last have none.

    >>> choice_keys(["cat", "dog", "3"]), choice_keys([str(digit) for digit in range(10)])[:2]
    (['1', '2', '3'], ['0', '1'])
    """
    own = {label for label in labels if len(label) == 1 and label.isprintable() and label != " "}
    free = iter([key for key in _ORDER if key not in own and key not in COMMANDS.values()])
    return [label if label in own else next(free, None) for label in labels]


def command_keys(keys: Sequence[str | None]) -> dict[str, str]:
    """Return the key of each command: its own, or another where a label has it.

    >>> command_keys(["0", "x"])["fit"], command_keys(["0", "x"])["unsure"]
    ('.', ',')
    """
    taken = {key for key in keys if key is not None}
    free = iter([key for key in _OTHERS if key not in taken])
    return {name: key if key not in taken else next(free) for name, key in COMMANDS.items()}
