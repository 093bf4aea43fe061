"""`--oracle ask`: people label at the terminal by keys and beginnings, under their names, and take answers back."""

import io
import sys

import pytest

from ringtrue.study import Study
from support import make_pool

VOTES = "id,a,b,c\n" + "".join(f"i{n},yes,{'yes' if n % 2 else 'no'},no\n" for n in range(20))
SPACE = "[parameters]\nheat = { low = 250, high = 400, step = 5 }\n"
DESK = "def model(rows):\n    return [2 * row['heat'] for row in rows]\n"
POOL = ("--pool", "pool.csv", "--model", "predicted", "--labels", "cat,dog")
VERBS = {
    "risk": (("risk", "s", *POOL, "--budget", 2), ("c", "u", "d", "2"), ["dog", "dog"]),
    "blind": (
        ("blind", "s", *POOL, "--confidence", "feature", "--above", 0, "--budget", 2),
        ("1", "u", "2", "2"),
        None,
    ),
    "judges": (("judges", "votes.csv", "--study", "s", "--budget", 2), ("n", "u", "y", "1"), ["yes", "no"]),
    "worst": (
        ("worst", "s", "--space", "space.toml", "--model", "desk:model", "--budget", 2),
        ("500", "u", "600,5 heat=251", "7"),
        None,
    ),
}


@pytest.fixture
def typing(cli, tmp_path, monkeypatch):
    """Run a verb with these lines typed."""
    make_pool(tmp_path / "pool.csv")
    text = (tmp_path / "pool.csv").read_text().splitlines()
    rows = [line.split(",") for line in text[1:]]
    table = [text[0], *(",".join([row[0], f"0.{place:02}", *row[2:]]) for place, row in enumerate(rows))]
    (tmp_path / "pool.csv").write_text("\n".join(table))
    (tmp_path / "votes.csv").write_text(VOTES)
    (tmp_path / "space.toml").write_text(SPACE)
    (tmp_path / "desk.py").write_text(DESK)

    def call(*arguments, lines):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return cli(*arguments)

    return call


def records(folder):
    with Study.open(folder / "s.ringtrue") as study:
        return study.records


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_an_answer_back_as_a_correction(typing, tmp_path, verb):
    command, lines, values = VERBS[verb]
    said = typing(*command, "--oracle", "ask", "--rater", "ann", lines=lines)
    assert said.code in (0, 3), said.err
    assert "u to undo, or ? if you cannot tell" in said.err
    assert "(Enter keeps it)" in said.err
    first, second = records(tmp_path)
    assert (first.rater, second.rater) == ("ann", "ann")
    assert (len(first.earlier), second.earlier) == (1, ())
    if values is not None:
        assert [first.value, second.value] == values
    if verb == "worst":
        assert first.value == {"label": 600.5, "set": {"heat": 251.0}, "said": 502.0}


def test_several_people_take_turns_and_only_their_own_is_taken_back(typing, cli, tmp_path):
    command, _, _ = VERBS["risk"]
    typing(*command, "--oracle", "ask", "--rater", "ann", lines=["c", "d"])
    said = typing("risk", "s", "--rater", "ben", "--budget", 4, lines=["u", "c", "d"])
    assert "there is no other answer to undo" in said.err
    assert [record.rater for record in records(tmp_path)] == ["ann", "ann", "ben", "ben"]
    assert len({record.row for record in records(tmp_path)}) == 4
    assert "'ann' did" in cli("amend", "s", 0, "dog", "--rater", "ben").line


def test_what_is_taken_back_within_a_batch_is_in_the_finding_that_is_shown(typing, tmp_path):
    command, _, _ = VERBS["risk"]
    said = typing(*command[:-1], 3, "--batch", 3, "--oracle", "ask", lines=["c", "u", "d", "c", "c"])
    assert records(tmp_path)[0].value == "dog"
    assert "1 answer corrected" in said.out


def test_a_person_answers_one_question_at_a_time(typing, tmp_path):
    command, _, _ = VERBS["risk"]
    said = typing(*command, "--oracle", "ask", "--batch", 2, "--workers", 2, lines=[])
    assert said.code == 2
    assert "--workers=2 with --oracle ask: a person answers one question at a time" in said.line
    assert not (tmp_path / "s.ringtrue").exists()
