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


LINES = [
    "1 -2.5",
    "1,-2.5",
    " 1 , -2.5 ",
    "1;-2.5",
    "1e0\t-25e-1",
    "1 -2,5",
    "1; -2,5",
    "1,0 -2,5",
    "1, -2,5",
    "1 ,-2,5",
]


@pytest.mark.parametrize("line", LINES)
def test_several_numbers_are_parted_by_spaces_semicolons_or_commas_and_shown_where_they_have_commas(line):
    shown = ["read: a 1.0, b -2.5"] if "," in line else []
    assert typed(line, outputs=("a", "b")) == ([1.0, -2.5], shown)


@pytest.mark.parametrize(("line", "number"), [("351,8", 351.8), ("-0,5e2", -50.0), ("1,234", 1.234), ("7,", 7.0)])
def test_a_comma_in_one_number_is_a_decimal_comma_and_what_was_read_is_shown(line, number):
    assert typed(line) == (number, [f"read: AL6MN {number!r}"])


@pytest.mark.parametrize("line", ["1,2", "351,8"])
def test_a_comma_between_two_numbers_is_not_guessed_at(line):
    """Before, it parted them; now it is asked again, and not recorded as another number."""
    value, said = typed(line, "1 2", outputs=("a", "b"))
    assert value == [1.0, 2.0]
    assert said == [
        "1 number where 2 are wanted: a comma inside a number is a decimal comma, so part them by spaces or semicolons"
    ]


def test_several_outputs_say_how_they_are_parted():
    terminal = Terminal("1 2")
    terminal.oracle("a", "b").answer([query(Cu=0.5)])
    assert terminal.shown[-1] == "a, b (2 numbers parted by spaces or semicolons, or ? if you cannot tell): "


def settled(*lines, outputs=("AL6MN",), **values):
    """What is answered where settings may be told, and what was shown beside the item and the prompts."""

    def check(asked, told):
        assert asked == values
        if any(told.get(name, 0) > 400 for name in ("Cu",)):
            raise InvalidInput("Cu is at most 400: correct it")

    terminal = Terminal(*lines)
    oracle = PersonOracle(terminal.read, terminal.shown.append, outputs=outputs, check=check)
    (reply,) = oracle.answer([query(**values)])
    assert not terminal.typed
    return reply.value, [line for line in terminal.shown[4 + len(values) :] if "cannot tell)" not in line]


def test_what_was_really_set_follows_the_numbers():
    assert settled("71,5 Cu=351,8", Cu=352.4) == (
        {"label": 71.5, "set": {"Cu": 351.8}},
        ["read: AL6MN 71.5, Cu set to 351.8"],
    )
    told = settled("1 2; Cu = 3, kind=sea water", outputs=("a", "b"), Cu=4, kind="oil")
    assert told == (
        {"label": [1.0, 2.0], "set": {"Cu": 3.0, "kind": "sea water"}},
        ["read: a 1.0, b 2.0, Cu set to 3.0, kind set to sea water"],
    )
    assert settled("71.5", Cu=352.4) == (71.5, [])


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("1 Cu=500", "Cu is at most 400: correct it"),
        ("1 Cu=hot", "Cu='hot' is not a number: write what was set, as in Cu=352.4"),
        ("Cu=300", "0 numbers where 1 is wanted"),
        ("1 Mn=3", "'Mn=3' is not a number: type numbers, parted by spaces or semicolons"),
    ],
)
def test_settings_that_cannot_be_are_asked_again(line, complaint):
    assert settled(line, "3", Cu=352.4) == (3.0, [complaint])


def test_how_to_tell_a_setting_is_said_once():
    terminal = Terminal("1", "2")
    oracle = PersonOracle(terminal.read, terminal.shown.append, check=lambda asked, told: None)
    oracle.answer([query(Cu=0.5), query(Cu=0.6)])
    hint = "If something was set otherwise than asked, say so after the numbers, as in: 1.5 Cu=0.5"
    assert [line for line in terminal.shown if "otherwise" in line] == [hint]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "0 numbers where 1 is wanted"),
        ("many", "'many' is not a number"),
        ("1 2", "2 numbers where 1 is wanted"),
        ("1.234,5", "2 numbers where 1 is wanted: commas part numbers where points mark decimals"),
        ("1,234,567", "'1,234,567' is not a number"),
        ("1_000", "'1_000' is not a number"),
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
