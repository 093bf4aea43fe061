"""The case study of alloys runs small on made-up phases as on real ones, and keeps what it worked out."""

import importlib.util
import json

import numpy as np
import pytest

from alloy import forest
from alloy.emulator import make_problem
from alloy.figures import draw
from alloy.gold import Gold, cache_folder
from alloy.network import Network, load, train
from alloy.proxy import Proxy
from alloy.run import BEGIN, END, README, main, results, write
from alloy.runs import run_all
from alloy.sample import PHASES, Sample, draw as draw_sample, training_sample
from alloy.searches import alone, oracle
from alloy.space import SPACE, composition
from alloy.tables import paper_table
from ringtrue.core import InvalidInput

MIDDLE = {each.name: (each.low + each.high) / 2 for each in SPACE.parameters}
MADE_UP = [f"P{number:02d}" for number in range(18)]


def made_up(percents):
    """Eighteen phases, each in fewer compositions than the one before; no answer where there is much chromium."""
    unit = SPACE.encode(np.array([percents]))[0]
    if unit[0] > 0.97:
        return None
    levels = [float(unit[number % 7] * unit[(number + 3) % 7] - 0.04 * number) for number in range(18)]
    return {phase: level for phase, level in zip(MADE_UP, levels, strict=True) if level > 0}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """A proxy with random weights."""
    gold = Gold(tmp_path_factory.mktemp("alloy") / "equilibria.jsonl", made_up)
    rng = np.random.default_rng(0)
    weights = (rng.normal(size=(4, 7)), rng.normal(size=(PHASES, 4)) / 10)
    return Proxy(gold, training_sample(gold, 40), Network("relu", weights, (np.zeros(4), np.zeros(PHASES))))


def test_an_equilibrium_is_worked_out_once_and_read_again(tmp_path):
    asked = []

    def solver(percents):
        asked.append(percents)
        return None if len(asked) == 2 else {"FCC_A1": 0.75, "MG2SI": 0.25}

    kept = tmp_path / "folder" / "equilibria.jsonl"
    first = Gold(kept, solver)
    assert [first((1, 2)), first((3, 4)), first((1, 2))] == [{"FCC_A1": 0.75, "MG2SI": 0.25}, None, first((1, 2))]
    assert asked == [(1.0, 2.0), (3.0, 4.0)]
    with kept.open("a") as file:
        file.write('{"percents": [5.0, 6.0], "pha')  # as a kill leaves it
    again = Gold(kept, solver)
    assert (again((1, 2)), again((3, 4))) == ({"FCC_A1": 0.75, "MG2SI": 0.25}, None)
    assert len(asked) == 2
    again((5, 6))
    again((7, 8))
    assert Gold(kept, solver)((7, 8)) == {"FCC_A1": 0.75, "MG2SI": 0.25}
    assert len(asked) == 4
