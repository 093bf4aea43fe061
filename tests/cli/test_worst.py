"""`ringtrue worst`: what it asks, finds and says, for one output and for several, and the verbs that read its study."""

import json
import math

import pytest

from ringtrue.cli.worst import DEVIATIONS as NAMED_DEVIATIONS
from ringtrue.cli.worst import RULES as NAMED_RULES
from ringtrue.study import Study
from ringtrue.worst import RULES
from ringtrue.worst._deviation import DEVIATIONS
from support import numbers_of
from support.worst_desk import charged, lay_desk


@pytest.fixture
def desk(cli, tmp_path):
    return lay_desk(tmp_path)


BOTH = ("--space", "space.toml", "--model", "desk:models", "--tasks", "a,b")


def told(said):
    """The one JSON object on standard output, of a run that went well."""
    assert said.code == 0, said.err
    return numbers_of(said.out)


def test_the_worst_input_is_found_and_each_point_is_paid_for_once(cli, desk, tmp_path):
    said = cli("worst", *desk, "--budget", 10)
    assert said.code == 0, said.err
    first, *_, status, step = said.out.splitlines()
    assert first.startswith("largest deviation 1 at x=0.7")
    assert first.endswith("(10 evaluations)")
    assert status == "10 answers recorded; 0 of 10 labels left"
    assert step == "next: ringtrue report worst.ringtrue"
    assert "8 of 10 evaluations; largest deviation" in said.err, "the moving line goes to standard error"
    assert len(charged(tmp_path)) == len(set(charged(tmp_path))) == 10
    assert all(-2 <= x <= 2 for x in charged(tmp_path))


def test_json_is_the_finding_with_the_status(cli, desk, tmp_path):
    found = told(cli("worst", "hill", *desk, "--budget", 6, "--json"))
    assert (found["study"], found["answers"], found["evaluations"]) == ("hill.ringtrue", 6, 6)
    assert found["spending"]["answered"] == 6
    assert found["worst"]["deviation"] == pytest.approx(1, abs=0.02)
    assert found["worst"]["model"] - found["worst"]["gold"] == found["worst"]["signed"] < 0
    assert found["inputs"]["x"] == charged(tmp_path)
    assert told(cli("worst", "hill", "--json")) == found
    assert len(charged(tmp_path)) == 6, "what is known is not asked again"


def test_another_seed_asks_other_points(cli, desk, tmp_path):
    for seed in (0, 1):
        cli("worst", f"s{seed}", *desk, "--budget", 3, "--seed", seed)
    assert len(set(charged(tmp_path))) == 6


def test_status_report_and_its_check_read_the_study(cli, desk, tmp_path, undrawn):
    sentence = cli("worst", *desk, "--budget", 6, "--baseline", "random").out.splitlines()[0]
    lines = cli("status", "worst").out.splitlines()
    assert lines[0] == "12 answers recorded; 0 of 12 labels left"
    assert [line.split(":")[0] for line in lines[1:]] == ["worst", "random"]
    assert lines[1] == f"worst: {sentence}"
    said = cli("report", "worst")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [sentence, "wrote worst.html", "wrote worst.json"]
    twin = json.loads((tmp_path / "worst.json").read_text())
    assert twin["computed"]["baselines"]["random"]["answer"] == [1, 2, 3, 4, 5, 6]
    assert cli("report", "--verify", "worst.json").code == 0
    twin["records"][4]["value"] += 1e-3
    (tmp_path / "worst.json").write_text(json.dumps(twin))
    assert cli("report", "--verify", "worst.json").code == 1


def test_a_claim_rings_false_at_the_first_evaluation_above_it_and_nothing_more_is_bought(cli, desk, tmp_path):
    said = cli("worst", *desk, "--budget", 12, "--claim", "deviation <= 0.7 at 95%")
    assert said.code == 1
    assert said.out.startswith("deviation <= 0.7 at 95% rings false: largest deviation 0.")
    assert len(charged(tmp_path)) == 3, "the third of the first points lies on the hill"
    assert cli("worst").code == 1
    assert len(charged(tmp_path)) == 3


def test_a_claim_is_not_yet_known_after_few_evaluations(cli, desk, tmp_path):
    said = cli("worst", *desk, "--budget", 6, "--claim", "deviation <= 1.5 at 95%", "--json")
    assert said.code == 3
    assert numbers_of(said.out)["verdict"] == "not yet known"
    for text, code in (("deviation <= 0.5 at 95%", 1), ("deviation <= 9 at 95%", 3)):
        (tmp_path / "claims.toml").write_text(f'[[claim]]\nstudy = "worst.ringtrue"\nsays = "{text}"\n')
        assert cli("check", "claims.toml").code == code
    assert len(charged(tmp_path)) == 6, "`check` buys nothing"


def test_a_claim_far_above_a_smooth_deviation_rings_true(cli, desk, tmp_path):
    """Ten random evaluations, one in five, are needed before the surrogate is believed."""
    smooth = ("--space", "space.toml", "--model", "desk:zero", "--oracle", "desk:wave")
    said = cli("worst", *smooth, "--budget", 70, "--claim", "deviation <= 2 at 95%", "--json")
    found = numbers_of(said.out)
    assert (said.code, found["verdict"]) == (0, "rings true"), found["sentence"]
    assert 1 <= found["bound"]["upper"] <= 2
    assert found["surrogate"]["calibration"]["calibrated"] is True
    assert 50 < len(charged(tmp_path)) == found["answers"] < 70, "it stops when the claim is decided"
    (tmp_path / "claims.toml").write_text('[[claim]]\nstudy = "worst.ringtrue"\nsays = "deviation <= 2 at 95%"\n')
    assert cli("check", "claims.toml").code == 0


