"""Every interval that reaches a user has a row of the coverage suite, or a reason why it is not one."""

import dataclasses
import importlib
import inspect
import pkgutil
from types import SimpleNamespace

from ringtrue import stats
from ringtrue.testing.coverage import CASES

ROWS = {row for case in CASES for row in case.rows.values()}
SHOWN = {name for row in ROWS for name in row.shown}
QUESTIONS = ("risk", "changed", "blind", "worst", "judges")
ENDS = ("low", "lower", "excess_low", "accuracy_low")
"""The lower end of an interval, by which it is named; the upper end is beside it."""
UPPER = {"low": "high", "lower": "upper", "excess_low": "excess_high", "accuracy_low": "accuracy_high"}
ONE_SIDED = ("upper", "bound", "claimed", "operation", "margin")

ASIDE = {
    "Grid.low": "a box",
    "Box.low": "a box",
    "Inputs.low": "a box",
    "Real.low": "a space",
    "Integer.low": "a space",
    "_Number.low": "a space",
    "Scale.low": "a space, or the ends of an axis",
    "ProfileClass.operation": "a number of inputs",
    "Method.bound": "a function",
    "Claimed.upper": "becomes CellFinding.claimed",
    "Resolution.low": "CellFinding.interval with other cells, beside it",
    "Contradiction.bound": "CellFinding.claimed once more, held against held-out points",
    "Unassessed.low": "becomes CellFinding.unassessed_interval",
    "CellUnastuteness.upper": "the end of CellUnastuteness.lower",
    "ShiftFinding.claimed": "a ClaimPath, which is a row",
    "WorstFinding.bound": "a Bound, which is a row",
    "Looked.general": "PanelFinding.general on its way",
    "Looked.margin": "PanelFinding.margin on its way",
    "PanelFinding.margin": "a Margin, which is a row",
    "Estimates.prevalence": "what the fields of findings hold",
    "Estimates.accuracy": "the same",
    "Estimates.overall": "the same",
}


def of_modules():
    """The modules of all questions."""
    for question in QUESTIONS:
        package = importlib.import_module(f"ringtrue.{question}")
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            yield importlib.import_module(found.name)


def dataclasses_of_questions():
    return {
        cls
        for module in of_modules()
        for cls in vars(module).values()
        if inspect.isclass(cls) and cls.__module__ == module.__name__ and dataclasses.is_dataclass(cls)
    }


def intervals_of(cls):
    """The fields of a class that hold an interval, or one end of it: by type, by a pair of ends, or by name."""
    kinds = {field.name: str(field.type) for field in dataclasses.fields(cls)}
    found = {name for name, kind in kinds.items() if any(word in kind for word in ("Interval", "Estimates", "Bounds"))}
    found |= {low for low in ENDS if low in kinds and UPPER[low] in kinds}
    found |= {name for name in ONE_SIDED if name in kinds}
    return {f"{cls.__name__}.{name}" for name in found | {name for name in kinds if name.endswith("interval")}}


def bounds_of(package):
    """The public functions of a package that return an interval: by what they return, or by name."""
    functions = {
        name: one for name, one in vars(package).items() if name in package.__all__ and inspect.isfunction(one)
    }
    found = {name for name, one in functions.items() if "Bounds" in str(one.__annotations__.get("return"))}
    return found | {name for name in functions if name.endswith(("_bounds", "_upper", "_sequence"))}


def test_every_public_bound_of_the_statistics_is_a_row():
    found = {f"stats.{name}" for name in bounds_of(stats)}
    assert len(found) >= 8
    assert found - SHOWN == set()


def test_a_bound_without_a_row_is_found():
    def median_bounds(values: list[float]) -> tuple[float, float]: ...
    def quantiles(values: list[float]) -> stats.Bounds: ...
    def median(values: list[float]) -> float: ...

    made = {"median_bounds": median_bounds, "quantiles": quantiles, "median": median}
    found = bounds_of(SimpleNamespace(__all__=list(made), **made))
    assert {f"stats.{name}" for name in found} - SHOWN == {"stats.median_bounds", "stats.quantiles"}


def test_every_interval_of_the_statistics_is_tried_on_all_sides():
    for row in ROWS:
        if row.question == "stats" and row.shown:
            labels = {label for case in CASES for label, own in case.rows.items() if own == row}
            assert labels == {"both", "upper", "lower"}, row.name


def test_a_field_without_a_row_is_found():
    ends = [("low", float), ("high", float)]
    made = dataclasses.make_dataclass("Median", [*ends, ("upper", float), ("drift", "Interval | None"), ("n", int)])
    other = dataclasses.make_dataclass("Alone", [("low", float), ("drift", float)])
    assert intervals_of(made) - SHOWN - set(ASIDE) == {"Median.low", "Median.upper", "Median.drift"}
    assert intervals_of(other) == set()


def test_every_field_of_a_finding_that_holds_an_interval_is_a_row():
    found = set().union(*map(intervals_of, dataclasses_of_questions()))
    assert len(found) > 40
    assert found - SHOWN - set(ASIDE) == set(), "give these a row, or say in ASIDE why they are not intervals"
    assert set(ASIDE) <= found, "these are gone: take them out of ASIDE"


def test_what_rows_say_is_shown_exists():
    """A name that was changed would leave its interval without a row, unseen."""
    packages = {name: importlib.import_module(f"ringtrue.{name}") for name in (*QUESTIONS, "stats")}
    known = {f"{name}.{member}" for name, package in packages.items() for member in package.__all__}
    known |= {"PanelAlarm.alarmed_at"}  # not a dataclass: set when it is raised
    for cls in dataclasses_of_questions():
        known |= {f"{cls.__name__}.{field.name}" for field in dataclasses.fields(cls)}
        known |= {f"{cls.__name__}.{name}" for name, one in vars(cls).items() if isinstance(one, property)}
    assert SHOWN - known == set()


def test_every_promise_says_where_it_is_met():
    assert [row.name for row in ROWS if row.promise in ("watched", "fixed", "about") and not row.shown] == []


def test_every_question_has_rows():
    assert {row.question for row in ROWS if row.shown} == {*QUESTIONS, "stats", "logs"}
