"""Several processes at once on one study: no item is bought twice, none is missed, the budget is met exactly."""

from collections import Counter

import pytest

from ringtrue.study import Study
from support import PATIENCE, make_study
from support.processes import start


@pytest.mark.parametrize("batch", [1, 7])
def test_processes_share_a_study(tmp_path, batch):
    budget = 120
    make_study(tmp_path, size=400, failing=20, claim=None, budget=budget, batch=batch).close()
    workers = [start(tmp_path, keyed=False) for _ in range(3)]
    for worker in workers:
        worker.join(timeout=PATIENCE)
        assert worker.exitcode == 0
    account = Counter((tmp_path / "account.txt").read_text().split())
    with Study.open(tmp_path / "study.ringtrue") as study:
        status, records = study.status(), study.records
        assert (status.answered, status.leased, status.waiting) == (budget, 0, 0)
        assert study.finding().answers == budget
    assert set(account.values()) == {1}
    assert len(account) == len({record.row for record in records}) == budget
