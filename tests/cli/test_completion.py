"""The shell's questions when a user presses Tab: answered in click's own words, and without loading anything heavy."""

import os
import subprocess
import sys

import pytest

from support import PATIENCE

HEAVY = ("duckdb", "httpx", "matplotlib", "numpy", "pandas", "scipy", "sklearn", "sqlite3")
# What a shell runs, and then one line about what was loaded for it.
ASK = f"""
import atexit, sys
atexit.register(lambda: print("loaded:", *(name for name in {HEAVY} if name in sys.modules)))
from ringtrue.cli import main
main()
"""


def complete(*words):
    """Return what bash is told that may follow, and what was loaded to say so."""
    place = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    asked = {**os.environ, **place, "_RINGTRUE_COMPLETE": "bash_complete"}
    done = subprocess.run([sys.executable, "-c", ASK], env=asked, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
    *told, loaded = done.stdout.splitlines()
    return told, loaded.removeprefix("loaded:").split()


def test_a_verb_is_completed():
    assert complete("ringtrue", "ri") == (["plain,risk"], [])


def test_every_verb_is_offered():
    told, loaded = complete("ringtrue", "")
    assert {"plain,risk", "plain,worst", "plain,changed", "plain,blind", "plain,judges"} <= set(told)
    assert loaded == []


def test_an_option_is_completed():
    assert complete("ringtrue", "risk", "--ora") == (["plain,--oracle", "plain,--oracle-command"], [])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_the_shell(shell):
    asked = {**os.environ, "_RINGTRUE_COMPLETE": f"{shell}_source"}
    command = [sys.executable, "-c", "from ringtrue.cli import main; main()"]
    done = subprocess.run(command, env=asked, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0
    assert f"_RINGTRUE_COMPLETE={shell}_complete" in done.stdout
