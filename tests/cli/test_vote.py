"""`ringtrue vote`: language models behind a real chat service vote; each call is paid once, and money is kept to."""

import json
import os
import signal
import subprocess
import sys
import time
from decimal import Decimal

import pytest

from ringtrue.study import Study
from support import PATIENCE, numbers_of
from support.chat_proxy import proxy

JUDGES = """
question = "Is the answer right?"
show = ["question", "answer"]
fine = "right"
[choices]
right = "A textbook says so."
wrong = "It does not."
"""
JUDGE = """
[judges.{name}]
url = "{url}"
model = "{name}"
seed = {seed}
temperature = {heat}
"""
PRICES = """
currency = "EUR"
[models.ann]
input = 0.15
cached_input = 0.075
output = 0.60
[models.bob]
input = 1
output = 2
[models.cyd]
input = 3
output = 15
per_request = 0.0001
"""


def lay(folder, url, *, items=16, extra=""):
    """Write a pool, a rubric with three judges, and prices."""
    rows = [{"id": f"q{n}", "question": f"What is {n} + {n}?", "answer": str(2 * n)} for n in range(items)]
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    judges = [JUDGE.format(name=name, url=url, seed=n, heat=n) for n, name in enumerate(("ann", "bob", "cyd"))]
    (folder / "judges.toml").write_text(JUDGES + extra + "".join(judges))
    (folder / "prices.toml").write_text(PRICES)


VOTE = ("vote", "s", "--pool", "answers.jsonl", "--judges", "judges.toml")


def calls_in(folder):
    return [json.loads(line) for line in (folder / "s-calls.jsonl").read_text().splitlines()]


def test_three_judges_vote_on_all_items_and_on_ten_of_them_twice(cli, llama, tmp_path):
    with proxy(llama) as (url, account):
        lay(tmp_path, url)
        said = cli(*VOTE, "--json")
        assert said.code == 0, said.err
        assert len(account.bodies) == 3 * (16 + 10)
        again = cli("vote", "s", "--judges", "judges.toml")
        assert again.code == 0, again.err
        assert len(account.bodies) == 3 * (16 + 10)
    found = json.loads(said.out)
    assert found["sentence"].startswith("3 judges voted on 16 of 16 items; asked twice about 10 items")
    for judge in found["details"]["judges"]:
        assert sum(judge["votes"].values()) + judge["no_vote"] == 16
        assert judge["asked_twice"] == 10
    assert "judge ann: ann at 127.0.0.1:" in said.err
    assert "they are shown: question, answer" in said.err


def test_a_report_of_votes_says_nothing_that_is_not_so_and_verifies(cli, llama, tmp_path, undrawn):
    lay(tmp_path, f"{llama}/v1/chat/completions")
    assert cli(*VOTE).code == 0
    assert cli("report", "s").code == 0
    page = (tmp_path / "s.html").read_text()
    assert "26 asked: 26 answered" in page
    assert "still open" not in page, "answers about items that were asked about twice wait for nothing"
    assert cli("report", "--verify", "s.json").code == 0


def test_the_votes_are_a_panel_and_what_judges_make_of_the_items_is_a_pool(cli, llama, tmp_path):
    lay(tmp_path, f"{llama}/v1/chat/completions")
    assert cli(*VOTE, "--out", "judged.jsonl", "--votes", "votes.jsonl").code == 0
    judged = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    votes = [json.loads(line) for line in (tmp_path / "votes.jsonl").read_text().splitlines()]
    assert [row["id"] for row in judged] == [row["item"] for row in votes] == [f"q{n}" for n in range(16)]
    assert {row["claimed"] for row in judged} == {"right"}
    assert set(judged[0]) == {"id", "question", "answer", "claimed", "confidence"}  # no vote that would sway who labels
    assert {vote for row in votes for vote in (row["ann"], row["bob"], row["cyd"])} <= {"right", "wrong", None}
    panel, table = (cli("judges", file, "--json") for file in ("s.ringtrue", "votes.jsonl"))
    assert numbers_of(panel.out)["judges"] == numbers_of(table.out)["judges"] == ["ann", "bob", "cyd"]
    (tmp_path / "desk.py").write_text("def label(item):\n    assert 'confidence' not in item\n    return 'right'\n")
    claim = ("--claim", "error <= 30%", "--labels", "right,wrong", "--oracle", "desk:label")
    said = cli("risk", "r", "--pool", "judged.jsonl", "--model", "claimed", "--confidence", "confidence", *claim)
    assert said.code == 0, said.err
    assert "rings true" in said.out


