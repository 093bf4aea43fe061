"""The runner: it goes on where it was stopped, mixes no codes, and its pages say what was run and what was not."""

import dataclasses
import json

import numpy as np
import pytest

from ringtrue.stats import clopper_pearson, hypergeometric
from ringtrue.testing.coverage import CASES, Case, Count, Row, counted, main
from ringtrue.testing.coverage import _page as figures
from ringtrue.testing.coverage import _run as runner
from ringtrue.testing.coverage import _store as store
from ringtrue.testing.coverage._store import Chunk, fingerprint

RATE = Row("risk", "failure rate", "watched")
WIDTH = Row("risk", "mean width", "mean")
SHIFT = Row("changed", "shift", "fixed")


class Simulated:
    """A simulation that counts what it is asked for, and is stopped at a study."""

    def __init__(self, stopped_at=None):
        self.asked, self.stopped_at = [], stopped_at

    def __call__(self, numbers, seed):
        if self.stopped_at is not None and self.stopped_at in numbers:
            raise KeyboardInterrupt
        self.asked.append((numbers.start, numbers.stop))
        held = np.array([[True, number % 20 > 0] for number in numbers])
        return {"interval": held, "width": held * 0.5}


@pytest.fixture
def simulated(monkeypatch):
    one, other = Simulated(), Simulated()
    looks = ("10", "100")
    cases = (
        Case("even draws", {"interval": RATE, "width": WIDTH}, one, 7, looks, repetitions=100, chunk=30, seconds=0.5),
        Case("two labels", {"interval": SHIFT}, other, 8, looks, repetitions=40, chunk=30, seconds=0.25),
    )
    monkeypatch.setattr(runner, "CASES", cases)
    return one, other, cases


@pytest.fixture
def run(tmp_path):
    def go(*arguments):
        return main([*arguments, "--results", str(tmp_path / "results"), "--out", str(tmp_path)])

    return go


def test_all_is_simulated_in_chunks_and_not_again(simulated, run, tmp_path, capsys):
    one, other, _ = simulated
    assert run() == 0
    assert one.asked == [(0, 30), (30, 60), (60, 90), (90, 100)]
    assert other.asked == [(0, 30), (30, 40)]
    told = capsys.readouterr().out.splitlines()
    assert [line.split(", ")[0] for line in told] == [
        "[1/2] risk: even draws: 100 studies",
        "[2/2] changed: two labels: 40 studies",
    ]
    before = {name: (tmp_path / name).read_text() for name in ("coverage.md", "coverage-details.md", "coverage.jsonl")}
    assert run() == 0
    assert len(one.asked) == 4
    assert capsys.readouterr().out == ""
    assert before == {name: (tmp_path / name).read_text() for name in before}


def test_a_run_that_is_stopped_goes_on(simulated, run, tmp_path, capsys):
    one, other, _ = simulated
    one.stopped_at = 70
    assert run() == 130
    assert "the same command goes on from there" in capsys.readouterr().out
    assert one.asked == [(0, 30), (30, 60)]
    assert not (tmp_path / "coverage.md").exists()
    one.stopped_at = None
    assert run() == 0
    assert one.asked == [(0, 30), (30, 60), (60, 90), (90, 100)]
    assert len(other.asked) == 2
    page = (tmp_path / "coverage.md").read_text()
    assert "| failure rate | 95% at every look | 95.0 ± 2.2 | 2 × 100 | even draws, up to 100 answers | run |" in page
    assert "| shift | 95% at one look | 95.0 ± 3.4 | 2 × 40 | two labels, 100 answers | run |" in page
    assert "mean width" not in page
    assert "| even draws | width: mean width ‡ | 100 | 50.0 | 47.5 |" in (tmp_path / "coverage-details.md").read_text()


def test_a_line_that_was_cut_short_is_simulated_again(simulated, run, tmp_path):
    one, _, _ = simulated
    run("--only", "risk")
    kept = tmp_path / "results" / "chunks.jsonl"
    kept.write_text(kept.read_text()[:-40])
    run("--only", "risk")
    assert one.asked[4:] == [(90, 100)]
    assert kept.read_text().endswith("}\n")
    run("--only", "risk")
    assert len(one.asked) == 5


def test_results_of_other_code_of_another_seed_or_of_another_version_are_left_aside(simulated, run, monkeypatch):
    one, other, cases = simulated
    run()
    asked = len(one.asked), len(other.asked)
    monkeypatch.setattr(runner, "fingerprint", lambda question: "new" if question == "risk" else fingerprint(question))
    monkeypatch.setattr(figures, "fingerprint", runner.fingerprint)
    run()
    assert (len(one.asked), len(other.asked)) == (asked[0] + 4, asked[1])
    again = Case("two labels", cases[1].rows, other, 8, cases[1].looks, 40, 30, version="2")
    monkeypatch.setattr(runner, "CASES", (cases[0], again))
    run()
    assert (len(one.asked), len(other.asked)) == (asked[0] + 4, asked[1] + 2)


