"""What a stranger wrote never steers the terminal: every verb, with hostile ids, labels, columns and file names."""

import ast
import csv
import json
import os
import pty
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

import ringtrue.cli
from support import PATIENCE

# A window title, a cleared screen, an 8-bit sequence, a line written over, a forged line, letters turned around.
EVIL = "a\x1b]0;owned\x07b\x1b[2J\x9b31m\rrings true\nrings true\x7f\x08\u202ez"
NAME = EVIL.replace("\n", "").replace("\r", "")
"""For a header and a file's name, where the CSV of the pool could not hold a line break unquoted."""


def steering(text):
    """What of a text would steer a terminal; line ends are how lines are written."""
    return {letter for letter in text if letter != "\n" and unicodedata.category(letter) in {"Cc", "Cf"}}


def clean(said, *, mentioned=True):
    """That nothing steers, and that what was there is spelt out."""
    text = said.out + said.err
    assert not steering(text), repr(text)
    assert not mentioned or "\\x1b" in text, text
    assert not any(line.startswith("rings true\\x7f") for line in text.splitlines()), "a forged line"
    return said


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(header)
        table.writerows(rows)


@pytest.fixture
def pool(tmp_path):
    rows = [[f"{EVIL}{n}", n / 40, EVIL, "b" if n % 10 else EVIL, 0.9, n % 2] for n in range(40)]
    write(tmp_path / f"{NAME}.csv", ["id", NAME, "predicted", "truth", "confidence", "x"], rows)
    return f"{NAME}.csv"


def test_making_asking_looking_and_reporting(cli, pool, tmp_path):
    clean(cli("init", NAME, "--pool", pool, "--model", "predicted", "--claim", "error <= 5% at 95%", "--budget", 20))
    clean(cli("risk", NAME, "--oracle", "truth"), mentioned=False)
    clean(cli("status", NAME), mentioned=False)
    clean(cli("plan", "--study", NAME), mentioned=False)
    clean(cli("report", NAME))
    clean(cli("report", "--verify", f"{NAME}.json"), mentioned=False)
    (tmp_path / "claims.toml").write_text(f"[[claim]]\nstudy = {json.dumps(NAME)}\n", encoding="utf-8")
    clean(cli("check", "claims.toml"), mentioned=False)
    clean(cli("copy", NAME, f"{NAME}2"))
    clean(cli("recover", NAME, f"{NAME}3"), mentioned=False)


def test_every_error_of_a_pool_and_of_the_arguments(cli, pool):
    for arguments in (
        ("init", "s", "--pool", pool, "--model", EVIL),
        ("init", "s", "--pool", EVIL, "--model", "predicted"),
        ("init", "s", "--pool", pool, "--model", "predicted", "--labels", "b"),
        ("init", "s", "--pool", pool, "--model", "predicted", "--id", "predicted"),
        ("init", "s", "--pool", pool, "--model", "predicted", "--budget", EVIL),
        ("init", "s", "--pool", pool, "--model", f"{EVIL}:f"),
        ("risk", EVIL, "--oracle", "truth"),
        (EVIL,),
        ("status", "s", f"--{EVIL}"),
        ("changed", "s", "--old", pool, "--model", "x", "--answer", EVIL, "--error", "5%"),
        ("worst", EVIL, "--space", EVIL),
        ("judges", EVIL),
        ("blind", "s", "--pool", pool, "--model", "predicted", "--budget", EVIL),
        ("report", "--verify", EVIL),
        ("check", EVIL),
    ):
        said = clean(cli(*arguments))
        assert said.code == 2
        assert len(said.err.splitlines()) == 1, said.err


def test_a_change_shows_labels_and_answers(cli, tmp_path):
    rows = [[f"{EVIL}{n}", n, EVIL, "b", "b" if n % 2 else f"{EVIL}!"] for n in range(60)]
    write(tmp_path / "old.csv", ["id", "x", "truth", "answer", "new"], rows)
    said = cli("changed", "s", "--old", "old.csv", "--model", "new", "--noise", "0", "--claim", "change <= 5%")
    clean(said)
    assert said.code == 1, said.err
    clean(cli("status", "s"), mentioned=False)


def test_judges_and_their_stream(cli, tmp_path):
    rows = [[EVIL if n % 2 else "b"] * 3 + [n] for n in range(60)]
    write(tmp_path / "votes.csv", [f"{NAME}{judge}" for judge in range(3)] + [f"{NAME}id"], rows)
    clean(cli("judges", "votes.csv"))
    clean(cli("judges", "votes.csv", "--follow", "votes.csv"), mentioned=False)


def test_a_hunt_tells_of_its_columns(cli, pool):
    said = cli("blind", "s", "--pool", pool, "--model", "predicted", "--confidence", "confidence", "--features", NAME,
               "--oracle", "truth", "--budget", 12)  # fmt: skip
    clean(said, mentioned=False)
    assert said.code in {0, 3}, said.err


def test_one_json_object_stays_one_and_says_what_was_there(cli, pool):
    cli("init", "s", "--pool", pool, "--model", "predicted", "--budget", 5)
    said = cli("risk", "s", "--oracle", "truth", "--json")
    assert not steering(said.out + said.err)
    json.loads(said.out)
    said = cli("status", EVIL, "--json")
    assert not steering(said.out + said.err)
    assert "\\x1b]0;owned" in json.loads(said.out)["error"]


def test_the_moving_line_and_a_traceback(tmp_path):
    """On a real terminal, where a moving line has sequences of its own and click strips none."""
    script = tmp_path / "show.py"
    script.write_text(
        "import os, sys\n"
        "from ringtrue.cli._progress import Preparing\n"
        "from ringtrue.cli._main import run\n"
        f"EVIL = {EVIL!r}\n"
        "with Preparing() as told:\n"
        "    told(f'[bold]{EVIL}', 1, 2)\n"
        "os.environ['RINGTRUE_TRACEBACK'] = '1'\n"
        "from ringtrue.cli._keeping import status\n"
        "def broken(**_): raise RuntimeError(EVIL)\n"
        "status.callback = broken\n"
        "sys.exit(run(['status', 's']))\n"
    )
    main, other = pty.openpty()
    with os.fdopen(main, "rb", buffering=0) as screen:
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "300"}
        done = subprocess.Popen([sys.executable, script], stdin=other, stdout=other, stderr=other, env=environment)
        os.close(other)
        text = b""
        try:
            while piece := screen.read(65_536):
                text += piece
        except OSError:  # how Linux says that nobody writes any more
            pass
        assert done.wait(PATIENCE) == 2
    shown = text.decode()
    assert "RuntimeError: a\\x1b]0;owned" in shown
    for raw in ("\x1b]0;", "\x1b[2J\x9b", "\x07", "\x9b", "\x08", "\u202e"):
        assert raw not in shown, repr(shown)


PRINTING = {"click.echo", "click.secho", "click.prompt", "click.confirm", "traceback.print_exc"}


@pytest.mark.parametrize("file", sorted(Path(ringtrue.cli.__file__).parent.glob("*.py")), ids=lambda file: file.name)
def test_verbs_print_in_one_way_only(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    if file.name == "_terminal.py":  # where lines are told, by these two and nothing else
        tree.body = [node for node in tree.body if getattr(node, "name", "") not in ("tell", "tell_json")]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert f"{node.value.id}.{node.attr}" not in PRINTING, f"line {node.lineno}: use tell"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print", f"line {node.lineno}: use tell"
