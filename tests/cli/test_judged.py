"""`ringtrue check` judges what was judged: another pool, another model or answers too old are not yet known."""

import csv
import json
import sys

import pytest

from ringtrue.risk import Risk
from ringtrue.study import Study
from support import make_pool
from support.old_format import to_format_1
from support.services import PROXIES, service
from support.worst_desk import lay_desk

OTHER = {"cat": "dog", "dog": "cat"}


def claims(folder, study="loans", says="error <= 20% at 95%", **more):
    keys = "".join(f'{key} = "{value}"\n' for key, value in more.items())
    (folder / "claims.toml").write_text(f'[[claim]]\nstudy = "{study}.ringtrue"\nsays = "{says}"\n{keys}')
    return "claims.toml"


def rewrite(path, change):
    """Change the rows of a CSV in place."""
    with open(path, newline="") as file:
        table = csv.DictReader(file)
        rows = list(table)
    for row in rows:
        change(row)
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, table.fieldnames, lineterminator="\r\n")
        out.writeheader()
        out.writerows(rows)


def turn(column, ids=None):
    """Turn the answers of these items, or of all, into the other label."""

    def change(row):
        if ids is None or row["id"] in ids:
            row[column] = OTHER[row[column]]

    return change


def asked(path):
    with Study.open(path) as study:
        return {record.id for record in study.records}


@pytest.fixture
def bought(cli, tmp_path):
    """The folder of a study of stored predictions whose claim rings true."""
    make_pool(tmp_path / "pool.csv", failing=0)
    cli("init", "loans", "--pool", "pool.csv", "--model", "predicted", "--claim", "error <= 20% at 95%")
    assert cli("risk", "loans", "--oracle", "truth").code == 0
    assert 8 < len(asked(tmp_path / "loans.ringtrue")) < 40
    return tmp_path


def one(said):
    return json.loads(said.out)["claims"][0]


def test_what_was_judged_rings_true_and_says_that_it_was_looked_at(cli, bought):
    said = cli("check", claims(bought))
    assert (said.code, "looked at" in said.out) == (0, False)
    found = one(cli("check", "claims.toml", "--json"))
    assert found["looked_at"] == {"pool": "same", "model": "same"}
    assert (found["verdict"], found["judged"]) == ("rings true", "rings true")
    assert found["because"] == found["not_looked_at"] == []


def test_a_model_whose_every_answer_changed_is_not_yet_known(cli, bought):
    rewrite(bought / "pool.csv", turn("predicted"))
    number = len(asked(bought / "loans.ringtrue"))
    said = cli("check", claims(bought))
    assert said.code == 3
    assert (
        f"is not yet known: the model is not the one that was judged ({number} of {number} recorded answers differ, "
        "such as that to item 'item-"
    ) in said.out
    assert "rings true" in said.out, "what was judged is still told"
    found = one(cli("check", "claims.toml", "--json"))
    assert (found["verdict"], found["judged"]) == ("not yet known", "rings true")
    assert found["looked_at"] == {"pool": "changed", "model": "changed"}
    assert [why.split(" is ")[0] for why in found["because"]] == ["the model", "the pool"]


def test_one_changed_answer_among_those_recorded_is_named(cli, bought):
    item = sorted(asked(bought / "loans.ringtrue"))[3]
    rewrite(bought / "pool.csv", turn("predicted", {item}))
    said = cli("check", claims(bought))
    assert said.code == 3
    assert f"recorded answers differ, such as that to item '{item}': was " in said.out


def test_answers_that_nobody_asked_for_are_part_of_the_pool_that_was_judged(cli, bought):
    """The rate speaks of all items: other answers elsewhere in the column may fail as often as they like."""
    rest = {f"item-{place}" for place in range(40)} - asked(bought / "loans.ringtrue")
    rewrite(bought / "pool.csv", turn("predicted", rest))
    found = one(cli("check", claims(bought), "--json"))
    assert found["verdict"] == "not yet known"
    assert found["looked_at"] == {"pool": "changed", "model": "no difference seen"}
    assert "the pool is not the one that was judged (fingerprint was" in found["because"][0]