def test_a_part_a_few_and_none(simulated, run, tmp_path):
    one, other, _ = simulated
    assert run("--only", "CHANGED", "--repetitions", "10") == 0
    assert (one.asked, other.asked) == ([], [(0, 10)])
    page = (tmp_path / "coverage.md").read_text()
    assert "| failure rate | 95% at every look | – | – | – | not run yet |" in page
    assert "| 2 × 10 |" in page
    assert run("--repetitions", "0") == 0
    assert (one.asked, other.asked) == ([], [(0, 10)])
    run("--only", "changed: two*")
    assert other.asked == [(0, 10), (10, 40)]


def test_what_names_no_case_is_refused(simulated, run, capsys):
    with pytest.raises(SystemExit):
        run("--only", "nothing of the kind")
    assert "names no case: see --list" in capsys.readouterr().err


def test_the_list_tells_what_is_left_to_do(simulated, run, capsys):
    run("--only", "risk", "--repetitions", "60")
    capsys.readouterr()
    assert run("--list") == 0
    assert [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()] == [
        "20 s 60 of 100 risk: even draws",
        "10 s 0 of 40 changed: two labels",
        "0.0 hours of processor time for 2 cases",
    ]


def test_a_wrong_way_has_a_table_of_its_own(monkeypatch, run, tmp_path):
    wrong = Row("logs", "a wrong way", "below")
    monkeypatch.setattr(
        runner, "CASES", (Case("here", {"it": wrong}, lambda numbers, _: {"it": np.zeros((len(numbers), 1))}, 7),)
    )
    assert run("--repetitions", "10") == 0
    page = (tmp_path / "coverage.md").read_text()
    table = page.partition("## What goes wrong: do not do it this way\n")[2].partition("\n## ")[0]
    assert "| a wrong way | stays below 95% | 0.0 ± 6.9 | 10 | here | run |" in table
    assert page.count("| a wrong way |") == 1
    assert "| here | it: a wrong way ✗ | 10 | **0.0** |" in (tmp_path / "coverage-details.md").read_text()


def test_the_code_of_a_log_is_also_that_of_its_question():
    assert store.ALSO == {"logs": ("risk",)}
    assert len({fingerprint(one) for one in ("logs", "risk", "stats")}) == 3


def carried(case, *, label="interval", code="", repetitions=200, held=190.0):
    count = Count(repetitions, 1, np.full(2, held), None)
    return Chunk(case.name, case.seed, case.version, code, 0, repetitions, 0.0, {label: count})


def test_figures_are_carried_over_and_said_to_be(simulated, run, tmp_path):
    _, _, cases = simulated
    record = tmp_path / "coverage.jsonl"
    store.write(record, [carried(cases[0]), carried(cases[1], code="older")])
    run("--repetitions", "0")
    page = (tmp_path / "coverage.md").read_text()
    assert "| 2 × 200 | even draws, up to 10 answers | carried over |" in page
    assert "| 2 × 200 | two labels, 10 answers | earlier code |" in page
    run("--repetitions", "0")
    assert len(record.read_text().splitlines()) == 2, "they stay in the record"


def test_the_figure_with_most_studies_is_shown_and_a_run_if_there_are_as_many(simulated, run, tmp_path):
    _, _, cases = simulated
    record = tmp_path / "coverage.jsonl"
    store.write(record, [carried(cases[0]), carried(cases[1], repetitions=40, held=40.0)])
    run()
    page, details = (tmp_path / "coverage.md").read_text(), (tmp_path / "coverage-details.md").read_text()
    assert "| 2 × 200 | even draws, up to 10 answers | carried over |" in page
    assert "| 2 × 40 | two labels, 100 answers | run |" in page
    assert "| even draws | width: mean width ‡ | 100 |" in details
    kept = [json.loads(line) for line in record.read_text().splitlines()]
    assert [(one["case"], sorted(one["counts"]), bool(one["code"])) for one in kept] == [
        ("risk: even draws", ["interval"], False),
        ("risk: even draws", ["width"], True),
        ("changed: two labels", ["interval"], True),
    ]


def test_figures_of_another_definition_are_not_carried(simulated, run, tmp_path):
    _, _, cases = simulated
    other = Case("even draws", cases[0].rows, cases[0].simulate, 9, cases[0].looks)
    store.write(tmp_path / "coverage.jsonl", [carried(other)])
    run("--repetitions", "0")
    assert "| failure rate | 95% at every look | – | – | – | not run yet |" in (tmp_path / "coverage.md").read_text()


