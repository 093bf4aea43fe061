"""The benchmark of a journal in PostgreSQL: writers who have met run no policy in vain."""

import numpy as np
import pytest

from ringtrue.pools import TablePool
from ringtrue.study import _book

pytest.importorskip("psycopg", reason="psycopg is not installed: no journal in PostgreSQL here")


@pytest.mark.slow
def test_eight_writers_run_no_policy_in_vain_once_they_have_met(database, monkeypatch):
    import bench_postgres as bench

    monkeypatch.setattr(_book, "_SHORT", 600.0)  # a busy machine may be slow: the lock is taken all the same
    truth = np.random.default_rng(0).choice(["cat", "dog"], 5_000)
    pool = TablePool({"predicted": truth, "truth": truth})
    assert bench.write_together("met", pool, database)[1] == 0
    _, cold = bench.write_together("cold", pool, database, met=False)
    assert cold <= 100 / bench.EACH, "each of them meets the others once"
