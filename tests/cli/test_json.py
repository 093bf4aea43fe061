"""`--json`: one object on standard output and nothing beside it, whatever the verb and the verdict."""

import json

import pytest


def one_object(text):
    """The only line of a text, as the object it holds; NaN and Infinity are no JSON."""

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    assert text.count("\n") == 1
    made = json.loads(text, parse_constant=refuse)
    assert isinstance(made, dict)
    return made


@pytest.fixture
def world(cli, loans, tmp_path):
    (tmp_path / "claims.toml").write_text('[[claim]]\nstudy = "loans"\nsays = "error <= 20%"\n')
    return cli


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["plan", "error <= 5%"], {"claim", "cases", "fewest_watched"}),
        (["init", "other", "--pool", "pool.csv", "--model", "predicted"], {"study", "pool", "model", "claim"}),
        (["status", "loans"], {"study", "spending", "findings"}),
        (["report", "loans"], {"html", "json", "verdict", "sentence"}),
        (["check", "claims.toml"], {"verdict", "claims"}),
        (["risk", "loans", "--oracle", "truth"], {"study", "verdict", "estimate", "spending"}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
@pytest.mark.parametrize("answered", [False, True])
def test_one_object(world, arguments, keys, answered):
    if answered:
        world("risk", "loans", "--oracle", "truth")
    said = world(*arguments, "--json")
    assert said.code in (0, 3)
    assert keys <= set(one_object(said.out))


def test_verify_says_it_as_an_object_too(world):
    world("report", "loans")
    made = one_object(world("report", "--verify", "loans.json", "--json").out)
    assert (made["agrees"], made["differences"]) == (True, [])


@pytest.mark.parametrize(
    "arguments", [["frob"], ["plan"], ["plan", "x"], ["status", "nowhere"], ["report"], ["check", "nowhere.toml"]]
)
def test_a_refusal_is_an_object_too(world, arguments):
    said = world(*arguments, "--json")
    made = one_object(said.out)
    assert said.code == made["exit_code"] == 2
    assert made["error"] == said.err.strip()


def test_names_in_any_writing_survive(world, tmp_path):
    (tmp_path / "pool.csv").rename(tmp_path / "pøøl ≤.csv")
    said = world("init", "étude", "--pool", "pøøl ≤.csv", "--model", "predicted", "--json")
    assert one_object(said.out)["pool"]["name"] == "pøøl ≤.csv"
    assert said.out.isascii(), "so that no terminal and no pipe can spoil it"
