"""A person who types numbers in: what is shown, what is asked again, and what is kept when they leave."""

from decimal import Decimal

import pytest

from ringtrue.core import InvalidInput, Item, Oracle, Query
from ringtrue.oracles import PersonOracle
from ringtrue.study import Study
from support import SpaceSearch


class Terminal:
    """Types what it was given, then ends; remembers what it was shown."""

    def __init__(self, *typed):
        self.typed = list(typed)
        self.shown = []

    def read(self, prompt):
        self.shown.append(prompt)
        if not self.typed:
            raise EOFError
        return self.typed.pop(0)

    def oracle(self, *outputs):
        return PersonOracle(self.read, self.shown.append, outputs=outputs)


def query(**values):
    return Query("alloys:7", "worst", "oracle", Item("point", values), Decimal(1), None)


def typed(*lines, outputs=("AL6MN",)):
    """What is answered to these lines, and what was shown beside the prompts."""
    terminal = Terminal(*lines)
    oracle = terminal.oracle(*outputs)
    (reply,) = oracle.answer([query(Cu=0.5)])
    assert not terminal.typed, "nothing is read beyond the answer"
    return reply.value, [line for line in terminal.shown[3:] if "cannot tell)" not in line]


def test_an_item_is_shown_in_columns_and_a_number_is_read():
    terminal = Terminal(" 0.75 ")
    oracle = terminal.oracle("AL6MN")
    assert isinstance(oracle, Oracle)
    assert [reply.value for reply in oracle.answer([query(Cu=0.5, Mn=1, shape="round")])] == [0.75]
    assert terminal.shown == [
        "", "alloys:7", "  Cu     0.5", "  Mn     1", "  shape  round",
        "AL6MN (a number, or ? if you cannot tell): ",
    ]  # fmt: skip


@pytest.mark.parametrize("line", ["1 -2.5", "1,-2.5", " 1 , -2.5 ", "1e0\t-25e-1"])
def test_several_numbers_are_parted_by_spaces_or_commas(line):
    assert typed(line, outputs=("a", "b")) == ([1.0, -2.5], [])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "0 numbers where 1 is wanted"),
        ("many", "'many' is not a number"),
        ("1 2", "2 numbers where 1 is wanted"),
        ("0,5", "written with a point"),
        ("nan", "not finite"),
        ("1e999", "not finite"),
        ("? 1", "'?' is not a number"),
    ],
)
def test_what_is_no_answer_is_asked_again_with_one_line(line, words):
    value, complaints = typed(line, "3")
    assert value == 3.0
    assert len(complaints) == 1
    assert words in complaints[0]
    assert "\n" not in complaints[0]


def test_too_few_numbers_for_several_outputs():
    value, complaints = typed("1", "1 2", outputs=("a", "b"))
    assert (value, complaints) == ([1.0, 2.0], ["1 number where 2 are wanted"])


def test_a_person_may_not_know():
    assert typed("?") == (None, [])


def test_when_the_person_leaves_everything_typed_is_kept(tmp_path):
    with Study.create(tmp_path / "s", question=SpaceSearch(), budget=5, batch=3) as study:
        with pytest.raises(KeyboardInterrupt):
            study.run(Terminal("1 2", "3 4").oracle("a", "b"))
        assert (study.status().answered, study.status().leased) == (2, 0)
        waiting = study.records[2].id
        finding = study.run(Terminal("5 6", "7 8", "9 9").oracle("a", "b"))
        assert [value for _, value in finding.told] == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 9]]
        assert finding.told[2][0] == waiting, "the question that was left open is asked again"


def test_bad_outputs():
    for outputs in ("force", []):
        with pytest.raises(InvalidInput, match="must be a list of at least one name"):
            PersonOracle(input, print, outputs=outputs)
