"""A panel answers each item with all its votes, and another panel is another model."""

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput, Labels, Model
from ringtrue.models import PanelModel, as_model, contradicted, mark_of

CELLS = {
    "ann": np.array(["yes", "no", " yes"], dtype=object),
    "bob": np.array([1, None, float("nan")], dtype=object),
    "label": np.array([True, False, ""], dtype=object),
}
BATCH = Batch(["a", "b", "c"], CELLS)


def fingerprint(model, batch):
    """Return the model's name with a hash of its answers, as a study keeps it."""
    answers, wrong = contradicted(model, batch)
    return mark_of(model.name, None if wrong else answers)


def test_votes_come_by_judge_as_text_and_empty_cells_abstain():
    panel = PanelModel(["ann", "bob", "label"])
    answers = panel.answer(BATCH)
    assert isinstance(answers, Labels)
    assert answers.values() == [
        {"votes": {"ann": "yes", "bob": "1", "label": "true"}},
        {"votes": {"ann": "no", "bob": None, "label": "false"}},
        {"votes": {"ann": "yes", "bob": None, "label": None}},
    ]
    assert isinstance(panel, Model)
    assert as_model(panel) is panel
    assert panel.classes is None


def test_the_fingerprint_tells_panels_apart():
    marks = {
        fingerprint(PanelModel(columns), BATCH)
        for columns in (["ann"], ["bob"], ["ann", "bob"], ["bob", "ann"], ["ann", "bob", "label"])
    }
    assert len(marks) == 5
    assert fingerprint(PanelModel(["ann"]), BATCH) == fingerprint(PanelModel(["ann"]), BATCH)


def test_a_vote_for_an_unknown_label_is_refused_by_item_and_column():
    assert PanelModel(["ann"], labels=["yes", "no"]).classes == ("yes", "no")
    with pytest.raises(InvalidInput, match=r"'a' has the vote '1' in column 'bob', which is none of yes, no"):
        PanelModel(["ann", "bob"], labels=["yes", "no"]).answer(BATCH)


@pytest.mark.parametrize("columns", ["ann", [], ["ann", "ann"]])
def test_a_panel_needs_names_each_once(columns):
    with pytest.raises(InvalidInput, match="columns="):
        PanelModel(columns)


def test_a_missing_column_is_named():
    with pytest.raises(InvalidInput, match="did you mean 'ann'"):
        PanelModel(["anne"]).answer(BATCH)
