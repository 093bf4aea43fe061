"""What stood beside an item in one value, in the journals and reports of earlier versions, is read part by part."""

import pytest

from ringtrue.core import Prediction
from ringtrue.study import split_predicted

CHANCES = {"no": 0.2, "yes": 0.8}
VOTES = {"ann": "yes", "label": "no"}
STRATUM = {"profile": None, "stratum": "0.1 to 0.2", "items": 12, "place": 3, "strata": 5, "span": [0.1, 0.2]}
PREDICTION = {"guess": 0.25, "rest": 4.5, "least": -10.0, "most": 30.0}


@pytest.mark.parametrize(
    ("predicted", "said", "known", "predicts", "note"),
    [
        pytest.param(None, None, {}, False, {}, id="nothing"),
        pytest.param("yes", "yes", {}, False, {}, id="a label"),
        pytest.param([1.5, 2.5], [1.5, 2.5], {}, False, {}, id="outputs"),
        pytest.param(
            {"label": "yes", "probabilities": CHANCES}, "yes", {"probabilities": CHANCES}, False, {}, id="sure"
        ),
        pytest.param(
            {"label": "yes", "probabilities": CHANCES, **STRATUM, **PREDICTION},
            *("yes", {"probabilities": CHANCES}, True, STRATUM),
            id="a draw by doubt",
        ),
        pytest.param({"label": "yes", "random": True, **PREDICTION}, "yes", {}, True, {"random": True}, id="a hunt"),
        pytest.param({"label": [1.5], "phase": "check"}, [1.5], {}, False, {"phase": "check"}, id="a search"),
        pytest.param({"label": None, "phase": "check"}, None, {}, False, {"phase": "check"}, id="without a model"),
        pytest.param({"votes": VOTES}, None, {"votes": VOTES}, False, {}, id="votes"),
        pytest.param({"votes": VOTES, **STRATUM}, None, {"votes": VOTES}, False, STRATUM, id="votes and a note"),
        pytest.param(
            {"old": "no", "truth": "yes", "level": 1, "slices": {"region": "north"}, "share": 0.5, "slice_shares": {}},
            *(None, {"old": "no", "truth": "yes", "level": 1, "slices": {"region": "north"}}, False),
            {"share": 0.5, "slice_shares": {}},
            id="a change",
        ),
        pytest.param({"old": "no", "mine": 1}, None, {"old": "no", "mine": 1}, False, {}, id="a note that looks known"),
    ],
)
def test_each_part_is_found(predicted, said, known, predicts, note):
    parts = split_predicted(predicted)
    assert (parts.said, parts.known, parts.note) == (said, known, note)
    assert parts.prediction == (Prediction(**PREDICTION) if predicts else None)
