"""A language model as `--model`: a rubric in a file, asked through a real chat service."""

import json

import pytest

from support.chat_proxy import proxy
from support.services import PROXIES

RUBRIC = """
question = "Is it about animals?"
show = ["text"]
[choices]
yes = "It names one."
no = "It names none."
[judges.small]
url = "{url}"
model = "random"
"""


@pytest.fixture(autouse=True)
def plain_network(monkeypatch):
    for name in (*PROXIES, "RINGTRUE_MODEL_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def pool(tmp_path):
    lines = [f"{n},text {n},{'yes' if n % 2 else 'no'},{'yes' if n % 3 else 'no'}" for n in range(40)]
    (tmp_path / "pool.csv").write_text("\n".join(["id,text,truth,answer", *lines]) + "\n")


RISK = ("risk", "s", "--pool", "pool.csv", "--oracle", "truth", "--claim", "error <= 20%", "--budget", "12")


def test_its_choices_are_the_labels_and_the_truth_does_not_reach_it(cli, llama, pool, tmp_path):
    with proxy(llama) as (url, account):
        (tmp_path / "ask.toml").write_text(RUBRIC.format(url=url))
        said = cli(*RISK, "--model", "ask.toml", "--json")
        assert said.code in (1, 3), said.err
        assert json.loads(said.out)["answers"] > 0
        assert "is sent: text" in said.err
        assert all("truth" not in json.dumps(body) for body in account.bodies)
        again = cli("risk", "s", "--json")
        assert again.code == said.code, again.err
    with proxy(llama) as (url, account):
        (tmp_path / "ask.toml").write_text(RUBRIC.format(url=url))
        moved = cli("risk", "s")
        assert moved.code == 2
        assert "say --trust" in moved.err.splitlines()[-1]
        assert not account.bodies


def test_another_rubric_is_another_model(cli, llama, pool, tmp_path):
    (tmp_path / "ask.toml").write_text(RUBRIC.format(url=f"{llama}/v1/chat/completions"))
    assert cli(*RISK, "--model", "ask.toml").code in (1, 3)
    (tmp_path / "ask.toml").write_text((tmp_path / "ask.toml").read_text().replace("animals", "stones"))
    said = cli("risk", "s")
    assert said.code == 2
    assert "the model is not the one this study was made with" in said.err.splitlines()[-1]


def test_changed_asks_it_and_counts_each_call(cli, llama, pool, tmp_path):
    with proxy(llama) as (url, account):
        (tmp_path / "ask.toml").write_text(RUBRIC.format(url=url))
        options = ("--truth", "none", "--confidence", "none", "--noise", "0", "--budget", "20", "--price", "0.01")
        said = cli("changed", "c", "--old", "pool.csv", "--model", "ask.toml", *options, "--json")
        assert said.code in (0, 1, 3), said.err
        assert len(account.bodies) == json.loads(said.out)["spending"]["answered"] <= 20


def test_a_rubric_that_shows_the_truth_is_refused_where_it_is_known(cli, llama, pool, tmp_path):
    text = RUBRIC.format(url=f"{llama}/v1/chat/completions").replace('["text"]', '["text", "truth"]')
    (tmp_path / "ask.toml").write_text(text)
    said = cli("changed", "c", "--old", "pool.csv", "--model", "ask.toml", "--confidence", "none", "--budget", "20")
    assert said.code == 2
    assert "truth" in said.line


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("ask.toml", "has the judges small, large: name one, as in ask.toml#small"),
        ("ask.toml#huge", "has no judge 'huge': name one of small, large"),
        ("nothing.toml", "'nothing.toml' does not exist"),
    ],
)
def test_which_judge_is_meant_is_told(cli, llama, pool, tmp_path, spec, complaint):
    url = f"{llama}/v1/chat/completions"
    (tmp_path / "ask.toml").write_text(RUBRIC.format(url=url) + f'[judges.large]\nurl = "{url}"\nmodel = "other"\n')
    said = cli(*RISK, "--model", spec)
    assert said.code == 2
    assert complaint in said.line
    assert cli(*RISK, "--model", "ask.toml#large").code in (1, 3)


def test_a_file_of_another_user_gets_no_key_of_yours(cli, llama, pool, tmp_path, monkeypatch):
    with proxy(llama) as (url, account):
        (tmp_path / "ask.toml").write_text(RUBRIC.format(url=url))
        assert cli(*RISK, "--model", "ask.toml").code in (1, 3)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another user"))
        monkeypatch.setenv("MY_KEY", "abcdefgh12345678")
        (tmp_path / "ask.toml").write_text(RUBRIC.format(url=url) + 'key = "MY_KEY"\n')
        asked = len(account.bodies)
        said = cli("risk", "s", "--trust")
        assert said.code == 2
        assert "would be sent to the host '127.0.0.1', which you did not name" in said.err.splitlines()[-1]
        assert len(account.bodies) == asked