@pytest.mark.parametrize("change", ["a cell", "a row more", "no model column", "no table"])
def test_another_pool_is_not_yet_known(cli, bought, change):
    path = bought / "pool.csv"
    lines = path.read_text().splitlines()
    if change == "a cell":
        lines[-1] = lines[-1].replace("item-39,", "item-39,9")
    elif change == "a row more":
        lines.append("item-40,0.5,cat,cat")
    elif change == "no model column":
        lines[0] = lines[0].replace("predicted", "guessed")
    else:
        lines[1] += ',"'
    path.write_text("\n".join(lines) + "\n")
    said = cli("check", claims(bought))
    assert said.code == 3, said.err
    assert "the pool is not the one that was judged" in said.out


def test_a_claim_that_rang_false_is_not_yet_known_of_another_model(cli, tmp_path):
    make_pool(tmp_path / "pool.csv", failing=38)
    cli("init", "loans", "--pool", "pool.csv", "--model", "predicted", "--claim", "error <= 20% at 95%")
    assert cli("risk", "loans", "--oracle", "truth").code == 1
    rewrite(tmp_path / "pool.csv", turn("predicted"))
    assert cli("check", claims(tmp_path)).code == 3


def test_a_pool_that_is_gone_changes_no_verdict_and_is_said(cli, bought):
    (bought / "pool.csv").rename(bought / "moved.csv")
    said = cli("check", claims(bought))
    assert said.code == 0
    assert "(the pool was not looked at, which is no longer at 'pool.csv': say pool = … in the claims file" in said.out
    assert "the model was not looked at without it)" in said.out
    found = one(cli("check", "claims.toml", "--json"))
    assert found["looked_at"] == {"pool": "not looked at", "model": "not looked at"}
    assert len(found["not_looked_at"]) == 2
    assert one(cli("check", claims(bought, pool="moved.csv"), "--json"))["looked_at"]["model"] == "same"
    rewrite(bought / "moved.csv", turn("predicted"))
    assert cli("check", "claims.toml").code == 3


def test_what_the_claims_file_names_must_be_there(cli, bought):
    assert "nowhere.csv" in cli("check", claims(bought, pool="nowhere.csv")).line
    said = cli("check", claims(bought, model="nowhere:predict"))
    assert said.code == 2
    assert "there is no module 'nowhere'" in said.line
    assert "model='guessed' is not a column of the pool" in cli("check", claims(bought, model="guessed")).line
    said = cli("check", claims(bought, model="truth"))
    assert said.code == 3, "another column is another model, although its recorded answers are the same"
    assert "name was 'column predicted', now 'column truth'" in said.out


def test_a_study_made_in_python_is_looked_at_if_its_pool_is_named(cli, tmp_path):
    make_pool(tmp_path / "pool.csv", failing=0)
    question = Risk("error <= 20% at 95%")
    with Study.create("loans", pool="pool.csv", model="predicted", question=question) as study:
        study.run("truth")
    assert one(cli("check", claims(tmp_path), "--json"))["looked_at"]["pool"] == "not looked at"
    assert one(cli("check", claims(tmp_path, pool="pool.csv"), "--json"))["looked_at"] == {
        "pool": "same", "model": "same",
    }  # fmt: skip
    rewrite(tmp_path / "pool.csv", turn("predicted"))
    assert cli("check", "claims.toml").code == 3


DESK = """
from pathlib import Path

Path("imported").touch()

def predict(rows):
    with open("calls", "a") as file:
        file.write(f"{len(rows)}\\n")
    return [row["predicted"] for row in rows]

def renamed(rows):
    return predict(rows)

def turned(rows):
    return ["dog" if row["predicted"] == "cat" and row["id"] == ITEM else row["predicted"] for row in rows]
"""


@pytest.fixture
def served(cli, tmp_path):
    """The folder of a study whose model is a function."""
    make_pool(tmp_path / "pool.csv", size=120, failing=0)
    (tmp_path / "desk.py").write_text(DESK)
    cli("init", "loans", "--pool", "pool.csv", "--model", "desk:predict", "--claim", "error <= 5% at 95%")
    assert cli("risk", "loans", "--oracle", "truth").code == 0
    return tmp_path