def test_several_outputs_are_learnt_from_the_same_evaluations(cli, desk, tmp_path):
    found = told(cli("worst", *BOTH, "--oracle", "desk:golds", "--budget", 6, "--json"))
    assert (found["worst"]["task"], found["tasks"], found["priced"]) == ("b", ["a", "b"], "together")
    assert found["worst"]["deviation"] == pytest.approx(1.2, abs=0.05)
    assert len(charged(tmp_path)) == 6
    by_task = {one["task"]: one["worst"] for one in found["by_task"]}
    assert 0.9 < by_task["a"] <= 1.0


def test_every_rule_is_in_the_help_and_every_deviation(cli):
    assert set(NAMED_RULES) == set(RULES)
    assert set(NAMED_DEVIATIONS) == set(DEVIATIONS)
    for name in (*RULES, *DEVIATIONS):
        assert name in cli("worst", "--help").out


@pytest.mark.parametrize("rule", [None, *RULES, "random"])
def test_outputs_priced_alone_take_turns_by_any_rule(cli, desk, tmp_path, rule):
    chosen = () if rule is None else ("--rule", rule)
    found = told(cli("worst", *BOTH, "--oracle", "desk:one_of", "--alone", "--budget", 5, *chosen, "--json"))
    assert found["priced"] == "alone"
    assert found["rule"] == ("harmonic" if rule is None else rule)
    assert len(charged(tmp_path)) == 5
    assert [one["evaluations"] for one in found["by_task"]] == [found["path"]["task"].count(name) for name in "ab"]
    assert {"a", "b"} == set(found["path"]["task"])


def test_one_output_priced_alone_is_one_output(cli, desk, tmp_path):
    found = told(cli("worst", *desk, "--alone", "--rule", "exp3bo", "--budget", 5, "--json"))
    assert found["worst"]["deviation"] > 0.8
    assert len(charged(tmp_path)) == 5


def sides(x):
    """What the model and the gold standard say of both outputs."""
    return zip([0.0, x], [math.sin(x), x + 0.3 * x**2], strict=True)


@pytest.mark.parametrize(
    ("deviation", "tasks", "measure"),
    [
        ("squared", "a,b", lambda x: max((a - b) ** 2 for a, b in sides(x))),
        ("rmse", None, lambda x: math.sqrt(sum((a - b) ** 2 for a, b in sides(x)) / 2)),
        ("mismatch", None, lambda x: 1.0),
        ("given", "a,b", lambda x: max(b for _, b in sides(x))),
        ("own:doubled", "a,b", lambda x: max(2 * abs(a - b) for a, b in sides(x))),
    ],
)
def test_deviations_by_name_or_the_users_own(cli, desk, tmp_path, deviation, tasks, measure):
    (tmp_path / "own.py").write_text(
        "def doubled(model, gold):\n    return [2 * abs(a - b) for a, b in zip(model, gold)]\n"
    )
    options = (*BOTH[:4], *(() if tasks is None else ("--tasks", tasks)), "--deviation", deviation)
    found = told(cli("worst", *options, "--oracle", "desk:golds", "--budget", 4, "--json"))
    assert found["path"]["deviation"] == pytest.approx([measure(x) for x in charged(tmp_path)])
    assert found["worst"]["deviation"] == max(found["path"]["deviation"])


def test_a_constant_deviation_is_found_everywhere(cli, desk, tmp_path):
    (tmp_path / "flat.py").write_text("def gold(values):\n    return 2.5\n")
    found = told(cli("worst", *desk[:2], "--oracle", "flat:gold", "--deviation", "given", "--budget", 5, "--json"))
    assert (found["worst"]["deviation"], found["region"]["volume"]) == (2.5, 1.0)


def test_a_budget_below_the_first_spread_is_spent_on_it(cli, desk, tmp_path):
    found = told(cli("worst", *desk, "--budget", 2, "--json"))
    assert found["path"]["phase"] == ["initial", "initial"]
    assert len(charged(tmp_path)) == 2
    one = told(cli("worst", "one", *desk, "--budget", 1, "--json"))
    assert one["worst"]["point"]["x"] == charged(tmp_path)[0]


def test_a_batch_is_chosen_at_once_whoever_works_on_it(cli, desk, tmp_path):
    asked = {}
    for workers in (1, 2):
        cli("worst", f"w{workers}", *desk, "--budget", 4, "--batch", 2, "--workers", workers)
        with Study.open(tmp_path / f"w{workers}.ringtrue") as study:
            asked[workers] = [record.point for record in study.records]
    assert asked[1] == asked[2]


def test_every_evaluation_costs_its_price(cli, desk):
    said = cli("worst", *desk, "--budget", 4, "--price", "2.50", "--json")
    assert told(said)["spending"]["spent_money"] == "10.00"


def test_the_worst_input_is_drawn(cli, desk, tmp_path):
    (tmp_path / "art.py").write_text(
        "def draw(values):\n    return [[0.0, values['x']], [0.5, 1.0]]\n\ndef flat(values):\n    return 3\n"
    )
    found = told(cli("worst", *desk, "--budget", 4, "--picture", "art:draw", "--json"))
    with Study.open(tmp_path / "worst.ringtrue") as study:
        assert study.kept["picture"]["rows"] == [[0.0, found["worst"]["point"]["x"]], [0.5, 1.0]]
    said = cli("worst", "--picture", "art:flat")
    assert said.code == 2
    assert "--picture='art:flat' gave the shape ()" in said.line
