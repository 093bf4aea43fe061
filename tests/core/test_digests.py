"""A row has one hash, however it is computed."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from ringtrue.core import Batch, digest

CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=3),
)  # fmt: skip


@given(
    st.lists(st.tuples(CELLS, CELLS, st.text()), min_size=1, max_size=6), st.lists(st.text(), min_size=3, unique=True)
)
def test_a_batch_hashes_its_items_as_they_hash_themselves(rows, names):
    columns = {}
    for place, name in enumerate(names[:3]):
        column = np.empty(len(rows), dtype=object)
        column[:] = [row[place] for row in rows]
        columns[name] = column
    batch = Batch([str(place) for place in range(len(rows))], columns)
    assert batch.digests() == [item.digest for item in batch]


def test_numpy_columns_and_images_hash_like_plain_values():
    columns = {"n": np.array([1, 2]), "x": np.array([0.5, np.nan]), "image": np.arange(8).reshape(2, 2, 2)}
    batch = Batch(["a", "b"], columns)
    assert batch.digests() == [item.digest for item in batch]
    assert batch.digests()[0] == digest({"n": 1, "x": 0.5, "image": [[0, 1], [2, 3]]})
    assert Batch(["a", "b"], {}).digests() == [digest({})] * 2