def test_money_is_never_exceeded_and_what_was_spent_is_what_the_tokens_cost(cli, llama, tmp_path):
    with proxy(llama) as (url, account):
        lay(tmp_path, url)
        said = cli(*VOTE, "--prices", "prices.toml", "--money", "0.03", "--json")
        assert said.code == 0, said.err
        spent = Decimal(json.loads(said.out)["spending"]["spent_money"])
        assert 0 < spent <= Decimal("0.03")
        assert spent == sum(Decimal(line["cost"]) for line in calls_in(tmp_path))
        assert len(calls_in(tmp_path)) == len(account.bodies) < 78
        assert "the votes on an item cost at most" in said.err
        assert "EUR" in said.err
        more = cli("vote", "s", "--judges", "judges.toml", "--prices", "prices.toml", "--money", "1", "--json")
        assert json.loads(more.out)["answers"] == 16
        assert len(account.bodies) == 78
    assert Decimal(json.loads(more.out)["spending"]["spent_money"]) == sum(
        Decimal(line["cost"]) for line in calls_in(tmp_path)
    )


def test_another_study_with_the_same_calls_pays_nothing(cli, llama, tmp_path):
    with proxy(llama) as (url, account):
        lay(tmp_path, url)
        assert cli(*VOTE, "--prices", "prices.toml", "--calls", "all.jsonl").code == 0
        other = ("vote", "other", *VOTE[2:], "--prices", "prices.toml", "--calls", "all.jsonl", "--json")
        spending = json.loads(cli(*other).out)["spending"]
        assert len(account.bodies) == 78
    assert Decimal(spending["spent_money"]) == 0


def test_items_with_the_same_content_are_asked_about_once(cli, llama, tmp_path):
    with proxy(llama) as (url, account):
        lay(tmp_path, url)
        rows = [{"id": f"q{n}", "question": "What is 1 + 1?", "answer": "2"} for n in range(16)]
        (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        said = cli(*VOTE, "--prices", "prices.toml", "--json")
        assert len(account.bodies) == 3 * 2  # once, and once more for the items that are asked about twice
    spent = Decimal(json.loads(said.out)["spending"]["spent_money"])
    assert spent == sum(Decimal(line["cost"]) for line in calls_in(tmp_path))
    assert json.loads(said.out)["answers"] == 16


def test_some_items_are_a_sample_and_the_same_for_all(cli, llama, tmp_path):
    lay(tmp_path, f"{llama}/v1/chat/completions", items=200)
    assert cli(*VOTE, "--items", 20, "--votes", "votes.jsonl").code == 0
    items = [json.loads(line)["item"] for line in (tmp_path / "votes.jsonl").read_text().splitlines()]
    assert len(set(items)) == 20
    assert set(items) != {f"q{n}" for n in range(20)}


def test_judges_that_give_no_vote_are_not_wrong_and_not_right(cli, llama, tmp_path):
    def meddle(_, body):
        if body["model"] != "bob":
            return None
        return lambda said: {**said, "choices": [{**said["choices"][0], "finish_reason": "length"}]}

    with proxy(llama, meddle) as (url, _):
        lay(tmp_path, url)
        said = cli(*VOTE, "--votes", "votes.jsonl", "--json")
    bob = next(judge for judge in json.loads(said.out)["details"]["judges"] if judge["name"] == "bob")
    assert (bob["votes"], bob["no_vote"], bob["asked_twice"]) == ({}, 16, 0)
    assert "16 votes missing besides" in json.loads(said.out)["sentence"]
    rows = [json.loads(line) for line in (tmp_path / "votes.jsonl").read_text().splitlines()]
    assert {row["bob"] for row in rows} == {None}
    with Study.open(tmp_path / "s.ringtrue") as study:
        assert {record.value["no_vote"]["bob"] for record in study.records} == {"cut off at max_tokens"}


def test_a_panel_that_never_votes_is_stopped(cli, llama, tmp_path):
    with proxy(llama, lambda *_: (400, {}, b'{"error": "no schema here"}')) as (url, account):
        lay(tmp_path, url, items=100)
        said = cli(*VOTE)
    assert said.code == 2
    assert "could not tell" in said.err
    assert len(account.bodies) < 3 * 40


def test_a_service_that_changes_its_version_is_told(cli, llama, tmp_path):
    def meddle(number, _):
        return (lambda said: {**said, "system_fingerprint": "other"}) if number > 40 else None

    with proxy(llama, meddle) as (url, _):
        lay(tmp_path, url)
        said = cli(*VOTE)
    assert "warning: ann answered in 2 versions" in said.out


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("vote", "s", "--pool", "answers.jsonl"), "give the rubric and its judges"),
        ((*VOTE[:2], *VOTE[4:]), "give the items"),
        ((*VOTE, "--money", "1"), "needs the prices of the judges: give --prices FILE.toml"),
        ((*VOTE, "--out", "x.csv"), "must end in .jsonl"),
        ((*VOTE, "--prices", "judges.toml"), "holds no prices"),
        ((*VOTE[:5], "nothing.toml"), "'nothing.toml' does not exist"),
        ((*VOTE, "--header", "X-Key=MY_KEY"), "leave it out"),
    ],
)
def test_what_cannot_be_asked_is_told_in_one_line(cli, llama, tmp_path, options, complaint):
    lay(tmp_path, f"{llama}/v1/chat/completions", items=3)
    said = cli(*options)
    assert said.code == 2
    assert complaint in said.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("extra", "complaint"),
    [
        ("", None),
        ('[judges.dan]\nurl = "http://127.0.0.1:1/x"\n', "judge 'dan' needs url"),
        ('[judges.dan]\nurl = "http://127.0.0.1:1/x"\nmodel = 3\n', "model=3 is not a text"),
        ('[judges.dan]\nurl = "http://127.0.0.1:1/x"\nmodel = "m"\nheat = 1\n', "unknown setting 'heat'"),
        ('[judges.dan]\nurl = "http://u:pass@127.0.0.1:1/x"\nmodel = "m"\n', "seems to hold a secret"),
        (
            '[judges.dan]\nurl = "http://127.0.0.1:1/x"\nmodel = "m"\nkey = "sk-12345678901234567890"\n',
            "names the envir",
        ),
        (
            '[judges.dan]\nurl = "http://127.0.0.1:1/x"\nmodel = "m"\nkey = "NO_SUCH_KEY"\n',
            "is not set: export it first",
        ),
        ('[judges."a/b"]\nurl = "http://127.0.0.1:1/x"\nmodel = "m"\n', "is not a name"),
        ('[judges.dan]\nurl = "http://models.example/x"\nmodel = "m"\nkey = "HOME"\n', "give an https:// address"),
    ],
)
def test_a_file_of_judges_that_cannot_be_used_is_told_in_one_line(cli, llama, tmp_path, extra, complaint):
    lay(tmp_path, f"{llama}/v1/chat/completions", items=3, extra=extra)
    said = cli(*VOTE)
    assert said.code == (0 if complaint is None else 2), said.err
    if complaint is not None:
        assert complaint in said.line
        assert not (tmp_path / "s.ringtrue").exists()


