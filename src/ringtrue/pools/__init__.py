"""The items: CSV, Parquet, JSONL, xlsx, arrays, images and dataframes, in memory or larger than memory."""

from ringtrue.pools._columns import check_column
from ringtrue.pools._fingerprint import Marks, first_difference
from ringtrue.pools._images import ImagePool, holds_image_files
from ringtrue.pools._old_answers import OldAnswers, read_old
from ringtrue.pools._parquet_pool import ParquetPool
from ringtrue.pools._places import Place, find_place
from ringtrue.pools._read import read_pool
from ringtrue.pools._table import TablePool
from ringtrue.pools._votes import read_votes
from ringtrue.pools._votes_panel import LeftOut

__all__ = [
    "ImagePool",
    "LeftOut",
    "Marks",
    "OldAnswers",
    "ParquetPool",
    "Place",
    "TablePool",
    "check_column",
    "find_place",
    "first_difference",
    "holds_image_files",
    "read_old",
    "read_pool",
    "read_votes",
]