@pytest.fixture
def tidied(simulated, run, monkeypatch, capsys):
    """The cases, all simulated by code that has changed since."""
    run()
    for module in (runner, figures):
        monkeypatch.setattr(module, "fingerprint", lambda question: f"new {question}")
    capsys.readouterr()
    return simulated


def how_made(folder):
    """Return the last column of the page by row."""
    cells = [line.strip("| ").split(" | ") for line in (folder / "coverage.md").read_text().splitlines()]
    return {line[0]: line[-1] for line in cells if line[0] in (RATE.name, SHIFT.name)}


def test_code_that_makes_the_same_of_the_first_studies_is_confirmed(tidied, run, tmp_path, capsys):
    one, other, _ = tidied
    assert run("--repetitions", "0") == 0
    assert set(how_made(tmp_path).values()) == {"earlier code"}
    before = len(one.asked), len(other.asked)
    assert run("--confirm") == 0
    assert capsys.readouterr().out.splitlines() == [
        "risk: even draws: 5 studies as before",
        "changed: two labels: 5 studies as before",
    ]
    assert (one.asked[before[0] :], other.asked[before[1] :]) == ([(0, 5)], [(0, 5)])
    assert how_made(tmp_path) == {"failure rate": "confirmed", "shift": "confirmed"}
    assert "| 100 (confirmed) |" in (tmp_path / "coverage-details.md").read_text()
    assert run("--repetitions", "0") == 0
    assert set(how_made(tmp_path).values()) == {"confirmed"}, "it stays so until the code changes again"


@pytest.mark.parametrize("label", ["interval", "width"])
def test_a_changed_estimator_is_not_confirmed(tidied, run, tmp_path, capsys, monkeypatch, label):
    """One of the first studies fails, or a mean moves by a thousandth: either is other code in more than words."""
    one, _, cases = tidied

    def otherwise(numbers, seed):
        held = {name: each * 1.0 for name, each in one(numbers, seed).items()}
        held[label][2] *= 0.999 if label == "width" else 0.0
        return held

    edited = Case("even draws", cases[0].rows, otherwise, 7, cases[0].looks, 100, 30, 0.5)
    monkeypatch.setattr(runner, "CASES", (edited, cases[1]))
    run("--confirm")
    assert "risk: even draws: 5 studies NOT as before" in capsys.readouterr().out
    assert how_made(tmp_path) == {"failure rate": "earlier code", "shift": "confirmed"}


def test_an_interval_that_became_narrower_is_not_confirmed():
    def narrower(*counts, level, **options):
        return clopper_pearson(*counts, level=level - 0.01, **options)

    case, edited = (counted(one, "fixed", rate=0.05, sizes=[50, 100]) for one in (clopper_pearson, narrower))
    first = case.count(range(case.first))
    chunk = Chunk(case.name, case.seed, case.version, "older", 0, case.first, 0.0, first, first)
    assert runner.confirmed(case, chunk).confirmed == fingerprint("stats")
    assert runner.confirmed(dataclasses.replace(case, simulate=edited.simulate), chunk).confirmed == ""


def test_what_is_confirmed_for_one_code_is_not_for_the_next(tidied, run, tmp_path, monkeypatch):
    run("--confirm", "--only", "risk")
    assert how_made(tmp_path) == {"failure rate": "confirmed", "shift": "earlier code"}
    for module in (runner, figures):
        monkeypatch.setattr(module, "fingerprint", lambda question: f"newest {question}")
    run("--repetitions", "0")
    assert set(how_made(tmp_path).values()) == {"earlier code"}


def test_results_whose_first_studies_were_not_kept_are_read_and_cannot_be_confirmed(tidied, run, tmp_path, capsys):
    one, other, cases = tidied
    (tmp_path / "results" / "chunks.jsonl").unlink()
    store.write(tmp_path / "coverage.jsonl", [carried(cases[0], code="older"), carried(cases[1], code="new changed")])
    before = len(one.asked), len(other.asked)
    run("--confirm")
    assert capsys.readouterr().out.splitlines() == [
        "risk: even draws: cannot be confirmed, because its first studies were not kept by themselves"
    ]
    assert how_made(tmp_path) == {"failure rate": "earlier code", "shift": "run"}
    assert (len(one.asked), other.asked[before[1] :]) == (before[0], [(0, 5)]), "present code can still tell its own"
    kept = {chunk.case: chunk for chunk in store.read(tmp_path / "coverage.jsonl")}
    assert kept[cases[0].name].first is None
    assert kept[cases[1].name].first["interval"].repetitions == 5


