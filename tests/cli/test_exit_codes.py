"""What goes wrong never looks like a verdict: no crash ends with 0 or 1, whoever caused it."""

import json
import os
import subprocess
import sys

import click
import pytest

from ringtrue.core import InvalidInput, JournalUnusable, PlanChanged, ResponderStopped


@pytest.fixture
def failing(monkeypatch):
    """Make the verb `status` do something else."""

    def install(action):
        @click.command("status")
        @click.option("--json", "as_json", is_flag=True)
        def command(as_json):
            return action()

        monkeypatch.setattr("ringtrue.cli._keeping.status", command)

    return install


def _raise(error):
    def action():
        raise error

    return action


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("a\nb"), MemoryError(), RecursionError(), KeyError("x"), AssertionError(), OSError(28, "full"),
        SystemExit(0), SystemExit(1), SystemExit(None), EOFError(), GeneratorExit(), StopIteration(),
    ],
    ids=repr,
)  # fmt: skip
def test_a_crash_is_two_and_one_line(cli, failing, error):
    failing(_raise(error))
    said = cli("status")
    assert said.code == 2
    assert said.line.startswith(f"ringtrue: unexpected {type(error).__name__}")
    assert "RINGTRUE_TRACEBACK=1" in said.line


@pytest.mark.parametrize("returned", [None, "1", 1.0])
def test_a_verb_that_returns_no_code_is_a_crash(cli, failing, returned):
    failing(lambda: returned)
    assert cli("status").code == 2


@pytest.mark.parametrize("code", [0, 1, 3])
def test_the_code_of_a_verb_is_the_exit_code(cli, failing, code):
    failing(lambda: code)
    assert cli("status").code == code


@pytest.mark.parametrize("kind", [InvalidInput, PlanChanged, ResponderStopped, JournalUnusable])
def test_a_refusal_is_two_and_its_own_words(cli, failing, kind):
    failing(_raise(kind("pool=3: give a file")))
    said = cli("status")
    assert (said.code, said.line) == (2, "ringtrue: pool=3: give a file")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()], ids=repr)
def test_an_interrupt_is_130_and_one_line(cli, failing, error):
    failing(_raise(error))
    said = cli("status")
    assert said.code == 130
    assert "kept" in said.line
    assert "run the same command again" in said.line


@pytest.mark.parametrize(
    ("error", "code"), [(InvalidInput("no"), 2), (RuntimeError("no"), 2), (KeyboardInterrupt(), 130)], ids=repr
)
def test_with_json_an_error_is_an_object_too(cli, failing, error, code):
    failing(_raise(error))
    said = cli("status", "--json")
    assert said.code == code
    assert json.loads(said.out) == {"error": said.err.strip(), "exit_code": code}


def test_the_traceback_is_there_for_whoever_asks(cli, failing, monkeypatch):
    monkeypatch.setenv("RINGTRUE_TRACEBACK", "1")
    failing(_raise(RuntimeError("deep")))
    assert "Traceback" in cli("status").err


def test_a_closed_pipe_is_no_verdict():
    """`ringtrue … | head -1` ends the reader first; 1 would say that the claim rings false."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-c", "from ringtrue.cli import main; main()", "plan", "error <= 5%"]
    ran = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert ran.returncode == 2
    assert ran.stderr.splitlines() == ["ringtrue: the output is no longer read: what was recorded is kept"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_lacks_a_letter_still_gets_the_answer(tmp_path, encoding):
    command = [sys.executable, "-c", "from ringtrue.cli import main; main()", "status", "études≤.ringtrue"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    ran = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment, check=False)
    assert ran.returncode == 2
    assert b"does not exist" in ran.stderr
    assert b"unexpected" not in ran.stderr
