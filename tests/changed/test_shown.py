"""What callers are given: the lines of a terminal, the interval that a claim speaks of, and errors by argument."""

import pytest

from report.shifts import shift_finding
from ringtrue.changed import Changed
from ringtrue.changed.planning import plan_shift
from ringtrue.core import Argument, Context, InvalidInput, terminal_lines
from ringtrue.models import FunctionModel
from ringtrue.pools import read_old
from ringtrue.study import Study
from support.shifts import frame, pool

COLUMNS = {"old": "old", "truth": "truth", "confidence": "sure"}


def lines(finding):
    return terminal_lines(Changed.sections(Context(finding if isinstance(finding, dict) else finding.to_json())))


def found(folder, *, model="new", size=300, changed=0.3, budget=60, **options):
    items = pool(size, changed=changed)
    question = Changed.of(items, **{**COLUMNS, "noise": 0, **options})
    with Study.create(folder / "s", pool=items, model=model, question=question, budget=budget, batch=10) as study:
        return study.run() if budget else study.finding()


def test_a_terminal_shows_accuracy_the_largest_shifts_flips_and_the_error():
    finding = shift_finding(("up", "down", "left"))
    accuracy, blank, title, heads, *rows = lines(finding)
    assert accuracy.startswith("accuracy: ")
    assert " before, " in accuracy
    assert accuracy.endswith("] points")
    assert (blank, title) == ("", "What changed most")
    assert heads.split() == ["true", "label", "answer", "before", "difference", "interval"]
    shown = [cell for cell in finding["cells"] if round(100 * cell["shift"]["estimate"], 2)][:5]
    assert [row.split()[:2] for row in rows[: len(shown)]] == [[cell["label"], cell["answer"]] for cell in shown]
    below, blank, flips, again, error = rows[len(shown) :]
    assert (below, blank) == ("  percentage points of all items, jointly at 95%", "")
    assert flips.startswith("flips seen: ")
    assert "from right to wrong" in flips
    assert again.startswith("asked again: ")
    assert error == "error of the shift: at most 0.93% at 95%, wanted 1%"


def test_no_more_than_five_cells_are_shown_and_none_that_looks_like_nothing():
    finding = shift_finding([f"label {place}" for place in range(9)])
    cell = finding["cells"][0]
    finding["cells"] = [cell] * 12
    assert sum(cell["label"] in line for line in lines(finding)) == 5
    tiny = {**cell, "shift": {**cell["shift"], "estimate": 1e-6}}
    finding["cells"] = [cell, cell, tiny, tiny]
    assert sum(cell["label"] in line for line in lines(finding)) == 2
    finding["cells"] = [tiny]
    assert "What changed most" not in lines(finding)


def test_without_labels_nothing_is_said_of_accuracy_and_rows_are_old_answers():
    shown = lines(shift_finding(labelled=False))
    assert not any("accuracy" in line for line in shown)
    assert shown[2].startswith("  old answer  answer")
    assert any(line.startswith("flips seen: ") and line.endswith(" changed") for line in shown)


def test_without_answers_only_what_is_known_is_shown(tmp_path):
    finding = found(tmp_path, budget=None, error="1%")
    assert finding.answers == finding.unanswerable == 0
    (line,) = lines(finding)
    assert line.startswith("accuracy: ")
    assert line.endswith(" before, not yet known now")
    assert lines(shift_finding(answered=0, labelled=False)) == []


def test_answers_that_were_asked_for_again_are_counted(tmp_path):
    new = dict(zip(frame(300, changed=0.3)["id"], frame(300, changed=0.3)["new"], strict=True))
    model = FunctionModel(lambda rows: [new[row["id"]] for row in rows], name="api", features=["id"])
    finding = found(tmp_path, model=model, noise=None, claim="change <= 1%")
    number = finding.noise.asked_twice
    assert number > 1
    told = (
        f"asked again: {number} items; {number} answered the same again, 0 went back to the old answer, 0 gave a third"
    )
    assert told in lines(finding)
    assert finding.estimate == finding.noise.beyond


def test_the_estimate_is_what_the_claim_speaks_of(tmp_path):
    folders = [tmp_path / name for name in "abcd"]
    for folder in folders:
        folder.mkdir()
    change, drop, stated, none = (
        found(folder, **options)
        for folder, options in zip(
            folders,
            [{}, {"claim": "accuracy drop <= 5%"}, {"noise": "10%", "claim": "change <= 5%"}, {"budget": None}],
            strict=True,
        )
    )
    assert change.estimate == change.change
    moved = drop.accuracy.difference
    assert (drop.estimate.low, drop.estimate.estimate, drop.estimate.high) == (-moved.high, -moved.estimate, -moved.low)
    assert stated.estimate.low == pytest.approx(stated.change.low - 0.1)
    assert stated.estimate.high == pytest.approx(stated.change.high - 0.1)
    assert none.estimate is None


def census():
    return Changed.of(pool(60), old="old").census


REFUSED = {
    "error": (lambda: Changed.of(pool(60), **COLUMNS, error="0%"), Argument("error", "0%")),
    "noise": (lambda: Changed.of(pool(60), **COLUMNS, noise="x"), Argument("noise", "x")),
    "method": (lambda: Changed.of(pool(60), **COLUMNS, method="magic"), Argument("method", "magic")),
    "a method's noise": (lambda: Changed.of(pool(60), **COLUMNS, method="masa"), Argument("noise", 0)),
    "claim": (lambda: Changed.of(pool(60), old="old", claim="accuracy drop <= 1%"), Argument("truth")),
    "old": (lambda: Changed.of(pool(60), old="nothing"), Argument("old", "nothing")),
    "slices": (lambda: Changed.of(pool(60), old="old", slices=["id"]), Argument("slices", "id")),
    "a plan's error": (lambda: plan_shift(census(), error=2.0), Argument("error", 2.0)),
    "no old answers": (lambda: read_old(frame(9)[["id", "text"]]), Argument("answer")),
    "answer": (lambda: read_old(frame(9), answer="nothing"), Argument("answer", "nothing")),
    "truth": (lambda: read_old(frame(9), truth="nothing"), Argument("truth", "nothing")),
    "no label": (lambda: read_old(frame(9).assign(truth=[None] * 9)), Argument("truth", "none")),
    "no number": (lambda: read_old(frame(9).assign(score=["x"] * 9)), Argument("confidence", "none")),
    "id": (lambda: read_old(frame(9)[["old"]], pool=frame(9)), Argument("id")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_error_carries_the_arguments_that_the_command_line_offers(case):
    call, argument = REFUSED[case]
    with pytest.raises(InvalidInput) as raised:
        call()
    assert argument in raised.value.args
    assert str(argument) in str(raised.value)