def test_a_broken_promise_is_told_and_is_a_failure(simulated, run, tmp_path, capsys, monkeypatch):
    _, _, cases = simulated
    bad = Case("even draws", {"interval": RATE}, lambda n, seed: {"interval": np.zeros((len(n), 1))}, 7, ("10",), 100)
    monkeypatch.setattr(runner, "CASES", (bad, cases[1]))
    assert run() == 1
    line = "risk, failure rate: holds in 0%, where at least 88.5% is needed (even draws, interval, 10)"
    assert f"BROKEN: {line}" in capsys.readouterr().out
    page = (tmp_path / "coverage.md").read_text()
    assert f"- {line}" in page
    assert "Every promise is kept" not in page


def test_without_a_folder_the_page_is_printed(simulated, tmp_path, capsys):
    assert main(["--results", str(tmp_path), "--repetitions", "0"]) == 0
    assert capsys.readouterr().out.startswith("# Coverage")


def test_the_code_is_known_by_what_it_does(tmp_path, monkeypatch):
    """Words and lines may change; a number may not. Another question's code does not matter."""
    for package in ("core", "stats", "risk", "changed"):
        (tmp_path / package).mkdir()
    (tmp_path / "risk" / "it.py").write_text('"""Words."""\n\n\ndef it():\n    """Return one."""\n    return 1\n')
    monkeypatch.setattr(store, "PACKAGE", tmp_path)

    def now():
        fingerprint.cache_clear()
        return fingerprint("risk"), fingerprint("changed")

    before = now()
    (tmp_path / "risk" / "it.py").write_text('"""Other."""\ndef it():  # a comment\n    return (\n        1\n    )\n')
    assert now() == before
    (tmp_path / "risk" / "it.py").write_text("def it():\n    return 2\n")
    assert now()[0] != before[0]
    assert now()[1] == before[1]
    (tmp_path / "stats" / "more.py").write_text("HALF = 0.5\n")
    assert now()[1] != before[1]
    fingerprint.cache_clear()


def test_code_that_changes_during_a_run_is_not_taken_for_what_was_simulated(simulated, tmp_path, monkeypatch):
    """A process simulates what it has loaded, whatever becomes of the files."""
    one, _, cases = simulated
    package = tmp_path / "package"
    for name in ("core", "stats", "risk", "changed"):
        (package / name).mkdir(parents=True)
    monkeypatch.setattr(store, "PACKAGE", package)

    def edits(numbers, seed):
        (package / "changed" / "it.py").write_text("HALF = 0.5\n")
        return one(numbers, seed)

    first = Case("even draws", cases[0].rows, edits, 7, cases[0].looks, repetitions=10)
    monkeypatch.setattr(runner, "CASES", (first, cases[1]))
    fingerprint.cache_clear()
    before = fingerprint("changed")
    fingerprint.cache_clear()
    main(["--results", str(tmp_path / "results"), "--out", str(tmp_path)])
    codes = {chunk.code for chunk in store.read(tmp_path / "results" / runner.CHUNKS) if "two labels" in chunk.case}
    fingerprint.cache_clear()
    assert codes == {before}
    assert fingerprint("changed") != before
    fingerprint.cache_clear()


def test_a_study_comes_out_the_same_whichever_others_are_asked_for():
    """What resuming rests on, for a case of each question that is quick."""
    quick = [
        "risk: even draws after picks, some untold, 5% fail",
        "changed: stopped at 0.02, 2 labels, 0% changed",
        "worst: a deviation at the limit everywhere, noise 0.1",
        "judges: strata with 20% and 70% of the first label",
        "stats: average_chance_sequence, 50% fail",
    ]
    cases = {case.name: case for case in CASES}
    for name in quick:
        whole, first, rest = (cases[name].count(numbers) for numbers in (range(2), range(1), range(1, 2)))
        for label, count in whole.items():
            np.testing.assert_allclose((first[label] + rest[label]).total, count.total, err_msg=name)


@pytest.mark.parametrize("population", [None, 200])
def test_studies_that_share_a_generator_come_out_the_same_too(population):
    interval = clopper_pearson if population is None else hypergeometric
    case = counted(interval, "fixed", rate=0.05, population=population, sizes=[20, 50])
    whole, *parts = (case.count(range(*ends)) for ends in ((0, 2500), (0, 10), (10, 1300), (1300, 2500)))
    for label, count in whole.items():
        np.testing.assert_array_equal(sum((part[label].total for part in parts), np.zeros(2)), count.total)


def test_no_two_cases_have_one_name():
    assert len({case.name for case in CASES}) == len(CASES)
