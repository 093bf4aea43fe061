"""The verifier: agrees with every honest report, and finds and names whatever was changed in one."""

import copy
import json

import pytest

from ringtrue.core import InvalidInput, Reply
from ringtrue.report import document, verify, verify_report, write_report
from ringtrue.report._write import pieces
from ringtrue.risk import Risk
from ringtrue.study import Study
from support import CountingOracle, make_study

pytestmark = pytest.mark.usefixtures("unlaid")


class Unsure(CountingOracle):
    """Cannot tell about every fifth item."""

    def answer(self, queries):
        replies = super().answer(queries)
        return [Reply(None) if len(self.order) % 5 == 0 else reply for reply in replies]


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A report of a study with failures, money and raters, as it comes out of its file."""
    with make_study(tmp_path_factory.mktemp("honest"), failing=9, claim="error <= 5% at 95%", price="0.25") as study:
        study.run(CountingOracle())
        return json.loads(json.dumps(document(study)))


def answered(folder, number, **options):
    """A study with so many answers."""
    study = make_study(folder, **options)
    for query in study.ask(number) if number else []:
        study.tell(query, query.item.values["truth"])
    return study


def _empty(folder):
    return answered(folder, 0)


def _undecided(folder):
    return answered(folder, 5, claim="error <= 1% at 95%")


def _full(folder):
    return answered(folder, 40, claim="error <= 10% at 95%")


def _no_claim(folder):
    return answered(folder, 7, claim=None)


def _unsure(folder):
    study = make_study(folder, claim="error <= 5% at 95%")
    study.run(Unsure())
    assert study.status().abandoned
    return study


def _batches(folder):
    study = make_study(folder, batch=7)
    study.run(CountingOracle())
    return study


def _open_query(folder):
    study = make_study(folder)
    _, *rest = study.ask(6)
    for query in rest:
        study.tell(query, query.item.values["truth"])
    return study


def _two_questions(folder):
    study = make_study(folder, question=[Risk("error <= 20% at 95%"), Risk("error <= 30% at 95%", name="other")])
    for name in ("risk", "other", "risk"):
        for query in study.ask(4, question=name):
            study.tell(query, query.item.values["truth"])
    return study


@pytest.mark.parametrize("make", [_empty, _undecided, _full, _no_claim, _unsure, _batches, _open_query])
@pytest.mark.parametrize("claim", [None, "error <= 33% at 90%"])
def test_every_honest_report_agrees(tmp_path, make, claim):
    with make(tmp_path) as study:
        _, twin = write_report(study, tmp_path / "report.html", claim=claim)
    result = verify_report(twin)
    assert result.agrees, result
    assert result.numbers > 20
    assert str(result).startswith("agrees: ")


@pytest.mark.parametrize("question", ["risk", "other"])
def test_each_question_of_a_study_agrees(tmp_path, question):
    with _two_questions(tmp_path) as study:
        made = json.loads(json.dumps(document(study, question=question)))
    assert verify(made).agrees
    assert made["question"]["name"] == question


def test_neither_model_nor_oracle_nor_pool_is_needed(tmp_path):
    with answered(tmp_path, 12) as study:
        _, twin = write_report(study, tmp_path / "report.html")
    for name in ("pool.csv", "study.ringtrue"):
        (tmp_path / name).unlink()
    assert verify_report(twin).agrees


def put(*path):
    """A change: the value at the end of the path, at the place before it."""
    *way, last, value = path

    def change(made):
        place = made
        for step in way:
            place = place[step]
        before = place[last]
        place[last] = value(before) if callable(value) else value
        assert place[last] != before, "the change must change something"

    return change


def swap_records(made):
    records = made["records"]
    records[2], records[5] = records[5], records[2]


def swap_asked_items(made):
    """Two items change places and everything but their numbers goes with them."""
    records = made["records"]
    records[2], records[5] = records[5], records[2]
    records[2]["number"], records[5]["number"] = 2, 5


def drop_answer(made):
    del made["records"][3]


def add_answer(made):
    made["records"].append({**made["records"][-1], "number": len(made["records"])})


def first_item(made):
    return next(iter(made["items"]))


def change_item(made):
    made["items"][first_item(made)]["feature"] = 123.0


def rename_item(made):
    made["items"]["somebody"] = made["items"].pop(first_item(made))


def drop_item(made):
    del made["items"][first_item(made)]


FINDING = ("computed", "finding")
CHANGES = [
    ("estimate", put(*FINDING, "interval", "estimate", lambda x: x + 1e-6), "computed.finding.interval.estimate"),
    ("low", put(*FINDING, "interval", "low", 0.5), "computed.finding.interval.low"),
    ("high", put(*FINDING, "interval", "high", lambda x: x * 0.9), "computed.finding.interval.high"),
    ("level", put(*FINDING, "interval", "level", 0.99), "computed.finding.interval.level"),
    ("method", put(*FINDING, "interval", "method", "wald"), "computed.finding.interval.method"),
    ("bound", put(*FINDING, "bound", "low", 0.9), "computed.finding.bound.low"),
    ("path", put(*FINDING, "path", "high", 4, 0.2), "computed.finding.path.high[4]"),
    ("path cut", put(*FINDING, "path", "low", lambda x: x[:-1]), "computed.finding.path.low"),
    ("verdict", put(*FINDING, "verdict", "rings true"), "computed.finding.verdict"),
    ("sentence", put(*FINDING, "sentence", "all is well"), "computed.finding.sentence"),
    ("failures", put(*FINDING, "failures", 0), "computed.finding.failures"),
    ("answers", put(*FINDING, "answers", 400), "computed.finding.answers"),
    ("decided", put(*FINDING, "decided_at", 1), "computed.finding.decided_at"),
    ("population", put(*FINDING, "population", 41), "computed.finding.population"),
    ("assumption", put(*FINDING, "assumptions", 0, "None."), "computed.finding.assumptions[0]"),
    ("extra", lambda made: made["computed"].update(score=1), "computed.score"),
    ("count", put("computed", "spending", "answered", 7), "computed.spending.answered"),
    ("money", put("computed", "spending", "money", "0.01"), "computed.spending.money"),
    ("failure", put("computed", "failures", 0, "truth", "cow"), "computed.failures[0].truth"),
    ("failure id", put("computed", "failures", 0, "id", "item-0x"), "computed.failures[0].id"),
    ("failure gone", lambda made: made["computed"]["failures"].pop(), "computed.failures"),
    ("answer", put("records", 2, "value", "cow"), "computed.finding"),
    ("answer hash", put("records", 2, "value", "cow"), "hashes.answers"),
    ("prediction", put("records", 2, "said", "cow"), "computed.failures"),
    ("cost", put("records", 2, "cost", "0.20"), "computed.spending.money"),
    ("probability", put("records", 2, "probability", 0.5), "asked[2]"),
    ("floor", put("records", 2, "floor", 0.01), "asked[2]"),
    ("row", put("records", 2, "row", lambda x: (x + 1) % 40), "asked[2]"),
    ("row nowhere", put("records", 2, "row", 4_000), "asked[2]"),
    ("rater", put("records", 2, "rater", "a friend"), "computed.spending.raters"),
    ("state", put("records", 2, "state", "abandoned"), "computed.spending.given_up"),
    ("record id", put("records", 2, "id", "item-0x"), "hashes.answers"),
    ("order", swap_records, "asked[2]"),
    ("items asked", swap_asked_items, "asked[2]"),
    ("dropped", drop_answer, "asked[3]"),
    ("added", add_answer, "computed.spending.asked"),
    ("claim", put("claim", "error <= 50% at 95%"), "computed.finding.claim"),
    ("no claim", put("claim", None), "computed.finding.claim"),
    ("seed", put("study", "seed", 1), "asked[0]"),
    ("pool size", put("study", "pool", "size", 80), "asked[0]"),
    ("unreadable claim", put("claim", "mostly fine"), "computed says something"),
    ("pool hash", put("study", "pool", "fingerprint", "0"), "hashes.plan"),
    ("model hash", put("study", "model", "fingerprint", "0"), "hashes.plan"),
    ("budget", put("study", "budget", "labels", 5), "hashes.plan"),
    ("price", put("study", "price", "oracle", "0.01"), "hashes.plan"),
    ("name", put("study", "name", "another"), "hashes.plan"),
    ("date", put("written", "2001-01-01T00:00:00+00:00"), "hashes.plan"),
    ("own claim", put("question", "claim", "error <= 50% at 95%"), "hashes.plan"),
    ("unknown entry", lambda made: made.update(endorsed="yes"), "hashes.plan"),
    ("item", change_item, "items."),
    ("item named otherwise", rename_item, "items.somebody"),
    ("item gone", drop_item, "hashes.items"),
    ("hash", put("hashes", "answers", "0" * 16), "hashes.answers"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "named"), [entry[1:] for entry in CHANGES], ids=[entry[0] for entry in CHANGES])
def test_a_change_is_found_and_named(honest, change, named):
    made = copy.deepcopy(honest)
    change(made)
    result = verify(made)
    assert not result.agrees
    assert any(difference.startswith(named) for difference in result.differences), result.differences
    assert str(result).startswith("does not agree in ")


def test_the_report_before_the_changes_agrees(honest):
    """Else every test above would pass for the wrong reason."""
    assert verify(honest).agrees
    assert honest["computed"]["failures"]
    assert honest["items"]


def test_it_is_written_as_it_would_be_at_once(honest):
    made = {**honest, "empty": [], "words": ["a\nb", "ü"], "none": None, "deep": {"list": [[1], {}]}}
    assert "".join(pieces(made)) == json.dumps(made, ensure_ascii=False, indent=1)


def test_the_last_digit_of_a_float_may_differ(honest):
    """Another processor may round otherwise; a reader cannot see it."""
    made = copy.deepcopy(honest)
    made["computed"]["finding"]["interval"]["high"] *= 1 + 1e-12
    assert verify(made).agrees


def test_many_differences_are_counted_and_the_first_are_shown(honest):
    made = copy.deepcopy(honest)
    made["computed"]["finding"]["path"]["low"] = [0.123] * len(made["computed"]["finding"]["path"]["low"])
    text = str(verify(made))
    assert text.count("says") == 5
    assert " more" in text


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda made: made.pop("records"), "records"),
        (lambda made: made.pop("hashes"), "hashes"),
        (lambda made: made.pop("question"), "question"),
        (lambda made: made["records"][0].pop("cost"), "cost"),
        (lambda made: made["records"][0].update(cost="dear"), "Invalid"),
        (lambda made: made["records"][0].update(surprise=1), "surprise"),
        (lambda made: made.update(records="none"), "cannot be recomputed"),
        (lambda made: made["question"].update(kind="magic"), "magic"),
        (lambda made: made["study"].update(pool=None), "cannot be recomputed"),
        (lambda made: made.update(format=99), "format 2, 3, 4 and 5"),
    ],
)
def test_what_cannot_be_recomputed_is_refused_in_one_line(tmp_path, honest, spoil, word):
    made = copy.deepcopy(honest)
    spoil(made)
    path = tmp_path / "report.json"
    path.write_text(json.dumps(made))
    with pytest.raises(InvalidInput) as caught:
        verify_report(path)
    assert "report.json" in str(caught.value)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"null", b'{"format": 1', b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_no_report(tmp_path, content):
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"report\.json"):
        verify_report(path)


def test_a_report_of_an_earlier_format_is_not_called_false(tmp_path):
    path = tmp_path / "report.json"
    path.write_text('{"format": 1, "ringtrue": "0.1.0", "computed": {}}')
    with pytest.raises(InvalidInput, match=r"format 1, .*'0\.1\.0'\), or write it again from its study"):
        verify_report(path)


def test_no_file_a_folder_and_the_page_itself(tmp_path):
    with pytest.raises(InvalidInput, match="does not exist"):
        verify_report(tmp_path / "nowhere.json")
    with pytest.raises(InvalidInput, match="cannot be read"):
        verify_report(tmp_path)
    with answered(tmp_path, 3) as study:
        page, twin = write_report(study, tmp_path / "report.html")
    with pytest.raises(InvalidInput, match=str(twin)):
        verify_report(page)


def test_a_resumed_study_agrees(tmp_path):
    with answered(tmp_path, 4) as study:
        size = study.status().answered
    with Study.open(tmp_path / "study", pool=tmp_path / "pool.csv", model="predicted") as study:
        study.run(CountingOracle())
        assert study.status().answered > size
        assert verify(json.loads(json.dumps(document(study)))).agrees
