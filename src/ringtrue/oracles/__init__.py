"""Who knows the truth: a column, a function, a program or a person behind one protocol."""

from ringtrue.oracles._column import ColumnOracle
from ringtrue.oracles._deviation import DeviationOracle
from ringtrue.oracles._function import FunctionOracle
from ringtrue.oracles._person import PersonOracle
from ringtrue.oracles._process import FunctionProcess, ProcessOracle
from ringtrue.oracles._read import as_oracle

__all__ = [
    "ColumnOracle",
    "DeviationOracle",
    "FunctionOracle",
    "FunctionProcess",
    "PersonOracle",
    "ProcessOracle",
    "as_oracle",
]