def test_a_function_that_only_the_study_names_is_never_run(cli, served):
    (served / "imported").unlink()
    del sys.modules["desk"]
    said = cli("check", claims(served, says="error <= 5% at 95%"))
    assert said.code == 0
    assert "(the model was not looked at, since it would have to be run: say model = … in the claims file)" in said.out
    assert not (served / "imported").exists()
    assert one(cli("check", "claims.toml", "--json"))["looked_at"] == {"pool": "same", "model": "not looked at"}


def test_a_function_that_the_claims_file_names_is_asked_about_every_recorded_item_in_one_call(cli, served):
    number = len(asked(served / "loans.ringtrue"))
    (served / "calls").unlink()
    for name in ("predict", "renamed"):
        found = one(cli("check", claims(served, says="error <= 5% at 95%", model=f"desk:{name}"), "--json"))
        assert found["looked_at"] == {"pool": "same", "model": "same"}
    assert (served / "calls").read_text().split() == ["8", str(number)] * 2


def test_a_function_that_answers_one_recorded_item_otherwise_is_not_yet_known(cli, served):
    with Study.open(served / "loans.ringtrue") as study:
        number = len(study.records)
        item = next(record.id for record in study.records if record.row > 8 and record.said == "cat")
    sys.modules["desk"].ITEM = item
    said = cli("check", claims(served, says="error <= 5% at 95%", model="desk:turned"))
    assert said.code == 3
    how = f"1 of {number} recorded answers differ, such as that to item '{item}'"
    assert f'{how}: was "cat", now "dog"' in said.out


def test_a_function_is_held_against_items_that_are_as_they_were(cli, served):
    """Of a changed pool it is asked about nothing else: another answer to another input is no other model."""
    lines = (served / "pool.csv").read_text().splitlines()
    turned = [line.replace("cat,cat", "dog,cat") if place % 2 else line for place, line in enumerate(lines)]
    (served / "pool.csv").write_text("\n".join(turned[:-1]) + "\n")
    (served / "few.csv").write_text("\n".join(lines[:4]) + "\n")
    for name in ("pool", "few"):
        keys = {"says": "error <= 5% at 95%", "model": "desk:predict", "pool": f"{name}.csv"}
        found = one(cli("check", claims(served, **keys), "--json"))
        assert found["looked_at"] == {"pool": "changed", "model": "no difference seen"}


def test_a_pool_in_another_order_says_nothing_of_the_model(cli, bought):
    """No item stands where it stood, so that no answer was compared, although all of them are others."""
    rewrite(bought / "pool.csv", turn("predicted"))
    head, *rows = (bought / "pool.csv").read_text().splitlines()
    (bought / "pool.csv").write_text("\n".join([head, *reversed(rows)]) + "\n")
    found = one(cli("check", claims(bought), "--json"))
    assert found["verdict"] == "not yet known"
    assert found["looked_at"] == {"pool": "changed", "model": "no difference seen"}


def test_programs_find_no_line_that_says_what_is_no_longer_known(cli, bought):
    rewrite(bought / "pool.csv", turn("predicted"))
    found = one(cli("check", claims(bought), "--json"))
    assert (
        found["details"]["headline"] == "error <= 20% at 95% is not yet known: the model is not the one that was judged"
    )
    assert found["sentence"].startswith(found["details"]["headline"])
    assert found["sentence"] in cli("check", "claims.toml").out


NOISY = """
from itertools import count

calls = count()
TURNED = False

def predict(rows):
    \"\"\"Repeats itself, but for every seventh item once it has turned.\"\"\"
    other = {"cat": "dog", "dog": "cat"}
    said = [other[row["predicted"]] if TURNED else row["predicted"] for row in rows]
    return [f"mood {next(calls)}" if TURNED and int(row["id"][5:]) % 7 == 0 else one for row, one in zip(rows, said)]

def fickle(rows):
    \"\"\"Contradicts itself on every seventh item from the beginning.\"\"\"
    moods = {0: f"mood {next(calls)}"}
    return [moods.get(int(row["id"][5:]) % 7, one) for row, one in zip(rows, predict(rows))]
"""


