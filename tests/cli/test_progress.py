"""Progress: plain lines that grow ever rarer off a terminal, one line that is redrawn on one."""

import io

import pytest

from ringtrue.cli._terminal import Progress
from support import CountingOracle, make_study


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def run_with_progress(study, monkeypatch, stream):
    monkeypatch.setattr("sys.stderr", stream)
    with Progress(None) as progress:
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
