"""`ringtrue report`: writes beside the study, replaces nothing of others, and verifies."""

import json

import pytest


def answered(cli):
    assert cli("risk", "loans", "--oracle", "truth").code == 0


def test_it_writes_both_files_and_says_so(cli, loans, tmp_path):
    answered(cli)
    said = cli("report", "loans")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[1:] == ["wrote loans.html", "wrote loans.json"]
    assert "rings true" in said.out.splitlines()[0]
    assert (
        '"items": {}' not in (tmp_path / "loans.json").read_text() or "None in" in (tmp_path / "loans.html").read_text()
    )
    checked = cli("report", "--verify", "loans.json")
    assert checked.code == 0
    assert checked.out.startswith("agrees: ")


def test_a_changed_number_is_named_and_ends_with_one(cli, loans, tmp_path):
    answered(cli)
    cli("report", "loans")
    made = json.loads((tmp_path / "loans.json").read_text())
    made["computed"]["finding"]["interval"]["high"] = 0.001
    (tmp_path / "loans.json").write_text(json.dumps(made))
    said = cli("report", "--verify", "loans.json")
    assert said.code == 1
    assert "computed.finding.interval.high says 0.001, the answers give" in said.out


@pytest.mark.parametrize(
    ("content", "word"),
    [(None, "does not exist"), ("", "not JSON"), ("{}", "not a report of format"), ("[1", "not JSON")],
)
def test_a_twin_that_cannot_be_read_is_no_disagreement(cli, tmp_path, content, word):
    if content is not None:
        (tmp_path / "r.json").write_text(content)
    said = cli("report", "--verify", "r.json")
    assert said.code == 2
    assert "r.json" in said.line
    assert word in said.line


def test_the_page_given_for_its_twin(cli, loans):
    cli("report", "loans")
    said = cli("report", "--verify", "loans.html")
    assert said.code == 2
    assert "give the JSON twin of the page, loans.json" in said.line


@pytest.mark.parametrize("out", ["loans.ringtrue", "pool.csv", "x.json", "report"])
def test_it_never_writes_over_the_study_or_the_pool(cli, loans, tmp_path, out):
    before = loans.read_bytes(), (tmp_path / "pool.csv").read_bytes()
    said = cli("report", "loans", "--out", out)
    assert said.code == 2
    assert ".html" in said.line
    assert (loans.read_bytes(), (tmp_path / "pool.csv").read_bytes()) == before


def test_versions_in_names_stay_apart(cli, tmp_path, loans):
    for name in ("v1.2", "v1.3"):
        assert cli("init", name, "--pool", "pool.csv", "--model", "predicted").code == 0
        assert json.loads(cli("report", name, "--json").out)["html"] == f"{name}.html"
    assert (tmp_path / "v1.2.json").exists()
    assert (tmp_path / "v1.3.json").exists()


def test_out_and_claim(cli, loans, tmp_path):
    said = cli("report", "loans", "--out", "deep/er/page.html", "--claim", "error <= 1% at 99%")
    assert said.code == 0
    made = json.loads((tmp_path / "deep" / "er" / "page.json").read_text())
    assert made["claim"] == "error <= 1% at 99%"
    assert cli("report", "loans", "--claim", "mostly fine").code == 2


def test_a_pool_that_is_gone_leaves_the_items_out_and_says_how_to_bring_them_in(cli, loans, tmp_path):
    assert cli("risk", "loans", "--oracle", "truth", "--claim", "error <= 1% at 95%").code == 1
    (tmp_path / "away").mkdir()
    (tmp_path / "pool.csv").rename(tmp_path / "away" / "pool.csv")
    said = cli("report", "loans")
    assert said.code == 0
    assert "left out" in said.err
    assert "--pool FILE" in said.err
    assert json.loads((tmp_path / "loans.json").read_text())["items"] == {}
    assert cli("report", "loans", "--pool", "away/pool.csv").err == ""
    assert json.loads((tmp_path / "loans.json").read_text())["items"] != {}
    assert cli("report", "loans", "--pool", "nowhere.csv").code == 2


def test_the_model_is_left_alone(cli, tmp_path, loans):
    """A report needs no model, and a model may be slow or dear to call."""
    (tmp_path / "costly.py").write_text("def predict(rows):\n    return ['cat' for row in rows]\n")
    assert cli("init", "m", "--pool", "pool.csv", "--model", "costly:predict").code == 0
    (tmp_path / "costly.py").write_text("raise RuntimeError('called')")
    import sys

    sys.modules.pop("costly")
    said = cli("report", "m")
    assert (said.code, said.err) == (0, "")
