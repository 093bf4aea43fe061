"""What is asked around the items: each changed input keeps the rest of its own item, and every query is counted."""

import numpy as np
import pytest

from ringtrue.blind import Distance, Inputs
from ringtrue.blind._measuring import ItemAsker, amounts_changed, nearest_changed, steadiness
from ringtrue.blind._scope import label_codes
from ringtrue.core import Batch, InvalidInput, Labels, Measured

LIMITS = {"low": 0.3, "high": 0.7}


def answer(batch):
    """Says "yes" above a limit that depends on a column nobody changes."""
    limit = np.array([LIMITS[kind] for kind in batch.columns["kind"]])
    chance = 1 / (1 + np.exp(-20 * (batch.columns["x"] - limit)))
    return Labels(np.where(chance > 0.5, "yes", "no").tolist(), np.stack([1 - chance, chance], axis=1), ["no", "yes"])


def measured(x, kind):
    batch = Batch([str(place) for place in range(len(x))], {"x": np.array(x), "kind": np.array(kind, dtype=object)})
    return Measured(batch, {"label": label_codes(answer(batch))})


INPUTS = Inputs(("x",), (0.0,), (1.0,))
NOBODY = Measured(Batch([], {}), {})


@pytest.mark.parametrize("method", ["rays", "hopskipjump", "flips"])
def test_a_changed_input_keeps_the_other_columns_of_its_item(method):
    items = measured([0.5, 0.5, 0.9, 0.1], ["low", "high", "high", "low"])
    found = nearest_changed(Distance(method, 200), ItemAsker(INPUTS, items, answer), NOBODY, np.random.default_rng(0))
    assert found.changed.all()
    assert found.measured("l2", INPUTS.box) == pytest.approx([0.2, 0.2, 0.2, 0.2], rel=0.03)


def test_queries_are_those_that_the_model_was_asked():
    asked = []

    def counting(batch):
        asked.append(len(batch))
        return answer(batch)

    items = measured(np.linspace(0.05, 0.95, 30), ["low", "high"] * 15)
    found = nearest_changed(Distance("rays"), ItemAsker(INPUTS, items, counting), NOBODY, np.random.default_rng(0))
    assert found.queries.sum() == sum(asked)
    assert found.queries.max() <= 57
    asked.clear()
    _, each = steadiness(ItemAsker(INPUTS, items, counting), np.random.default_rng(0))
    assert each * 30 == sum(asked) == 240


def test_an_item_near_the_limit_is_less_steady():
    items = measured([0.31, 0.5, 0.99], ["low"] * 3)
    firm, _ = steadiness(ItemAsker(INPUTS, items, answer), np.random.default_rng(0))
    assert firm[0] < firm[1] < firm[2]
    bare = lambda batch: Labels(answer(batch).labels)  # noqa: E731
    kept, _ = steadiness(ItemAsker(INPUTS, items, bare), np.random.default_rng(0))
    assert kept[0] < kept[1] == kept[2] == 1.0


def test_a_label_without_a_probability_is_refused():
    items = measured([0.5], ["low"])
    other = lambda batch: Labels(["no"] * len(batch), np.ones((len(batch), 1)), ["no"])  # noqa: E731
    with pytest.raises(InvalidInput, match="a label without a probability"):
        steadiness(ItemAsker(INPUTS, items, other), np.random.default_rng(0))


def test_a_perturbation_of_the_user_is_given_whole_items():
    items = measured([0.5, 0.5], ["low", "high"])

    def shift(item, amount, rng):
        return {**item, "x": item["x"] + (amount if item["kind"] == "high" else -amount)}

    found = amounts_changed(shift, items, answer, np.random.default_rng(0))
    assert found.amount == pytest.approx([0.2, 0.2], abs=0.002)
