"""A column is checked before anybody pays for an answer."""

import numpy as np
import polars as pl
import pytest

from ringtrue.core import Batch, InvalidInput
from ringtrue.pools import TablePool, check_column, read_pool

CASES = {
    # cells: (labels, words that must be in the message)
    ("a", None): (None, ["row 2", "'t' is missing", "fill it in"]),
    ("a", " "): (None, ["row 2", "missing"]),
    (0.5, float("nan")): (None, ["row 2", "missing"]),
    ("cat", "dgo"): (["cat", "dog"], ["row 2", "'dgo'", "known labels: cat, dog"]),
    (1, 2): ([1], ["row 2", "is 2", "known labels: 1"]),
    (1, 3): ([str(n) for n in range(10, 50)], ["row 1", "and 20 more"]),
}


@pytest.mark.parametrize("cells", CASES)
def test_refused(cells):
    labels, words = CASES[cells]
    with pytest.raises(InvalidInput) as caught:
        check_column(read_pool(pl.DataFrame({"t": cells})), "t", labels=labels)
    assert "\n" not in str(caught.value)
    assert all(word in str(caught.value) for word in ["dataframe", *words])


def test_unknown_column():
    with pytest.raises(InvalidInput, match=r"no column 'trth', did you mean 'truth'\? columns: id, truth"):
        check_column(read_pool(pl.DataFrame({"id": [1], "truth": [2]})), "trth")


def test_true_is_not_one():
    cells = np.array([1, 1, True], dtype=object)
    with pytest.raises(InvalidInput, match="row 3: column 't' is True, which is not a known label"):
        check_column(TablePool({"t": cells}), "t", labels=[0, 1])


@pytest.mark.parametrize("labels", [None, ["1", "2"], [1.0, 2, 3]])
def test_accepted(labels):
    check_column(read_pool(pl.DataFrame({"t": [1, 2]})), "t", labels=labels)


def test_lists_and_pools_of_others():
    class Lists:
        name, size, columns, fingerprint = "lists", 2, ("t",), "0"

        def take(self, rows):
            raise NotImplementedError

        def chunks(self, size):
            cells = np.empty(2, dtype=object)
            cells[:] = [["a"], None]
            yield Batch(["0", "1"], {"t": cells})

    with pytest.raises(InvalidInput, match="lists: row 2: column 't' is missing"):
        check_column(Lists(), "t")
