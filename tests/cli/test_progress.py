"""Progress: plain lines that grow ever rarer off a terminal, one line that is redrawn on one."""

import io

import pytest

from ringtrue.cli._progress import Preparing, Progress, Steps
from ringtrue.study import Budget, Study
from ringtrue.worst import Real, SearchSpace, Worst
from support import CountingOracle, make_study


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def run_with_progress(study, monkeypatch, stream):
    monkeypatch.setattr("sys.stderr", stream)
    with Progress(None, clock=lambda: 0.0) as progress:
        study.run(CountingOracle(), progress=progress)
    return stream.getvalue()


def test_plain_lines_are_few_and_tell_where_it_stands(tmp_path, monkeypatch):
    with make_study(tmp_path, size=400, failing=0, claim="error <= 2% at 95%", budget=300) as study:
        lines = run_with_progress(study, monkeypatch, io.StringIO()).splitlines()
        answered = study.status().answered
    assert answered > 100
    assert 5 <= len(lines) <= 15
    assert "0 failures in 1 answer," in lines[0]
    assert lines[0].startswith("298 left; "), "one is answered and the next is out"
    assert not any("\x1b" in line for line in lines)


def test_a_terminal_gets_one_line_that_fits(tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    with make_study(tmp_path) as study:
        text = run_with_progress(study, monkeypatch, Terminal())
    assert "\x1b[" in text
    assert "failure" in text
    assert "…" in text
    assert "\x1b[1A" not in text.split("\x1b[?25h")[0], "the cursor need not go up: it is one line"


@pytest.mark.parametrize("term", ["dumb", "unknown"])
def test_a_terminal_that_cannot_redraw_gets_plain_lines(tmp_path, monkeypatch, term):
    monkeypatch.setenv("TERM", term)
    with make_study(tmp_path) as study:
        text = run_with_progress(study, monkeypatch, Terminal())
    assert "\x1b" not in text
    assert text.count("\n") > 2


def test_there_may_be_no_standard_error_at_all(tmp_path, monkeypatch):
    with make_study(tmp_path) as study:
        monkeypatch.setattr("sys.stderr", None)
        with Progress(None) as progress:
            study.run(CountingOracle(), progress=progress)
        assert study.status().answered > 0


class Hours:
    """A clock that only tests move."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def searched(tmp_path, monkeypatch, *, seconds, each=False, claim=None, planned=8):
    """The lines of a search in which each evaluation takes so long by the clock."""
    clock, stream = Hours(), io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)

    def slow(values):
        clock.now += seconds
        return None if values["x"] > 0.9 else values["x"]

    question = Worst(SearchSpace([Real("x", 0, 1)]), evaluations=8, rule="sobol", deviation="given", claim=claim)
    with (
        Study.create(tmp_path / "s", question=question, budget=8) as study,
        Progress(question.claim, planned=planned, each=each, clock=clock) as progress,
    ):
        study.run(slow, progress=progress)
    return stream.getvalue().splitlines()


def test_a_search_says_how_far_it_is_and_how_long_it_still_takes(tmp_path, monkeypatch):
    lines = searched(tmp_path, monkeypatch, seconds=600)
    assert len(lines) == 4
    starts = [line.partition("; largest deviation")[0] for line in lines]
    assert starts[:3] == [
        "1 of 8 evaluations, about 70 min left",
        "2 of 8 evaluations, about 60 min left",
        "4 of 8 evaluations, about 40 min left",
    ]
    assert lines[0].endswith("(1 evaluation)")


def test_each_answer_of_a_person_is_followed_by_where_it_stands(tmp_path, monkeypatch):
    lines = searched(tmp_path, monkeypatch, seconds=60, each=True)
    assert len(lines) >= 8
    assert lines[1].startswith("2 of 8 evaluations, about 6 min left; largest deviation ")
    assert lines[-1].startswith("8 of 8 evaluations; largest deviation ")


def test_a_claim_may_be_decided_earlier(tmp_path, monkeypatch):
    lines = searched(tmp_path, monkeypatch, seconds=7200, claim="deviation <= 2")
    assert lines[0].startswith("1 of 8 evaluations, at most about 14 h left; deviation <= 2.0 at 95% is not yet known")


def test_less_than_a_minute_is_not_told(tmp_path, monkeypatch):
    assert searched(tmp_path, monkeypatch, seconds=1)[0].startswith("1 of 8 evaluations; largest deviation ")


def test_without_a_plan_what_the_budget_leaves_is_told(tmp_path, monkeypatch):
    lines = searched(tmp_path, monkeypatch, seconds=600, planned=None)
    assert lines[0].startswith("6 left, about 70 min; largest deviation ")


def test_what_was_spent_is_told_where_answers_cost(tmp_path, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    for budget in (Budget(labels=8), Budget(labels=8, money=3), Budget(money=2)):
        (tmp_path / str(budget)).mkdir()
        with (
            make_study(tmp_path / str(budget), claim=None, budget=budget, price="0.25") as study,
            Progress(None, clock=lambda: 0.0) as progress,
        ):
            study.run(CountingOracle(), progress=progress)
    starts = [line.partition("; ")[0] for line in stream.getvalue().splitlines()]
    assert starts[:4] == ["6 left, 0.25 spent", "5 left, 0.50 spent", "3 left, 1.00 spent", "0 left, 2.00 spent"]
    assert starts[4] == "6 left, 0.25 of 3 spent"
    assert starts[8:] == ["0.25 of 2 spent", "0.50 of 2 spent", "1.00 of 2 spent", "2.00 of 2 spent"]


def test_a_rate_is_told_once_it_says_something_and_counts_this_run_alone(capsys):
    moments = iter([0.0, 0.0, 0.5, 0.9, 100.0, 100.0, 220.0])
    with Preparing(lambda: next(moments)) as told:
        told("reading the pool", 4_000, 10_000, "row")
        told("reading the pool", 5_000, 10_000, "row", {"a": 1_000})
        told("reading the pool", 10_000, 10_000, "row", {"a": 6_000})
        told("drawing", 0, 3)
        told("drawing", 1, 3)
    assert capsys.readouterr().err.splitlines() == [
        "reading the pool: 4,000 of 10,000 rows",
        "reading the pool: 10,000 of 10,000 rows",
        "drawing: 1 of 3 parts, about 4 min left",
    ]


def test_a_step_of_a_long_command_is_told_where_no_line_moves_once_it_has_taken_long(capsys):
    moments = iter([0.0, 1.0, 10.0])
    with Steps("reading", lambda: next(moments)) as steps:
        steps("reading the study")
        steps("writing the report")
    assert capsys.readouterr().err == "writing the report\n"


def test_a_step_is_shown_at_once_on_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    with Steps("reading") as steps:
        steps("writing the report")
    assert "writing the report" in stream.getvalue()