@pytest.mark.parametrize("name", ["predict", "fickle"])
def test_a_model_that_changed_is_found_although_it_contradicts_itself_here_and_there(cli, tmp_path, name):
    make_pool(tmp_path / "pool.csv", size=120, failing=0)
    (tmp_path / "noisy.py").write_text(NOISY)
    cli("init", "loans", "--pool", "pool.csv", "--model", f"noisy:{name}", "--budget", 60)
    assert cli("risk", "loans", "--oracle", "truth").code == 0
    keys = {"says": "error <= 50% at 95%", "model": f"noisy:{name}"}
    said = cli("check", claims(tmp_path, **keys))
    assert said.code == 0, said.err
    assert ("does not repeat itself, so that a small change would not show" in said.out) is (name == "fickle")
    sys.modules["noisy"].TURNED = True
    said = cli("check", "claims.toml")
    assert said.code == 3
    assert "is not yet known: the model is not the one that was judged" in said.out


def test_an_address_is_called_only_if_it_is_named_and_about_few_items(cli, tmp_path, monkeypatch):
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    make_pool(tmp_path / "pool.csv", size=60, failing=0)
    answers = {"turned": False}

    def reply(rows):
        said = [row.get("truth", "cat") for row in rows]
        return 200, {"predictions": [OTHER[one] if answers["turned"] else one for one in said]}, {}

    with service(reply) as (url, sent):
        with Study.create("loans", pool="pool.csv", model=url, question=Risk("error <= 20% at 95%")) as study:
            study.run("truth")
        sent.clear()
        said = cli("check", claims(tmp_path, pool="pool.csv"))
        assert said.code == 0
        assert "the model was not looked at, since it would have to be run" in said.out
        assert sent == [], "nothing was called that only the study names"
        said = cli("check", claims(tmp_path, pool="pool.csv", model=url))
        assert said.code == 0
        assert (
            "(the model was compared by its first answers alone, since every call to an address may cost)" in said.out
        )
        assert [len(body["instances"]) for *_, body in sent] == [20]
        answers["turned"] = True
        assert cli("check", "claims.toml").code == 3
        answers["turned"] = False
        with open(tmp_path / "old.csv", "w", newline="") as file:
            csv.writer(file).writerows(
                [["id", "text", "answer"], *[[f"i{one}", f"text {one}", "cat"] for one in range(60)]]
            )
        assert cli("changed", "paid", "--old", "old.csv", "--model", url, "--claim", OLD["says"]).code == 0
        sent.clear()
        for more in ({}, {"model": url}):
            said = cli("check", claims(tmp_path, **{**OLD, "study": "paid"}, **more))
            assert "its answers are paid for" in said.out + said.err
        assert sent == [], "answers that are paid for are never bought by a gate"


def aged(path, days):
    """The study as it would be if all in it had happened so many days before."""
    to_format_1(path, older=days * 86_400)


@pytest.mark.parametrize(("most", "code"), [("30 days", 3), ("6 weeks", 0), ("980 hours", 3)])
def test_answers_that_are_too_old_are_not_yet_known(cli, bought, most, code):
    aged(bought / "loans.ringtrue", 41)
    said = cli("check", claims(bought, max_age=most))
    assert said.code == code
    assert (f"not yet known: the newest answer is 41 days old, and max_age is {most}" in said.out) is (code == 3)


def test_a_short_age_is_told_in_hours(cli, bought):
    aged(bought / "loans.ringtrue", 5 / 24)
    said = cli("check", claims(bought, max_age="3 hours"))
    assert said.code == 3
    assert "the newest answer is 5 hours old, and max_age is 3 hours" in said.out


def test_a_false_claim_outweighs_one_that_is_not_yet_known(cli, bought):
    """A file of three claims: true, too old to be known, and false."""
    aged(bought / "loans.ringtrue", 3)
    make_pool(bought / "bad.csv", failing=38)
    cli("init", "bad", "--pool", "bad.csv", "--model", "predicted", "--claim", "error <= 20% at 95%")
    assert cli("risk", "bad", "--oracle", "truth").code == 1
    tables = [("loans", ""), ("loans", 'max_age = "1 day"'), ("bad", "")]
    text = [f'[[claim]]\nstudy = "{name}.ringtrue"\nsays = "error <= 20% at 95%"\n{more}\n' for name, more in tables]
    for last, code in ((2, 3), (3, 1)):
        (bought / "claims.toml").write_text("".join(text[:last]))
        said = cli("check", "claims.toml")
        assert said.code == code
    assert said.out.splitlines()[-1] == "claims.toml: 1 rings true, 1 rings false, 1 not yet known"


