"""The command line in this process, in a folder of its own, with what it wrote on either stream."""

import sys
from dataclasses import dataclass

import pytest

from ringtrue.cli._main import run
from support import make_pool


@dataclass
class Said:
    code: int
    out: str
    err: str

    @property
    def line(self):
        """The one line of complaint; there must be exactly one, and nothing on the other stream."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert self.out == ""
        return lines[0]


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys, unlaid):
    """Run `ringtrue` with these arguments in the test's folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    # A module written anew in the same second would be taken for the one before it.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    modules = set(sys.modules)

    def call(*arguments):
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Said(code, captured.out, captured.err)

    yield call
    for name in set(sys.modules) - modules:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in sys.modules[name].__file__:
            del sys.modules[name]


@pytest.fixture
def loans(cli, tmp_path):
    """A study `loans` of forty items, four of them predicted wrongly, with a claim that holds."""
    make_pool(tmp_path / "pool.csv")
    made = cli("init", "loans", "--pool", "pool.csv", "--model", "predicted", "--claim", "error <= 20% at 95%")
    assert made.code == 0, made.err
    return tmp_path / "loans.ringtrue"
