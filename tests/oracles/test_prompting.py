"""A person who labels at a terminal: keys and prefixes, an answer that is taken back, and whose it is."""

from decimal import Decimal

import pytest

from ringtrue.core import InvalidInput, Item, Query
from ringtrue.oracles import LabelPerson, PersonOracle
from ringtrue.oracles._typed import keys_of, read_label, spelt
from ringtrue.study import Study
from support import SpaceSearch, make_study

ANIMALS = ["cat", "car", "Dog"]


class Terminal:
    """Types what it was given, then ends; remembers what it was shown."""

    def __init__(self, *typed):
        self.typed, self.shown = list(typed), []

    def read(self, prompt):
        self.shown.append(prompt)
        if not self.typed:
            raise EOFError
        return self.typed.pop(0)

    def person(self, labels=ANIMALS, **options):
        return LabelPerson(self.read, self.shown.append, labels=labels, **options)

    def of(self, study, **options):
        """The one who labels a study, and may correct what is recorded."""

        def amend(query, answer):
            if study.records[int(query.id.rpartition(":")[2])].state not in ("answered", "abandoned"):
                return False
            study.amend(query, answer, rater=options.get("rater"), reason="undo")
            return True

        return self.person(["cat", "dog"], amend=amend, **options)


def query(number=0):
    return Query(f"pets:{number}", "risk", "oracle", Item(f"item-{number}", {"size": 3}), Decimal(1), None)


def labelled(*typed, **options):
    """What is answered to one query, and what is complained about on the way."""
    terminal = Terminal(*typed)
    (reply,) = terminal.person(**options).answer([query()])
    assert not terminal.typed, "nothing is read beyond the answer"
    return reply.value, [line for line in terminal.shown if "type" in line]


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("cat", "cat"),
        ("1", "cat"),
        ("2", "car"),
        ("3", "Dog"),
        ("D", "Dog"),
        ("do", "Dog"),
        ("CAR", "car"),
        ("?", None),
    ],
)
def test_a_label_is_typed_whole_by_its_key_or_by_its_beginning(typed, label):
    assert labelled(typed) == (label, [])


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("ca", "'ca' may be cat or car: type more of it"),
        ("cow", "'cow' is not a label: type one, or ?"),
        ("4", "'4' is not a label: type one, or ?"),
        ("", "'' is not a label: type one, or ?"),
    ],
)
def test_what_is_no_label_or_may_be_two_is_asked_again(typed, words):
    assert labelled(typed, "cat") == ("cat", [words])


def test_the_prompt_shows_the_keys():
    terminal = Terminal("cat")
    terminal.person().answer([query()])
    assert terminal.shown[-1] == "label (1 cat, 2 car, 3 Dog), or ? if you cannot tell: "


def test_a_key_is_never_the_beginning_of_a_label_or_a_command():
    assert keys_of(["1st", "2nd"]) == {"3": "1st", "4": "2nd"}
    assert keys_of([str(digit) for digit in range(10)]) == {}, "a label of one letter is its own key"
    many = [f"kind {number}" for number in range(60)]
    keys = keys_of(many)
    assert len(keys) == 33, "9 digits and 26 letters without the first of the labels and that of undo"
    assert not {"k", "u", "?"} & set(keys)
    assert [read_label(key, many, keys)[0] for key in keys] == many[:33]


def test_a_label_that_is_a_command_is_a_label_and_the_command_is_doubled():
    assert (spelt("u", ["u", "uu"]), spelt("?", ["?"])) == ("uuu", "??")
    terminal = Terminal("u", "?", "uu", "v", "??")
    person = terminal.person(["u", "v", "?"], amend=lambda query, answer: True)
    assert [reply.value for reply in person.answer([query(n) for n in range(3)])] == ["u", "?", None]
    assert terminal.shown[-1] == "label (u, v, ?), uu to undo, or ?? if you cannot tell: "


def test_any_label_may_be_typed_where_none_are_known_and_commands_in_quotes():
    terminal = Terminal('"u"', '"?"', "u", "whale", "?")
    person = terminal.person(None, amend=lambda query, answer: True)
    assert [reply.value for reply in person.answer([query(n) for n in range(3)])] == ["u", "?", None]
    assert [line for line in terminal.shown if "quotes" in line] == [
        'A label that is called u or ? is typed in quotes, as in "u".'
    ]


