"""Oracles, who know the truth: a column, a function, a program or a person behind one protocol."""

from ringtrue.oracles._local import ColumnOracle, DeviationOracle, FunctionOracle, as_oracle
from ringtrue.oracles._person import LabelPerson, PersonOracle
from ringtrue.oracles._process import FunctionProcess, Patient, ProcessOracle

__all__ = [
    "ColumnOracle",
    "DeviationOracle",
    "FunctionOracle",
    "FunctionProcess",
    "LabelPerson",
    "Patient",
    "PersonOracle",
    "ProcessOracle",
    "as_oracle",
]
