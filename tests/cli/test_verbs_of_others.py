"""Verbs of other packages: offered without being imported, and none can harm or replace another."""

import sys

import click
import pytest

from ringtrue.cli._main import ringtrue

GREETS = """
import click
print("imported")

@click.command("greet")
@click.option("--json", "as_json", is_flag=True)
def command(as_json):
    click.echo("hello")
    return 3
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a package that offers verbs: write what pip would have written."""
    monkeypatch.syspath_prepend(tmp_path)

    def call(package, code, *, summary="Says hello.", **verbs):
        module = package.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(code)
        about = tmp_path / f"{module}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\nSummary: {summary}\n")
        points = "\n".join(f"{verb} = {module}:{name}" for verb, name in verbs.items())
        (about / "entry_points.txt").write_text(f"[ringtrue.verbs]\n{points}\n")

    return call


def test_help_tells_of_it_and_does_not_import_it(cli, install):
    install("some-greeting", GREETS, greet="command")
    said = cli("--help")
    assert "greet  Says hello. (some-greeting)" in said.out
    assert "some_greeting" not in sys.modules
    assert "imported" not in said.out


def test_it_runs_and_its_exit_code_counts(cli, install):
    install("some-greeting", GREETS, greet="command")
    said = cli("greet")
    assert (said.code, said.out) == (3, "imported\nhello\n")


def test_its_help_and_its_usage_errors_are_like_ours(cli, install):
    install("some-greeting", GREETS, greet="command")
    assert "Usage: ringtrue greet" in cli("greet", "--help").out
    assert "ringtrue greet:" in cli("greet", "--frob").err.splitlines()[-1]


def test_tab_offers_it_and_does_not_import_it(install, capsys):
    install("some-greeting", GREETS, greet="command")
    offered = ringtrue.shell_complete(click.Context(ringtrue), "gr")
    assert [one.value for one in offered] == ["greet"]
    assert "some_greeting" not in sys.modules
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import no_such_module", ["'greet' of the package some-greeting", "No module named 'no_such_module'"]),
        ("raise ValueError('two\\nlines')", ["ValueError: two lines", "update the package, or uninstall it"]),
        ("", ["AttributeError", "command"]),
        ("command = print", ["is a builtin_function_or_method", "some_greeting:command must be a click.Command"]),
    ],
)
def test_a_broken_one_is_told_in_one_line_and_breaks_no_other(cli, install, code, words):
    install("some-greeting", code, greet="command")
    said = cli("greet")
    assert said.code == 2
    assert all(word in said.line for word in words), said.line
    assert "(some-greeting)" in cli("--help").out
    assert cli("plan", "error <= 5%").code == 0


def test_where_it_broke_is_shown_to_those_who_ask(cli, install, monkeypatch):
    monkeypatch.setenv("RINGTRUE_TRACEBACK", "1")
    install("some-greeting", "import no_such_module", greet="command")
    assert "some_greeting.py" in cli("greet").err


def test_a_verb_of_ours_cannot_be_replaced(cli, install):
    install("some-greeting", GREETS, plan="command")
    assert "some-greeting" not in cli("--help").out
    said = cli("plan", "error <= 5%")
    assert said.code == 0
    assert "hello" not in said.out


def test_two_packages_with_one_verb_are_named(cli, install):
    install("some-greeting", GREETS, greet="command")
    install("other-greeting", GREETS, greet="command")
    said = cli("greet")
    assert said.code == 2
    assert "'greet' is offered by several packages (other-greeting, some-greeting): keep one" in said.line
    assert "(other-greeting, some-greeting)" in cli("--help").out


def test_a_misspelt_one_is_found(cli, install):
    install("some-greeting", GREETS, greet="command")
    assert "did you mean 'greet'?" in cli("great").line


def test_what_it_says_of_itself_cannot_steer_the_terminal(cli, install):
    install("some-greeting", GREETS, summary="Says \x1b[2J hello.", greet="command")
    assert "\x1b" not in cli("--help").out