def test_two_names_for_one_judge_are_refused(cli, llama, tmp_path):
    twin = JUDGE.format(name="dan", url=f"{llama}/v1/chat/completions", seed=0, heat=0).replace('"dan"', '"ann"')
    lay(tmp_path, f"{llama}/v1/chat/completions", items=3)
    with (tmp_path / "judges.toml").open("a") as file:
        file.write(twin)
    assert "judges 'ann' and 'dan' are one" in cli(*VOTE).line
    (tmp_path / "judges.toml").write_text((tmp_path / "judges.toml").read_text() + "repeat = 1\n")
    said = cli(*VOTE)
    assert said.code == 0, said.err
    assert "ann, dan ask one model and err together" in said.err


def test_another_rubric_or_judge_is_another_study(cli, llama, tmp_path):
    lay(tmp_path, f"{llama}/v1/chat/completions", items=3)
    assert cli(*VOTE).code == 0
    text = (tmp_path / "judges.toml").read_text()
    for change, told in [(("right?", "wrong?"), "other rubric"), (("seed = 1", "seed = 9"), "other judges than")]:
        (tmp_path / "judges.toml").write_text(text.replace(*change))
        said = cli("vote", "s", "--judges", "judges.toml")
        assert said.code == 2
        assert told in said.line
    assert "--judges is missing" in cli("vote", "s").line


START = "import sys; from ringtrue.cli import main; sys.argv[0] = 'ringtrue'; main()"


def killed_and_resumed(folder, account, *, items, kills):
    """Vote on all items in a process of its own that is killed again and again; returns what it printed in the end."""
    command = [sys.executable, "-c", START, *VOTE, "--prices", "prices.toml", "--money", "100", "--json"]
    for kill in range(kills + 1):
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            if kill == kills:
                out, err = run.communicate(timeout=20 * PATIENCE)
                assert run.returncode == 0, err.decode()
                return json.loads(out)
            enough = (kill + 1) * 3 * items // (kills + 2)
            while len(account.bodies) < enough and run.poll() is None:
                time.sleep(0.01)
            assert run.poll() is None, run.stderr.read().decode()
            os.kill(run.pid, signal.SIGKILL)
            run.communicate()
    raise AssertionError


@pytest.mark.parametrize(("items", "kills"), [(60, 2), (2000, 5)])
@pytest.mark.slow
def test_killed_in_the_middle_no_vote_is_lost_and_none_is_paid_twice(llama, tmp_path, items, kills):
    with proxy(llama) as (url, account):
        lay(tmp_path, url, items=items)
        said = killed_and_resumed(tmp_path, account, items=items, kills=kills)
        asked = 3 * (items + 10)
        # What was under way when the process died had reached the service and could not come back: one per worker.
        assert asked <= account.answered <= asked + 8 * kills
    lines = calls_in(tmp_path)
    assert len({line["key"] for line in lines}) == len(lines) == asked
    assert said["answers"] == items
    assert Decimal(said["spending"]["spent_money"]) == sum(Decimal(line["cost"]) for line in lines)
    assert Decimal(said["spending"]["reserved_money"]) == 0
