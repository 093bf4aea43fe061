"""Asking the gold standard for `ringtrue worst`, at once or by a laboratory's sheet, and saying what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asking import threads
from ringtrue.cli._lab_sheet import check_inputs, read_sheet, write_sheet
from ringtrue.cli._output import say
from ringtrue.cli._responders import ASK, import_function
from ringtrue.cli._worst_extras import keep_picture, keep_training
from ringtrue.cli._worst_study import BASELINES, Searching, gold_of
from ringtrue.core import InvalidInput, Oracle, Query, Reply, Verdict, count, number, percent
from ringtrue.worst._finding_parts import point_text

if TYPE_CHECKING:
    from ringtrue.study import Study


_LABORATORY = "the laboratory"
"""With whom the queries of a sheet are out."""

_TRIES = 2
"""Times that one point is tried at which the gold standard hangs: then the point is given up."""
_POINTS = 3
"""Points in a row at which it hung: it hangs everywhere, and nothing more is tried."""


def ask(search: Searching, given: Mapping[str, Any], *, workers: int, as_json: bool) -> int:
    """Evaluate until the budget is spent or the claim decided, the baselines too, and say what was found."""
    from ringtrue.cli._progress import Progress

    study, question = search.study, search.question
    person = search.notes["gold"] == ASK
    baselines = [name for name in BASELINES if name in study.questions]
    if person and workers > 1:
        raise InvalidInput(f"--workers={workers} with --gold ask: a person answers one question at a time")
    if "training" in given:  # before anything is bought: a file that cannot be used costs nothing
        keep_training(study, question, given["training"])
    with _oracle(search) as oracle, threads(workers, study) as executor:
        for name in (question.name, *baselines):
            # A moving line would overwrite what a person is typing.
            claim = question.claim if name == question.name else None
            with nullcontext() if person else Progress(claim, name) as progress:
                study.run(oracle, question=name, executor=executor, progress=progress)
    if search.notes["picture"] is not None:
        keep_picture(study, question, search.notes["picture"])
    return _tell(search, as_json=as_json)


@contextmanager
def _oracle(search: Searching) -> Iterator[Oracle]:
    """Open the gold standard; a program that serves as one is ended with the run."""
    from ringtrue.oracles import DeviationOracle

    notes = search.notes
    gold = gold_of(notes, _columns(search), search.calling)
    with ExitStack() as ending:
        ending.callback(gold.close)
        asked = gold if search.calling.timeout is None else Patient(gold)
        yield asked if notes["own"] is None else DeviationOracle(asked, import_function(notes["own"], "--deviation"))


def write_next_sheet(search: Searching, file: str, *, again: bool, as_json: bool) -> int:
    """Lease the next batch and write it down for a laboratory; or write down `again` what is out with it."""
    study, question = search.study, search.question
    write_sheet(file, [], _columns(search))  # tried first: a file that cannot be written takes no query along
    Path(file).unlink()
    if again:
        queries, nothing = study.out(rater=_LABORATORY), "nothing is out with the laboratory"
    else:
        queries = study.ask(study.plan["batch"], question=question.name, rater=_LABORATORY)
        nothing = "nothing is left to ask: the budget is spent, or all of it is out (a lost sheet: --again)"
    result = {"study": str(search.path), "sheet": file, "queries": [query.id for query in queries]}
    if not queries:
        say(as_json, result, nothing)
        return 0
    write_sheet(file, queries, _columns(search))
    next_step = f"next: fill in the last columns, then ringtrue worst {search.path} --answers {file}"
    say(as_json, result, f"wrote {file}: {count(len(queries), 'point')} to evaluate", next_step)
    return 0


def read_answers(search: Searching, file: str, *, as_json: bool) -> int:
    """Record what the laboratory found."""
    told, study = read_sheet(file, _columns(search)), search.study
    space = search.question.plan.asked_space
    asked = [record for record in study.records if record.point is not None]
    check_inputs(file, {f"{study.name}:{record.number}": space.item(record.point or ()).values for record in asked})
    known = _settled(study)
    study.tell_all(told, rater=_LABORATORY)
    fresh = _settled(study) - known
    before = f", {len(told) - fresh} recorded before stay as they are" if len(told) > fresh else ""
    return _tell(search, as_json=as_json, first=f"recorded {count(fresh, 'answer')} from {file}{before}")


def _settled(study: Study) -> int:
    """Count the queries that are answered or given up."""
    now = study.status()
    return now.answered + now.abandoned


def _columns(search: Searching) -> list[str]:
    """Name what a person is asked for: the gold standard's outputs, which are no deviations unless these are given."""
    plan = search.question.plan
    unnamed = plan.tasks == ("deviation",) and plan.deviation.needs_model
    return ["value"] if plan.alone or unnamed else list(plan.tasks)


