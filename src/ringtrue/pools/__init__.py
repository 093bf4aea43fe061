"""Where the items are: CSV, Parquet, JSONL and dataframes, in memory or larger than memory."""

from ringtrue.pools._check import check_column
from ringtrue.pools._old_answers import OldAnswers, read_old
from ringtrue.pools._parquet import ParquetPool
from ringtrue.pools._read import read_pool
from ringtrue.pools._table import TablePool
from ringtrue.pools._votes import read_votes

__all__ = ["OldAnswers", "ParquetPool", "TablePool", "check_column", "read_old", "read_pool", "read_votes"]