@pytest.mark.parametrize("text", ["30", "a month", "0 days", "-1 days", "1e3 days"])
def test_an_age_that_is_no_time_is_refused(cli, bought, text):
    said = cli("check", claims(bought, max_age=text))
    assert said.code == 2
    assert f"max_age={text!r} is not a time" in said.line


def test_a_search_is_judged_in_its_space_and_with_its_model(cli, tmp_path):
    desk = lay_desk(tmp_path)
    assert cli("worst", *desk, "--budget", 6).code == 0
    says = {"study": "worst", "says": "deviation <= 9 at 95%"}
    found = one(cli("check", claims(tmp_path, **says), "--json"))
    assert found["looked_at"] == {"space": "same", "model": "not looked at"}
    calls = (tmp_path / "account.txt").read_text()
    assert one(cli("check", claims(tmp_path, **says, model="desk:model"), "--json"))["looked_at"]["model"] == "same"
    assert one(cli("check", claims(tmp_path, **says, model="desk:zero"), "--json"))["looked_at"]["model"] == "changed"
    assert (tmp_path / "account.txt").read_text() == calls, "the gold standard is not asked"
    (tmp_path / "space.toml").write_text("[parameters]\nx = { low = -3.0, high = 2.0 }\n")
    said = cli("check", claims(tmp_path, **says))
    assert said.code == 3
    assert "the space is not the one that was judged" in said.out
    assert "leave it out" in cli("check", claims(tmp_path, **says, pool="space.toml")).line


OLD = {"study": "shift", "says": "change <= 20% at 95%"}


def shift(folder, size=200):
    with open(folder / "old.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerows([["id", "text", "answer", "new"]])
        rows.writerows([f"i{place}", f"text {place}", *[["cat", "dog"][place % 2]] * 2] for place in range(size))
    (folder / "desk.py").write_text(
        "from pathlib import Path\n\ndef ask(rows):\n    Path('paid').write_text(f'{len(rows)}')\n"
        "    return [['cat', 'dog'][int(row['id'][1:]) % 2] for row in rows]\n"
    )


def test_new_answers_in_a_column_are_compared_and_paid_ones_are_never_bought(cli, tmp_path):
    shift(tmp_path)
    assert cli("changed", "shift", "--old", "old.csv", "--model", "new", "--claim", OLD["says"]).code == 0
    assert one(cli("check", claims(tmp_path, **OLD), "--json"))["looked_at"] == {"pool": "same", "model": "same"}
    rewrite(tmp_path / "old.csv", turn("new"))
    assert "the model is not the one that was judged" in cli("check", "claims.toml").out
    shift(tmp_path)
    assert cli("changed", "paid", "--old", "old.csv", "--model", "desk:ask", "--claim", OLD["says"]).code == 0
    (tmp_path / "paid").unlink()
    said = cli("check", claims(tmp_path, **{**OLD, "study": "paid"}))
    assert said.code == 0
    assert "the model was not looked at, since its answers are paid for" in said.out
    assert "are paid for" in cli("check", claims(tmp_path, **{**OLD, "study": "paid"}, model="desk:ask")).line
    assert not (tmp_path / "paid").exists()


def test_a_panel_whose_votes_changed_is_not_yet_known(cli, tmp_path):
    truth = ["cat", "dog", "dog"] * 20
    votes = [
        (f"i{place}", label, label, OTHER[label] if place % 9 == 0 else label, label)
        for place, label in enumerate(truth)
    ]
    with open(tmp_path / "votes.csv", "w", newline="") as file:
        csv.writer(file).writerows([("id", "ann", "bob", "cyd", "truth"), *votes])
    says = {"study": "panel", "says": "accuracy >= 50% at 95%"}
    bought = cli("judges", "votes.csv", "--study", "panel", "--oracle", "truth", "--budget", 30)
    assert bought.code == 0, bought.err
    assert one(cli("check", claims(tmp_path, **says), "--json"))["looked_at"] == {"pool": "same", "model": "same"}
    rewrite(tmp_path / "votes.csv", turn("bob"))
    said = cli("check", "claims.toml")
    assert said.code == 3
    assert "the model is not the one that was judged (30 of 30 recorded answers differ" in said.out
