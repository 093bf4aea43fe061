"""People who label in a real browser, by keys alone."""

from collections import Counter

import pytest

from desks.browsing import Rater, cats_and_dogs, opened, told


@pytest.mark.slow
def test_two_hundred_items_are_labelled_by_keys_alone(tmp_path, new_page):
    study = cats_and_dogs(tmp_path, size=300, budget=200)
    given = {}
    with opened(study) as desk:
        ann = Rater(new_page(), desk.raters["ann"])
        for step in range(200):
            key = "12"[step % 3 == 0]
            given[ann.answer(key)] = ("ann", {"1": "cat", "2": "dog"}[key])
        assert ann.title == "No item for you now"
        assert "The budget is spent" in ann.text("fields")
        assert ann.text("mine") == "200 answered by you"
        assert ann.text("status") == "Saved"
    assert len(given) == 200
    assert told(study) == given


@pytest.mark.parametrize("items", [6, pytest.param(50, marks=pytest.mark.slow)])
def test_eight_raters_answer_no_item_twice_and_spend_the_budget_to_the_last_label(tmp_path, new_page, items):
    budget = 8 * items - 3
    study = cats_and_dogs(tmp_path, size=500, budget=budget)
    names = [f"rater-{number}" for number in range(8)]
    given = []
    with opened(study, "--second", "0", raters=names) as desk:
        raters = {name: Rater(new_page(), desk.raters[name]) for name in names}
        for _ in range(items):
            shown = {name: (one.shown, one.title) for name, one in raters.items() if one.title.startswith("Item")}
            for name in shown:
                raters[name].press("1")
            for name, (item, before) in shown.items():
                raters[name].waited(before)
                given.append((item, (name, "cat")))
        assert not [one.title for one in raters.values() if one.title.startswith("Item")]
    assert max(Counter(item for item, _ in given).values()) == 1
    assert len(given) == budget
    assert told(study) == dict(given)
