"""A report written on one kind of processor agrees on every other, and a study begun on one goes on on another."""

import copy
import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from ringtrue.report import verify
from ringtrue.report._compare import FITTED, TOLERANCE, compare
from ringtrue.study import Study
from ringtrue.worst import Worst
from support.processor_worker import BEGUN, EVALUATIONS, WRITTEN
from support.processors import KINDS, run_as

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(len(KINDS) < 2, reason="this processor can stand for no other: it is not an x86 of Linux"),
]


def each(task):
    """Do the same as on every kind of processor, two at a time."""
    with ThreadPoolExecutor(2) as threads:
        return dict(zip(KINDS, threads.map(task, KINDS), strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder per kind, with what was written and begun there; what was begun is then gone on with on another.

    With it, what was answered before that, and what each kind says of each twin: (who asks, who wrote, twin) to words.
    """
    place = tmp_path_factory.mktemp("processors")
    for kind in KINDS:
        (place / kind).mkdir()
    done = each(lambda kind: run_as(kind, "write", place / kind)).values()
    assert {code for code, _ in done} == {-9}, "the last of its studies is killed"
    if len({printed for _, printed in done}) < len(KINDS):
        pytest.skip("the linear algebra here is no OpenBLAS, and takes the processor for what it is")
    before = {kind: states(place / kind / "search.ringtrue") for kind in KINDS}
    others = {kind: [kind, *(one for one in KINDS if one != kind)] for kind in KINDS}
    printed = each(lambda kind: run_as(kind, "go-on", *(place / other for other in others[begun_on(kind)]))[1])
    lines = [(kind, json.loads(line)) for kind, text in printed.items() for line in text.splitlines()]
    return place, before, {(kind, other, name): words for kind, (other, name, words) in lines}


def begun_on(kind):
    """The kind of processor on which a study was begun that goes on on this one."""
    return KINDS[KINDS.index(kind) - 1]


def states(path):
    with Study.open(path) as study:
        return [(record.number, record.point, record.value) for record in study.records if record.state == "answered"]


def twin(place, kind, name):
    return json.loads((place / kind / f"{name}.json").read_text())


def test_every_report_agrees_on_every_processor(folder):
    _, _, said = folder
    assert set(said) == {(kind, other, name) for kind in KINDS for other in KINDS for name in WRITTEN}
    assert not [f"{key}: {words}" for key, words in said.items() if not words.startswith("agrees: ")]


def test_processors_do_differ(folder):
    """Else the test above says nothing: the bits of a surrogate are not the same, though the answers are."""
    place, *_ = folder
    worst = [twin(place, kind, "worst mixed")["computed"]["finding"] for kind in KINDS]
    assert len({json.dumps(finding["surrogate"]) for finding in worst}) > 1


def test_a_search_that_was_killed_keeps_its_answers_and_is_done_on_another_processor(folder):
    place, before, _ = folder
    for kind in KINDS:
        answers = states(place / kind / "search.ringtrue")
        assert len(before[kind]) == BEGUN
        assert answers[:BEGUN] == before[kind]
        made = twin(place, kind, "search gone on")
        assert verify(made).agrees
        assert made["computed"]["finding"]["verdict"] == "rings false"
        assert BEGUN < made["computed"]["finding"]["answers"] <= EVALUATIONS
        points = [point for _, point, _ in answers]
        assert len(set(points)) == len(points), "nothing is bought twice"


def test_a_hunt_with_a_fitted_model_goes_on_on_another_processor(folder):
    place, *_ = folder
    hunts = [twin(place, kind, "hunt gone on") for kind in KINDS]
    assert all(verify(made).agrees for made in hunts)
    assert {made["computed"]["finding"]["answers"] for made in hunts} == {16}
    rows = [[record["row"] for record in made["records"]] for made in hunts]
    assert all(len(set(some)) == 16 for some in rows)


FORGED = [
    ("worst", lambda made: made["records"][3].update(value=made["records"][3]["value"] * 1.001), "hashes.answers"),
    ("worst", lambda made: made["computed"]["finding"].update(verdict="rings true"), "computed.finding.verdict"),
    ("worst", lambda made: made["computed"]["finding"].update(answers=EVALUATIONS + 1), "computed.finding.answers"),
    ("worst", lambda made: scale(made["computed"]["finding"]["worst"], "deviation"), "computed.finding.worst"),
    ("worst", lambda made: scale(made["computed"]["finding"]["region"], "volume"), "computed.finding.region.volume"),
    ("worst", lambda made: scale(made["computed"]["finding"]["peaks"][0], "predicted"), "computed.finding.peaks[0]"),
    ("worst", lambda made: scale(made["computed"]["finding"]["surrogate"]["calibration"], "rms"), "computed.finding"),
    ("worst", lambda made: made["records"].insert(2, made["records"].pop(5)), "hashes.answers"),
    ("risk", lambda made: made["records"].insert(2, made["records"].pop(5)), "asked[2]"),
    ("risk", lambda made: scale(made["computed"]["finding"]["interval"], "high"), "computed.finding.interval.high"),
    ("risk by doubt", lambda made: scale(made["computed"]["finding"]["interval"], "high"), "computed.finding.interval"),
    ("changed", lambda made: scale(made["computed"]["finding"]["change"], "high"), "computed.finding.change.high"),
    ("panel of judges", lambda made: made["question"]["sketch"]["counts"][0].__setitem__(-1, 1), "hashes.plan"),
]  # fmt: skip


def scale(table, key):
    """The smallest change that anybody would gain from: one in a thousand."""
    assert table[key]
    table[key] *= 0.999


@pytest.mark.parametrize(("name", "forge", "named"), FORGED)
def test_what_a_forger_would_gain_from_is_found(folder, name, forge, named):
    """Before the change each of them agrees: see the first test."""
    place, *_ = folder
    made = twin(place, KINDS[0], name)
    forge(made)
    found = verify(made).differences
    assert any(one.startswith(named) for one in found), found


@pytest.mark.parametrize(
    ("name", "table", "key", "tolerance"),
    [
        ("risk", "interval", "high", TOLERANCE),
        ("worst", "worst", "deviation", TOLERANCE),
        ("worst", "peaks", "predicted", FITTED),
    ],
)
def test_the_tolerance_is_the_one_that_is_stated(folder, name, table, key, tolerance):
    """Far above what processors make of a number, and a tenth or less of what anybody could gain."""
    place, *_ = folder
    made = twin(place, KINDS[0], name)
    stated = f"counts and words the same, other numbers to one part in {round(1 / TOLERANCE):,}"
    fitted = f", those of the surrogate to one in {round(1 / FITTED):,}" if name == "worst" else ""
    assert str(verify(made)).endswith(stated + fitted)
    for factor, agrees in ((1 + tolerance / 2, True), (1 + 2 * tolerance, False)):
        changed = copy.deepcopy(made)
        found = changed["computed"]["finding"][table]
        found = found[0] if isinstance(found, list) else found
        found[key] *= factor
        assert verify(changed).agrees is agrees
    assert 1e-13 < tolerance <= 1e-4


def forged(value, change, key="", curve=()):
    """A value with each of its leaves as `change` has it."""
    if isinstance(value, dict):
        return {name: forged(one, change, name) for name, one in value.items()}
    if isinstance(value, list):
        return [forged(one, change, key, value) for one in value]
    return change(value, key, curve)


def flat(value):
    """Its leaves, in the order in which they are compared."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flat(value[key])]
    return [leaf for one in value for leaf in flat(one)] if isinstance(value, list) else [value]


def by_a_thousandth(value, key, curve):
    """Another number, unless it lies far below others of its curve, or says how unsure others are."""
    largest = max((abs(one) for one in curve if isinstance(one, float)), default=0.0)
    if not isinstance(value, float) or key in ("sd", "noise") or abs(value) <= max(largest / 5, 1e-9):
        return value
    return value * 1.001


def by_one(value, *_):
    return value + 1 if type(value) is int else not value if isinstance(value, bool) else value


def by_a_digit(place, step):
    """The number at this place of every text, one step of its last digit up or down."""

    def change(value, *_):
        found = [*re.finditer(r"\d[\d,]*(?:\.\d+)?", value)][place : place + 1] if isinstance(value, str) else []
        for one in found:
            decimals = len(one[0].partition(".")[2])
            other = abs(float(one[0].replace(",", "")) + step * 10.0**-decimals)
            return f"{value[: one.start()]}{other:,.{decimals}f}{value[one.end() :]}"
        return value

    return change


CHANGES = [by_a_thousandth, by_one, *(by_a_digit(place, step) for place in range(5) for step in (1, -1))]


@pytest.mark.parametrize("name", WRITTEN)
def test_no_number_count_or_word_can_be_changed(folder, name):
    """Wherever one is changed, it is found there: in the claim, in a sentence, in a table."""
    place, *_ = folder
    made = twin(place, KINDS[0], name)
    fitted = Worst.fitted if name.startswith("worst") else ()
    honest, forgeries = made["computed"], 0
    for change in CHANGES:
        other = forged(honest, change)
        changed = [one != kept for one, kept in zip(flat(other), flat(honest), strict=True)]
        assert [bool(one) for one in compare("computed", other, honest, fitted)] == changed
        forgeries += sum(changed)
    assert forgeries > 50


@pytest.mark.parametrize("name", ["risk", "judges"])
def test_even_draws_are_the_same_on_every_processor(folder, name):
    place, *_ = folder
    asked = [[record["row"] for record in twin(place, kind, name)["records"]] for kind in KINDS]
    assert asked[1:] == asked[:-1]
