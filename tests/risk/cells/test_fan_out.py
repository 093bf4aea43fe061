"""Looking into cells in several processes finds the same bits as in one."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Grid
from ringtrue.risk.cells._answers import ROWS
from ringtrue.risk.cells._sampling import lattice, monte_carlo
from ringtrue.risk.cells._trees import exact_trees
from support.cells import waves, wavy_points
from support.processes import PROCESSES

GRID = Grid.over((0, 0), (1, 1), 20)
CELLS = np.arange(GRID.size - 1, -1, -1)
FOREST = RandomForestClassifier(n_estimators=10, random_state=0).fit(*wavy_points(3000))
LOOKS = {
    "monte carlo": lambda executor, seed=5: monte_carlo(
        waves, GRID, CELLS, (0, 1), draws=1500, seed=seed, executor=executor
    ),
    "shared draws": lambda executor, seed=5: monte_carlo(
        waves, GRID, CELLS, (0, 1), draws=1500, seed=seed, shared=True, executor=executor
    ),
    "lattice": lambda executor, seed=5: lattice(waves, GRID, CELLS, (0, 1), per_axis=64, seed=seed, executor=executor),
    "trees": lambda executor: exact_trees(FOREST, GRID, CELLS, (0, 1), executor=executor),
}


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=PROCESSES) as executor:
        yield executor


@cache
def found_alone(name):
    """What one process finds: looked for once."""
    return LOOKS[name](None)


@pytest.mark.parametrize("name", LOOKS)
def test_any_number_of_workers_finds_the_same_bits(name, processes):
    look, alone = LOOKS[name], found_alone(name)
    assert alone.calls > 2 * ROWS, "several chunks"
    with ThreadPoolExecutor(3) as threads:
        for executor in (processes, threads):
            together = look(executor)
            np.testing.assert_array_equal(together.shares, alone.shares)
            np.testing.assert_array_equal(together.cells, CELLS)
            assert together.calls == alone.calls


@pytest.mark.parametrize("name", ["monte carlo", "shared draws", "lattice"])
def test_another_seed_finds_others(name):
    assert np.any(found_alone(name).shares != LOOKS[name](None, seed=6).shares)


def test_chunks_do_not_repeat_each_others_draws():
    """Two halves of a grid that look alike to the model: equal streams would give them equal errors."""
    each = ROWS // 1500
    shares = monte_carlo(lambda points: points[:, 0] * 400 % 1 < 0.5, Grid.over(0, 1, 400), np.arange(2 * each),
                         (False, True), draws=1500, seed=0).shares[:, 1]  # fmt: skip
    assert abs(np.corrcoef(shares[:each], shares[each:])[0, 1]) < 4 / np.sqrt(each)


def test_what_a_worker_refuses_is_refused_in_the_same_words(processes):
    said = []
    for executor in (None, processes):
        with pytest.raises(InvalidInput, match="the label 1, which is not one of classes") as error:
            lattice(waves, GRID, CELLS, (0, 7), seed=0, executor=executor)
        said.append(str(error.value))
    assert said[0] == said[1]