def test_the_rater_goes_with_every_answer():
    for value in ("cat", "?"):
        (reply,) = Terminal(value).person(rater="ann").answer([query()])
        assert reply.rater == "ann"


def test_undo_amends_what_is_recorded_and_keeps_what_it_was(tmp_path):
    with make_study(tmp_path, budget=3) as study:
        terminal = Terminal("cat", "u", "dog", "cat", "?", "dog")
        study.run(terminal.of(study, rater="ann"))
        first, second, third, _ = study.records
        assert (first.value, first.earlier, first.rater) == ("dog", ("cat",), "ann")
        assert (second.value, second.earlier) == ("cat", ())
        assert third.state == "abandoned"
        assert "  your answer: cat (Enter keeps it)" in terminal.shown
        assert study.status().answered == 3, "a correction is paid for once"
    with Study.open(tmp_path / "study.ringtrue") as again:
        assert again.records[0].earlier == ("cat",)


def test_enter_keeps_the_answer_and_only_the_last_can_be_corrected(tmp_path):
    with make_study(tmp_path, budget=2) as study:
        terminal = Terminal("u", "cat", "u", "u", "", "dog")
        study.run(terminal.of(study))
        assert [(record.value, record.earlier) for record in study.records] == [("cat", ()), ("dog", ())]
        complaint = "there is no other answer to undo: only the last one of this run can be corrected"
        assert terminal.shown.count(complaint) == 2, "before the first answer, and while it is corrected"


def test_what_could_not_be_told_is_corrected_as_well_and_back(tmp_path):
    with make_study(tmp_path, budget=3) as study:
        study.run(Terminal("?", "u", "cat", "cat", "u", "?", "cat", "dog").of(study, rater="ann"))
        states = [(record.state, record.value) for record in study.records]
        assert states[:2] == [("answered", "cat"), ("abandoned", None)]


def test_answers_of_a_batch_are_corrected_once_they_are_recorded(tmp_path):
    """Those of a batch are recorded together: until then there is nothing in the journal to correct."""
    with make_study(tmp_path, budget=3, batch=3) as study:
        person = Terminal("cat", "u", "dog", "u", "cat", "u", "dog", "cat", "cat").of(study, rater="ann")
        study.run(person)
        person.hand_in()
        assert study.records[0].value == "dog"
        assert [record.value for record in study.records[1:]] == ["cat", "cat"]
        person.close()
        assert study.records[0].earlier[:1] == ("cat",)


def test_what_cannot_be_corrected_is_said_and_stays():
    def amend(query, answer):
        raise InvalidInput("the budget has no room")

    terminal = Terminal("cat", "u", "car", "Dog")
    person = terminal.person(amend=amend)
    assert [reply.value for reply in person.answer([query(0), query(1)])] == ["cat", "Dog"]
    assert terminal.shown.count("the budget has no room") == 1
    person.close()
    assert terminal.shown.count("the budget has no room") == 1


def test_who_leaves_while_correcting_leaves_the_answer_as_it_was(tmp_path):
    with make_study(tmp_path, budget=3) as study:
        with pytest.raises(KeyboardInterrupt):
            study.run(Terminal("cat", "u").of(study))
        assert (study.records[0].value, study.records[0].earlier) == ("cat", ())
        assert study.status().leased == 0


def test_numbers_are_taken_back_too(tmp_path):
    told = {}
    terminal = Terminal("1", "u", "2,5", "3")

    def amend(query, answer):
        told[query.id] = answer
        return True

    person = PersonOracle(terminal.read, terminal.shown.append, amend=amend, rater="ann")
    assert [reply.value for reply in person.answer([query(0), query(1)])] == [1.0, 3.0]
    assert told == {"pets:0": 2.5}
    assert "value (a number, u to undo, or ? if you cannot tell): " in terminal.shown


def test_without_a_study_to_correct_there_is_no_undo(tmp_path):
    with Study.create(tmp_path / "s", question=SpaceSearch(), budget=2) as study:
        terminal = Terminal("1 2", "u", "3 4")
        study.run(PersonOracle(terminal.read, terminal.shown.append, outputs=["a", "b"]))
        assert [record.value for record in study.records] == [[1.0, 2.0], [3.0, 4.0]]
        assert not [line for line in terminal.shown if "undo" in line]
