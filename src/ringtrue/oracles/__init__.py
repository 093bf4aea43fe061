"""Who knows the truth: a column or a function behind one protocol."""

from ringtrue.oracles._column import ColumnOracle
from ringtrue.oracles._function import FunctionOracle
from ringtrue.oracles._read import as_oracle

__all__ = ["ColumnOracle", "FunctionOracle", "as_oracle"]
