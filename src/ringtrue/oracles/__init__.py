"""Oracles, who know the truth: a column, a function, a program or a person behind one protocol."""

from ringtrue.oracles._local import ColumnOracle, DeviationOracle, FunctionOracle, as_oracle
from ringtrue.oracles._person import PersonOracle
from ringtrue.oracles._process import FunctionProcess, ProcessOracle

__all__ = [
    "ColumnOracle",
    "DeviationOracle",
    "FunctionOracle",
    "FunctionProcess",
    "PersonOracle",
    "ProcessOracle",
    "as_oracle",
]
