"""The coverage of what is said of a change, short: fixed seeds, pools of 100 items, 40 studies for each case.

Monte Carlo standard error 3.4 points at the level. The long run is `make coverage`.
"""

import numpy as np
import pytest

from ringtrue.changed.evidence import ShiftDraws
from ringtrue.testing import _changed_simulation as simulation
from ringtrue.testing._changed_simulation import QUANTITIES, Case, World
from ringtrue.testing._sections import append_section
from ringtrue.testing.changed_coverage import CASES, HEADING, check, section, simulate

FEW = {"sizes": (10, 40, 100), "repetitions": 40}


@pytest.mark.parametrize("case", [Case(2, 0.05, 100), Case(3, 0.5, 100), Case(5, 0.01, 100)], ids=str)
def test_intervals_keep_their_promise(case):
    hits = simulate(case, **FEW)
    assert [str(fall) for fall in check(hits)] == []
    assert set(hits.watched) == set(QUANTITIES)
    for quantity in QUANTITIES:
        assert (hits.watched[quantity] <= hits.fixed[quantity]).all()


def test_suite_catches_unequal_draws_that_are_taken_for_uniform_ones(monkeypatch):
    """Kinds that change are asked more often; who forgets it sees too much change."""

    class Forgetful(ShiftDraws):
        def take(self, kind, answer, **told):
            told["probability"] = told["floor"] = 1 / self.left.sum()
            return super().take(kind, answer, **told)

    monkeypatch.setattr(simulation, "ShiftDraws", Forgetful)
    monkeypatch.setattr(simulation, "draw_weights", lambda census, counts: 0.01 + 9.0 * (census.level == 0))
    monkeypatch.setattr(simulation, "World", Skewed)
    caught = check(simulate(Case(2, 0.3, 200), sizes=(60, 200), repetitions=20))
    assert "change" in {fall.quantity for fall in caught}
    assert "2 labels, 30% changed: holds the" in str(caught[0])


class Skewed(World):
    """A pool in which only the least sure answers changed."""

    @classmethod
    def of(cls, case, rng):
        world = super().of(case, rng)
        unsure = world.census.level[world.kind] == 0
        old = world.census.old[world.kind]
        became = ["persisted" if one else "unchanged" for one in unsure]
        return cls(world.census, world.kind, np.where(unsure, 1 - old, old), became, world.part)


def test_the_section_is_deterministic_and_has_its_place():
    few = {"cases": [Case(2, 0.05, 60)], "sizes": [10, 60], "repetitions": 3}
    text, broken = section(**few)
    assert (text, broken) == section(**few)
    assert "3 studies for each row" in text
    assert "| 2 | 5% | cells |" in text
    document = append_section("# Coverage\n\nOther things.\n", text, HEADING)
    assert append_section(document, text, HEADING) == document
    followed = append_section(document + "\n## More\n\nWords.\n", text, HEADING)
    assert followed == document + "\n## More\n\nWords.\n"
    everything = {(labels, changed) for labels in (2, 3, 5) for changed in (0.0, 0.01, 0.05, 0.5)}
    assert {(case.labels, case.changed) for case in CASES} == everything
