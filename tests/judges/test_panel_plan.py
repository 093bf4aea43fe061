"""Planning a panel: items by judges, exactly as Fisher information has them."""

import json

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.judges import Evaluation, PanelPlan, plan_panel
from ringtrue.judges.latent._information import information

SIZES = (3, 4, 5, 7, 10)
ITEMS = {
    0.9: (702, 597, 552, 532, 527),
    0.8: (2_885, 1_399, 938, 667, 569),
    0.75: (8_963, 3_452, 1_938, 1_033, 699),
    0.7: (36_055, 11_931, 5_965, 2_488, 1_232),
    0.65: (209_964, 62_287, 28_802, 10_412, 4_085),
}
MANY = {3: "2.43 M", 4: "661 k", 5: "286 k", 7: "93 k", 10: "32 k"}


@pytest.mark.parametrize("accuracy", ITEMS)
def test_items_for_two_points_of_error(accuracy):
    assert [case.prevalence_items for case in plan_panel(accuracy, judges=SIZES).cases] == list(ITEMS[accuracy])


def test_items_for_judges_hardly_better_than_chance():
    told = {case.judges: case.prevalence_items for case in plan_panel(0.6, judges=SIZES).cases}
    rounded = {n: f"{items / 1e6:.2f} M" if items > 1e6 else f"{items / 1e3:.0f} k" for n, items in told.items()}
    assert rounded == MANY


def test_items_for_an_accuracy_are_those_of_the_worst_known_one():
    (case,) = plan_panel([0.9, 0.8, (0.6, 0.9)], judges=(3,), error=0.01).cases
    panel = Evaluation.binary(("a", "b", "c"), ("x", "y"), 0.3, np.array([[0.9] * 2, [0.8] * 2, [0.6, 0.9]]), "")
    variances = np.diagonal(information(panel).covariance("in general"))
    assert case.prevalence_items == np.ceil(variances[0] / 1e-4)
    assert case.accuracy_items == np.ceil(variances[1:].max() / 1e-4)


def variance_of_prevalence(accuracy, judges):
    names = tuple(str(place) for place in range(judges))
    panel = Evaluation.binary(names, ("x", "y"), 0.3, np.full((judges, 2), accuracy), "")
    return np.linalg.inv(information(panel).observed)[0, 0]


def test_judges_or_items():
    """What two more judges are worth in items is the ratio of the variances, and here it is more than 5,000 items."""
    plan = plan_panel(0.75, judges=(3, 5), items=3_824)
    three, five = plan.cases
    assert three.worth == 3_824
    of_three, of_five = (variance_of_prevalence(0.75, judges) for judges in (3, 5))
    assert five.worth == np.ceil(3_824 * of_three / of_five)
    assert five.error == pytest.approx(np.sqrt(of_five / 3_824), rel=1e-12)
    more_items = plan_panel(0.75, judges=(3,), items=3_824 + 5_000).cases[0].error
    assert five.error < more_items < three.error
    assert plan.judges_needed == 4  # 3,452 items suffice with four
    assert "3,824 items suffice for the prevalence with 4 judges" in str(plan)


def test_too_few_items_for_any_panel_are_called_so():
    plan = plan_panel(0.9, items=400)
    assert plan.judges_needed is None
    assert "400 items do not suffice for the prevalence with up to 12 judges" in str(plan)


def test_on_this_test_needs_fewer_items_and_better_judges_even_fewer():
    general, here = (plan_panel(0.9, target=target).cases for target in ("in general", "on this test"))
    assert all(one.prevalence_items > other.prevalence_items for one, other in zip(general, here, strict=True))
    assert here[-1].prevalence_items < 10  # ten good judges know the labels of the items they saw


def test_judges_at_chance_never_get_there():
    plan = plan_panel(0.5, items=1_000_000)
    assert {case.prevalence_items for case in plan.cases} == {None}
    assert plan.cases[0].error is None
    assert "endless" in str(plan)
    assert "unbounded" in str(plan)


def test_a_list_is_taken_in_turn_and_its_own_length_is_planned():
    listed = plan_panel([0.9, 0.7, 0.8, 0.6], judges=(3, 5))
    assert [case.judges for case in listed.cases] == [3, 4, 5]
    assert listed.cases[0] == plan_panel([0.9, 0.7, 0.8], judges=(3,)).cases[0]
    assert listed.cases[2] == plan_panel([0.9, 0.7, 0.8, 0.6, 0.9], judges=(5,)).cases[0]
    assert "right 90%, 70%, 80%, 60% of the time" in str(listed)
    assert plan_panel([(0.9, 0.8)] * 3, judges=(3,)).accuracies == ((0.9, 0.8),) * 3


def test_the_plan_serialises():
    plan = plan_panel([(0.9, 0.8), (0.7, 0.7), (0.5, 0.5)], items=100)
    assert isinstance(plan, PanelPlan)
    told = json.loads(json.dumps(plan.to_json(), allow_nan=False))
    assert told["accuracies"][0] == [0.9, 0.8]
    assert told["cases"][0]["judges"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"accuracy": 1.2}, "accuracy=1.2 must be a share"),
        ({"accuracy": []}, r"accuracy=\[\] must be a share"),
        ({"accuracy": [(0.8, 0.9, 0.7)]}, "must be a share, a list of shares or a list of pairs"),
        ({"accuracy": "0.8"}, "accuracy='0.8' must be a share"),
        ({"accuracy": float("nan")}, "accuracy=nan must be a share"),
        ({"accuracy": 0.8, "prevalence": 0.0}, "prevalence=0.0 must lie strictly between 0 and 1"),
        ({"accuracy": 0.8, "error": 0.0}, "error=0.0 must lie strictly between 0 and 1"),
        ({"accuracy": 0.8, "judges": (2, 3)}, r"judges=\[2, 3\] must be numbers from 3 to 12"),
        ({"accuracy": 0.8, "judges": ()}, r"judges=\[\] must be numbers from 3 to 12"),
        ({"accuracy": 0.8, "items": 0}, "items=0 must be at least 1"),
        ({"accuracy": 0.8, "target": "ever"}, "target='ever' is not a target"),
    ],
)
def test_bad_plans_say_what_is_wrong(arguments, message):
    with pytest.raises(InvalidInput, match=message) as error:
        plan_panel(arguments.pop("accuracy"), **arguments)
    assert "\n" not in str(error.value)
