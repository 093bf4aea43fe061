"""The coverage suite: every interval that reaches a user, simulated, and how often it holds.

`python -m ringtrue.testing.coverage --out docs` runs it all and goes on where it was stopped. An interval of your own
is one more `Case`: `check(case)` returns where it falls short of what its `Row` promises.
"""

from ringtrue.testing.coverage._case import Case, Count, Row, Shortfall, check
from ringtrue.testing.coverage._run import CASES, main
from ringtrue.testing.coverage.stats import counted

__all__ = ["CASES", "Case", "Count", "Row", "Shortfall", "check", "counted", "main"]
