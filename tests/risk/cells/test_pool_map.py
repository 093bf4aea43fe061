"""The map of a pool from the labels at hand: those bought and those known, held against what was drawn evenly."""

from decimal import Decimal

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput, Labels, Record, Vectors, terminal_lines
from ringtrue.risk import MapCells, points_of
from ringtrue.risk.cells import KernelProfile, assess, labels_at_hand, map_pool

RNG = np.random.default_rng(5)
POINTS = RNG.random((400, 2))
TRUTH = np.where(POINTS[:, 0] > 0.5, "yes", "no")


class Model:
    """Cuts a little beside the truth."""

    def answer(self, batch):
        return Labels(["yes" if x > 0.55 else "no" for x in batch.columns["x"]])


CELLS = MapCells.over(["x", "y"], POINTS, 10)
PREDICT = CELLS.predict_by(Model())


def bought(row, place, *, chance=None, label="yes"):
    """Of ten items, drawn evenly without a chance of its own; without a label the oracle could not tell."""
    chance = chance or 1 / (10 - place)
    made = Record(place, "risk", "p", "oracle", row, str(row), "", chance, chance, Decimal(0), "no")
    made.state, made.value = "abandoned" if label is None else "answered", label
    return made


def test_labels_that_were_bought_count_before_those_that_were_known():
    labels, held_out = labels_at_hand([bought(2, 0)], 10, ["no", None, "no", "", "yes"])
    assert labels == {0: "no", 2: "yes", 4: "yes"}
    assert held_out == [2], "it was drawn evenly"


def test_without_even_draws_a_map_is_held_against_known_labels_that_were_not_asked_for():
    uneven = [bought(2, 0, chance=0.7), bought(3, 1, label=None)]
    assert labels_at_hand(uneven, 10, ["no"] * 4) == ({0: "no", 1: "no", 2: "yes", 3: "no"}, [0, 1])
    assert labels_at_hand(uneven, 10) == ({2: "yes"}, [])


def test_a_turn_counts_what_was_left_then():
    records = [bought(1, 0, chance=0.5), bought(5, 1), bought(7, 2), bought(8, 3, chance=0.1)]
    assert labels_at_hand(records, 10)[1] == [5, 7]


def test_the_map_is_that_of_its_points_with_a_profile_of_operation():
    rows = range(0, 400, 3)
    operation = POINTS[POINTS[:, 1] > 0.3]
    labels = {row: str(TRUTH[row]) for row in rows}
    found = map_pool(CELLS, POINTS, PREDICT, labels, held_out=[0, 3, 6], operation=operation, seed=4)
    profile = KernelProfile(operation, found.bandwidth, at="integral", reflect=True)
    same = assess(
        POINTS[rows], TRUTH[rows], PREDICT, grid=CELLS.grid, profile=profile, seed=4, features=("x", "y"),
        held_out=(POINTS[[0, 3, 6]], TRUTH[[0, 3, 6]]),
    ).to_json()  # fmt: skip
    named = [{**cell, "items": [3 * item for item in cell["items"]]} for cell in same["ranked"]]
    again = map_pool(
        CELLS, POINTS, PREDICT, labels, held_out=[0, 3, 6], operation=operation, seed=4, ids=range(400)
    ).to_json()
    assert again == {**same, "ranked": named}
    assert again["contradiction"]["n"] == 3


def test_a_class_that_only_the_model_names_is_a_class():
    def predict(points):
        return np.where(points[:, 1] > 0.9, "perhaps", np.array(PREDICT(points)))

    labels = {row: str(TRUTH[row]) for row in range(200)}
    assert set(map_pool(CELLS, POINTS, predict, labels).by_class) == {"no", "perhaps", "yes"}
    with pytest.raises(InvalidInput, match="'perhaps', which is not one of classes"):
        map_pool(CELLS, POINTS, predict, labels, classes=["no", "yes"])


def test_the_published_mode_keeps_its_own_profile():
    labels = {row: str(TRUTH[row]) for row in range(100)}
    assert map_pool(CELLS, POINTS, PREDICT, labels, mode="paper").bandwidth == 0.2


@pytest.mark.parametrize(
    ("labels", "said"),
    [({}, "a map needs labels: buy more, or give known=…"), ({1: "no"}, "all labels at hand are 'no': buy more, or")],
)
def test_labels_that_make_no_map_are_refused(labels, said):
    with pytest.raises(InvalidInput, match=said):
        map_pool(CELLS, POINTS, PREDICT, labels)


def test_a_box_without_a_side_and_cells_without_number_are_refused():
    with pytest.raises(InvalidInput, match="column 'y' is 1 for every item: leave it out of the map"):
        MapCells.over(["x", "y"], np.array([[0.0, 1.0], [1.0, 1.0]]))
    with pytest.raises(InvalidInput, match="cells=4000 over 2 columns are 16,000,000 cells: give fewer"):
        MapCells.over(["x", "y"], POINTS, 4000)
    batch = Batch(["a"], {"x": np.array(["tall"])})
    with pytest.raises(InvalidInput, match="features='x' is not a column of numbers: name another"):
        points_of([batch], ["x"])

    class Vector:
        def answer(self, batch):
            return Vectors(np.zeros((len(batch), 2)))

    with pytest.raises(InvalidInput, match="a map needs a model that gives labels: this one gives vectors"):
        CELLS.predict_by(Vector())(POINTS)


def test_a_terminal_names_why_the_bound_is_refused_and_the_cells_that_carry_most():
    found = map_pool(CELLS, POINTS, PREDICT, {row: str(TRUTH[row]) for row in range(400)}, held_out=range(400))
    lines = terminal_lines(found.sections())
    refused = [f"refused: {why}" for why in found.refused]
    assert lines[: len(refused)] == refused
    assert len(lines) == len(refused) + 5
    first = found.ranked[0]
    at = ", ".join(f"{place:.3g}" for place in first["centre"])
    assert lines[len(refused)].startswith(f"cell at {at}: ")
    assert lines[len(refused)].endswith(" of operation)")
    assert "The map" in found._repr_markdown_()