def _tell(search: Searching, *, as_json: bool, first: str | None = None) -> int:
    """Say what the search found so far, after a first line if there is one, and return the exit code."""
    study, question = search.study, search.question
    finding: Any = study.finding(question=question.name)
    found, status = finding.to_json(), study.status()
    result = {"study": str(search.path), **found, "status": status.to_json(), "warnings": study.notices}
    lines = [*([] if first is None else [first]), *lines_of(found), str(status)]
    say(as_json, result, *lines, f"next: ringtrue report {search.path}")
    return int(finding.verdict.exit_code) if question.claim is not None else 0


class Patient(Oracle):
    """An oracle whose timeouts at one item end in "cannot tell"; the first is raised, so that it is tried again."""

    one_by_one = True

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._late: Counter[str] = Counter()
        self._in_a_row = 0

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """Return what the oracle says of these items, in their order."""
        return [self._one(query) for query in queries]

    def _one(self, query: Query) -> Reply:
        if self._in_a_row >= _POINTS:
            raise TimeoutError(f"no answer in time at {_POINTS} points in a row")
        try:
            reply = next(iter(self._oracle.answer([query])))
        except TimeoutError:
            self._late[query.item.id] += 1
            if self._late[query.item.id] < _TRIES:
                raise
            self._in_a_row += 1
            return Reply(None)
        self._in_a_row = 0
        return reply


def lines_of(found: Mapping[str, Any]) -> list[str]:
    """Say the sentence, then the region, the other peaks, the worst average and the share of the space above.

    After ± stands one standard deviation of the surrogate.
    """
    lines = [found["sentence"]]
    region = found["region"]
    if region is not None:
        tried = (
            f"; {region['confirmed']} of {count(region['tried'], 'point')} tried in it are" if region["tried"] else ""
        )
        spans = ", ".join(f"{name} {_span(extent)}" for name, extent in region["extent"].items())
        lines.append(
            f"around it, {_share(region['volume'])} of the space is at {number(region['threshold'])} or more by the "
            f"surrogate{tried}; each by itself: {spans}"
        )
    for peak in found["peaks"]:
        if peak["at_worst"]:
            continue
        task = f" of {peak['task']}" if len(found["tasks"]) > 1 else ""
        nearest = number(peak["nearest"], beside=found["worst"]["deviation"])
        lines.append(f"another peak{task}, predicted: {_predicted(peak)} (measured nearest to it: {nearest})")
    if found["robust"] is not None:
        lines.append(f"largest average over input noise, predicted: {_predicted(found['robust'])}")
    above = found["above"]
    if above is not None and found["verdict"] == Verdict.RINGS_FALSE.value:  # else the sentence ends with it
        lines.append(
            f"without any surrogate: at most {percent(above['high'], toward='above')} of the space deviates more than "
            f"{number(above['threshold'])} ({percent(above['level'])}, {count(above['n'], 'random evaluation')})"
        )
    return lines


def _predicted(peak: Mapping[str, Any]) -> str:
    """Say what the surrogate predicts of a place: its mean, one standard deviation, and where."""
    return f"{number(peak['predicted'])} ± {number(peak['sd'])} at {point_text(peak['point'])}"


def _share(volume: float) -> str:
    """Write a share of the space, or that it is too small to tell."""
    return percent(volume) if volume >= 1e-6 else "less than 0.0001%"


def _span(extent: list[Any]) -> str:
    if len(extent) == 2 and not any(isinstance(end, str) for end in extent):
        return f"{number(extent[0])} to {number(extent[1])}"
    return "/".join(map(str, extent))
