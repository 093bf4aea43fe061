"""The case study of changing services reads its data, runs small as at full size, and meets the paper's line."""

import gzip
import math

import numpy as np
import pytest

from api_shift._data import frugalml, frugalml_path, prime, prime_path, shared_folder
from api_shift.cases import SHARES, Case, cases
from api_shift.measures import AT, GRID, Curve, crossing, measure
from api_shift.run import main
from api_shift.tables import calls_table, groups_table, paper_table
from ringtrue.changed._baseline import Baseline
from simulated_shifts import METHODS, Scenario

needs_data = pytest.mark.skipif(
    not frugalml_path("YELP").is_file(), reason="the FrugalML answers are not beside the checkout"
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A small folder of the form of the real one: three services and an open model on 300 items, and two snapshots."""
    folder = tmp_path_factory.mktemp("shared")
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=300)
    lines = ["y,pred_0,conf_0,pred_3,conf_3,pred_4,conf_4,pred_100,conf_100"]
    answers = [np.where(rng.random(300) < accuracy, truth, 1 - truth) for accuracy in (0.9, 0.6, 0.8, 0.7)]
    for item, label in enumerate(truth):
        cells = [f"{said[item]},{rng.random():.4f}" for said in answers]
        lines.append(f"{label},{','.join(cells)}")
    _write(folder / "data" / "frugalml" / "YELP.csv.gz", lines)
    lines = ["model,dataset,id,query,gold,pred,correct"]
    for model in ("gpt-3.5-turbo-0301", "gpt-3.5-turbo-0613", "gpt-4-0314", "gpt-4-0613"):
        for item in reversed(range(200)):
            gold, said = "yes" if item % 2 else "no", rng.choice(["yes", "no", ""])
            lines.append(f'openaichat/{model},prime,{item},"Is it, or not?",{gold},{said},0')
    _write(folder / "data" / "llmdrift" / "prime.csv.gz", lines)
    return folder


def _write(path, lines):
    path.parent.mkdir(parents=True)
    with gzip.open(path, "wt") as file:
        file.write("\n".join(lines) + "\n")


def test_the_services_are_read_by_their_numbers(shared):
    truth, said = frugalml(frugalml_path("YELP", shared))
    assert len(truth) == 300
    assert set(truth) == {"0", "1"}
    assert list(said) == [0, 3, 4, 100]
    answers, sure = said[4]
    assert len(answers) == len(sure) == 300
    assert sure.min() >= 0
    assert np.mean(np.array(answers) == np.array(truth)) == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / 300))


def test_snapshots_are_aligned_by_id(shared, tmp_path):
    found = prime(prime_path(shared))
    assert list(found) == ["gpt-3.5-turbo-0301", "gpt-3.5-turbo-0613", "gpt-4-0314", "gpt-4-0613"]
    assert {tuple(truth) for truth, _ in found.values()} == {("no", "yes") * 100}
    _write(tmp_path / "data" / "odd.csv.gz", ["model,id,gold,pred", "x/a,0,yes,no", "x/b,1,yes,no"])
    with pytest.raises(ValueError, match="other items or labels: give all of them the same"):
        prime(tmp_path / "data" / "odd.csv.gz")


def test_all_pairs_of_commercial_services_and_all_updates_are_cases(shared):
    found = list(cases(["YELP", "PRIME"], shared))
    assert [sum(case.group == group for case in found) for group in ("no change", "vendor swap")] == [3, 6]
    updates = [case for case in found if case.group == "silent update"]
    assert [case.scenario.changed for case in updates] == [pytest.approx(share, abs=1 / 300) for share in SHARES]
    assert [case.scenario.changed for case in found if case.group == "no change"] == [0, 0, 0]
    assert [str(case) for case in found[-2:]] == [
        "PRIME GPT-3.5, March → June 2023", "PRIME GPT-4, March → June 2023",
    ]  # fmt: skip


def test_the_paper_s_budget_is_one_of_the_grid():
    assert AT in GRID
    assert list(GRID) == sorted(GRID)


def test_the_target_is_met_where_it_is_met_for_good():
    assert crossing([10, 20, 40], [0.001, 0.05, 0.0], 0.01) == 40
    assert crossing([10, 20, 40], [0.001, 0.002, 0.05], 0.01) == math.inf
    assert Curve((10, 40), (0.02, 0.005)).calls == pytest.approx(20)
    assert Curve((10, 40), (0.02, 0.005)).at(40) == 0.005
    assert Curve((10, 40), (0.02, 0.005)).at(20) is None


def test_methods_that_pair_are_exact_when_nothing_changed_and_end_with_the_pool(shared):
    still = next(cases(["YELP"], shared))
    found = measure(still, 3, ["uniform", "oneshot", "paired"])
    assert max(*found.curves["paired"].errors, *found.curves["oneshot"].errors) < 1e-12
    assert found.curves["uniform"].budgets[-1] > 300
    swapped = list(cases(["YELP"], shared))[1]
    curve = measure(swapped, 3, ["paired"]).curves["paired"]
    assert curve.budgets[-1] == 300
    assert curve.errors[-1] == pytest.approx(0, abs=1e-12)


def test_the_whole_study_runs_small_and_says_what_it_found(shared, tmp_path, capsys):
    assert main(["--shared", str(shared), "--dataset", "PRIME", "--runs", "2", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    text = (tmp_path / "results.md").read_text()
    assert text.strip() == printed.out.strip()
    assert printed.err.count(" s\n") == 3
    for heading in ("Calls of MASA over", "Calls to a mean error", "Mean error after"):
        assert f"### {heading}" in text
    assert "nan" not in text
    assert [line.count("|") for line in text.splitlines() if line.startswith("| PRIME GPT-4")] == [
        len(METHODS) + 3, len(METHODS) + 2, len(METHODS) + 2,
    ]  # fmt: skip
    assert (tmp_path / "prime.svg").read_text().count("March → June 2023") >= 2


def test_a_folder_without_the_data_is_named_with_the_remedy(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--shared", str(tmp_path), "--dataset", "YELP"])
    assert "has no data/frugalml/YELP.csv.gz: name the folder that holds the data" in capsys.readouterr().err


def test_tables_leave_out_what_did_not_get_there():
    known = Baseline.of(old=["a", "b"] * 50, truth=["a"] * 100)
    case = Case("YELP", "Amazon → Amazon", "no change", Scenario.of(known, known.old, known.answers))
    measured = measure(case, 2, ["uniform", "masa"])
    object.__setattr__(measured, "curves", {"uniform": Curve((22,), (0.5,)), "masa": Curve((22, 44), (0.02, 0.005))})
    assert "> 22" in calls_table([measured])
    assert groups_table([measured]).splitlines()[-1] == "| no change (1) |  |"
    assert paper_table([measured]).splitlines()[-1] == "| masa | 0.006 |  |"


def test_silent_updates_within_the_error_stand_apart():
    """Of 1,000 items one changes, which moves the matrix by less than 1%, or a hundred, which moves it by more."""
    known = Baseline.of(old=["a", "b"] * 500, truth=["a", "b"] * 500)
    measured = []
    for changed, calls in ((1, 10), (100, 50)):
        new = np.array(known.old)
        new[:changed] = 1 - new[:changed]
        case = Case("YELP", f"{changed} changed", "silent update", Scenario.of(known, new, known.answers))
        curves = {"masa": Curve((100, 200), (0.02, 0.01)), "paired": Curve((calls, 2 * calls), (0.02, 0.01))}
        one = measure(case, 1, ["uniform"])
        object.__setattr__(one, "curves", curves)
        measured.append(one)
    assert groups_table(measured).splitlines()[2:] == [
        "| silent update (2) | 4.47 (2.00 to 10.00) |",
        "| silent update, shift above 1% (1) | 2.00 (2.00 to 2.00) |",
        "| silent update, shift within 1% (1) | 10.00 (10.00 to 10.00) |",
    ]
    assert "within" not in groups_table(measured[1:]), "where there is no such case there is no such row"


@needs_data
def test_the_line_of_the_paper_on_yelp():
    """Amazon against itself after 2,000 calls; 400 runs of two labels are good to about 3%, and 10% is allowed."""
    found = next(case for case in cases(["YELP"], shared_folder()) if case.name == "Amazon → Amazon")
    curves = measure(found, 400, ["uniform", "by-label", "masa", "masa-signed-2"]).curves
    errors = {method: curve.at(AT) for method, curve in curves.items()}
    assert errors["uniform"] == pytest.approx(0.0154, rel=0.1)
    assert errors["by-label"] == pytest.approx(0.0088, rel=0.1)
    assert errors["masa"] == pytest.approx(0.0073, rel=0.1)
    assert errors["masa-signed-2"] == pytest.approx(0.0062, rel=0.1)
