"""Help is quick and leads on; a wrong word gets one line."""

import subprocess
import sys

import pytest

from ringtrue.cli._main import VERBS

HEAVY = ["numpy", "scipy", "duckdb", "sklearn", "matplotlib", "rich", "jinja2", "sqlite3", "narwhals", "psycopg"]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["frob"]])
def test_help_loads_nothing_heavy(arguments):
    """A person who asks what there is should not wait for what there is."""
    script = f"import sys; from ringtrue.cli._main import run; run({arguments!r}); print(*sys.modules, file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(ran.stderr.split())
    assert "ringtrue.cli._main" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_help_of_a_verb_loads_nothing_heavy_either():
    script = (
        f"import sys; from ringtrue.cli._main import run\nfor verb in {list(VERBS)}: run([verb, '--help'])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(ran.stderr.split()).isdisjoint(HEAVY)


def test_help_names_every_verb_and_every_exit_code(cli):
    said = cli("--help")
    assert said.code == 0
    for verb, text in VERBS.items():
        assert f"  {verb} " in said.out
        assert text.split()[0] in said.out
    assert all(
        f"{code} {meaning}" in said.out for code, meaning in [(0, "rings true"), (1, "rings false"), (2, "usage")]
    )


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_and_takes_json(cli, verb):
    said = cli(verb, "--help")
    assert said.code == 0
    assert said.out.startswith(f"Usage: ringtrue {verb}")
    assert "--json" in said.out


def test_no_arguments_show_the_help_and_are_a_usage_error(cli):
    said = cli()
    assert said.code == 2
    assert "Commands:" in said.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["frob"],
            [
                "no verb 'frob'",
                "demo, doctor, init, plan, risk, changed, worst, blind, judges, vote, desk, status, report, check",
            ],
        ),
        (["pln"], ["did you mean 'plan'?"]),
        (["plan"], ["ringtrue plan:", "CLAIM is missing", "`ringtrue plan --help`"]),
        (["risk", "loans"], ["is not there yet", "--pool FILE"]),
        (["init", "x", "--pool", "p.csv"], ["is not there yet", "--model M"]),
        (["init", "x", "--pool", "p.csv", "--model", "m", "--budget", "-1"], ["'--budget'", "-1", "x>=0"]),
        (["init", "x", "--pool", "p.csv", "--model", "m", "--batch", "0"], ["'--batch'", "0", "x>=1"]),
        (["risk", "loans", "--oracle", "t", "--workers", "0"], ["'--workers'", "x>=1"]),
        (["status", "a", "b"], ["unexpected extra argument"]),
        (["status", "a", "--frob"], ["'--frob'"]),
        (["plan", "error <= 5%", "--size", "many"], ["'--size'", "'many'"]),
        (["report"], ["STUDY", "--verify FILE.json"]),
        (["report", "a", "--verify", "b.json", "--out", "c"], ["leave the other arguments out"]),
        (["report", "--verify", "b.json", "--claim", "error <= 5%"], ["leave the other arguments out"]),
    ],
)
def test_wrong_words_get_one_line_with_the_way_out(cli, arguments, words):
    said = cli(*arguments)
    assert said.code == 2
    assert all(word in said.line for word in words), said.line
