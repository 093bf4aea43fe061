"""One door to every oracle."""

from __future__ import annotations

from typing import Any

from ringtrue.core import InvalidInput, Oracle
from ringtrue.oracles._column import ColumnOracle
from ringtrue.oracles._function import FunctionOracle


def as_oracle(oracle: Any) -> Oracle:
    """An oracle of a column's name or a function of an item's values; an oracle stays as it is.

    >>> as_oracle("truth").column
    'truth'
    """
    if isinstance(oracle, type):
        raise InvalidInput(f"oracle={oracle.__name__} is a class: give an instance, as in {oracle.__name__}()")
    if isinstance(oracle, str):
        return ColumnOracle(oracle)
    if isinstance(oracle, Oracle):
        return oracle
    if callable(oracle):
        return FunctionOracle(oracle)
    raise InvalidInput(
        f"oracle={type(oracle).__name__} is no oracle: give a column's name, or a function of an item's values"
    )
