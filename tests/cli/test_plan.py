"""`ringtrue plan`: labels and money, before any is spent."""

import json

import pytest

CLAIM = "error <= 5% at 95%"


def test_it_prints_the_labels_before_any_is_bought(cli, tmp_path):
    said = cli("plan", CLAIM)
    assert said.code == 0
    assert said.out.startswith(f"claim: {CLAIM}\n")
    assert "at least 70 labels (59 if fixed beforehand" in said.out
    assert list(tmp_path.iterdir()) == []


def test_the_object_holds_the_same_numbers(cli):
    plan = json.loads(cli("plan", CLAIM, "--json").out)
    assert (plan["claim"], plan["fewest_watched"], plan["fewest_fixed"]) == (CLAIM, 70, 59)


def test_a_pool_bounds_the_worst_case(cli, loans):
    by_file = json.loads(cli("plan", CLAIM, "--pool", "pool.csv", "--json").out)
    by_size = json.loads(cli("plan", CLAIM, "--size", "40", "--json").out)
    assert by_file == by_size
    assert by_size["population"] == 40


def test_a_price_gives_the_money(cli):
    assert json.loads(cli("plan", CLAIM, "--price", "0.40", "--json").out)["fewest_cost"] == "28.00"
    assert "at 0.40 a label: at least 28.00" in cli("plan", CLAIM, "--price", "0.40").out


def test_rates_and_a_budget(cli):
    plan = json.loads(cli("plan", CLAIM, "--rate", "0%", "--rate", "0.2", "--budget", "70", "--json").out)
    assert [case["rate"] for case in plan["cases"]] == [0, 0.2]
    assert plan["cases"][0]["within_budget"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["what ever"], ["'what ever'", "error <= 5% at 95%"]),
        ([CLAIM, "--rate", "7"], ["--rate='7'", "5% or 0.05"]),
        ([CLAIM, "--rate", "some"], ["--rate='some'", "not a number"]),
        ([CLAIM, "--price", "x"], ["--price='x'", "0.25"]),
        ([CLAIM, "--pool", "nowhere.csv"], ["nowhere.csv", "no such file"]),
        ([CLAIM, "--pool", "a.csv", "--size", "3"], ["--pool and --size", "give one"]),
    ],
)
def test_what_it_refuses(cli, arguments, words):
    said = cli("plan", *arguments)
    assert said.code == 2
    assert all(word in said.line for word in words), said.line
