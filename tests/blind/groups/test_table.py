"""The table of groups: hand numbers, the correction for having looked, and the order."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.blind._groups import group_table
from ringtrue.core import InvalidInput
from ringtrue.stats import average_chance_sequence

NAMES = {"cluster": ["a", "b", "a", "a", "b", "a"], "fur": ["dark", "dark", "light", "light", "light", "dark"]}
WRONG = [True, False, True, False, False, True]
CONFIDENCE = [0.9, 0.8, 0.7, 0.9, 1.0, 0.6]


def test_numbers_by_hand() -> None:
    table = {(group["kind"], group["name"]): group for group in group_table(NAMES, WRONG, CONFIDENCE, looked=10)}
    assert set(table) == {("cluster", "a"), ("cluster", "b"), ("fur", "dark"), ("fur", "light")}
    a = table["cluster", "a"]
    assert (a["asked"], a["errors"], a["level"]) == (4, 3, 0.95)
    assert a["expected"] == pytest.approx(0.1 + 0.3 + 0.1 + 0.4)
    assert a["excess"] == pytest.approx(3 - 0.9)
    bounds = average_chance_sequence([True, True, False, True], level=1 - 0.05 / 10)
    assert a["low"] == pytest.approx(4 * bounds.low[-1] - 0.9)
    assert a["high"] == pytest.approx(4 * bounds.high[-1] - 0.9)
    assert table["cluster", "b"]["expected"] == pytest.approx(0.2 + 0.001)


def test_sure_excesses_come_first_by_their_lower_bound_and_the_others_by_size() -> None:
    """Twelve errors of twelve are surer than five of five, and both than the larger excess of ten of thirty."""
    names = ["many"] * 30 + ["five"] * 5 + ["twelve"] * 12 + ["none"]
    wrong = np.concatenate([np.arange(30) < 10, np.ones(17, dtype=bool), [False]])
    table = group_table({"slice": names}, wrong, np.full(48, 0.8), looked=4)
    assert [group["name"] for group in table] == ["twelve", "five", "many", "none"]
    assert [group["low"] > 0 for group in table] == [True, True, False, False]


def test_what_nobody_could_tell_counts_either_way() -> None:
    told, untold = (group_table(NAMES, [*WRONG[:-1], last], CONFIDENCE, looked=4) for last in (False, None))
    for right, open_ in zip(
        *(sorted(table, key=lambda group: (group["kind"], group["name"])) for table in (told, untold)), strict=True
    ):
        wider = (right["kind"], right["name"]) in {("cluster", "a"), ("fur", "dark")}
        assert (open_["errors"], open_["low"]) == (right["errors"], right["low"])
        assert (open_["high"] > right["high"]) == wider


def test_more_groups_looked_at_give_wider_intervals() -> None:
    few, many = (group_table(NAMES, WRONG, CONFIDENCE, looked=looked)[0] for looked in (4, 40))
    assert few["name"] == many["name"] == "a"
    assert many["low"] < few["low"]


def test_a_planted_group_stands_out_and_no_other_does() -> None:
    rng = np.random.default_rng(6)
    names = rng.choice(["one", "two", "three", "bad"], 200)
    wrong = rng.random(200) < np.where(names == "bad", 0.6, 0.1)
    table = group_table({"slice": list(names)}, wrong, np.full(200, 0.9), looked=4)
    assert [group["name"] for group in table if group["low"] > 0] == ["bad"]


def test_bad_input_is_one_clear_line() -> None:
    with pytest.raises(InvalidInput, match="looked=3 must be at least the 4 groups"):
        group_table(NAMES, WRONG, CONFIDENCE, looked=3)
    with pytest.raises(InvalidInput, match="'fur'"):
        group_table({"fur": ["dark"]}, WRONG, CONFIDENCE, looked=3)
    with pytest.raises(InvalidInput, match="at least one number"):
        group_table({}, [], [], looked=1)
