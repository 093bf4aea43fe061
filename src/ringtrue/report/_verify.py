"""Checks a report: recomputes every number from the recorded answers, and what was asked, without model or oracle."""

from __future__ import annotations

import operator
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

from ringtrue.core import History, InvalidInput, Json, Question, Records, View, count, field_of, read_json
from ringtrue.journal import address_and_name, is_address
from ringtrue.report._compare import FITTED, TOLERANCE, compare
from ringtrue.report._document import LARGE, READ, Told, computed, content_digest, hashes, told_in
from ringtrue.study import Study, make_question


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a report agrees with its own records, and where it does not.

    `tolerance` is the share by which a number may be off, `fitted` the same for what a surrogate says, if there is one.
    """

    numbers: int
    differences: tuple[str, ...]
    tolerance: float = TOLERANCE
    fitted: float | None = None

    @property
    def agrees(self) -> bool:
        """Whether no difference was found."""
        return not self.differences

    def __str__(self) -> str:
        if self.agrees:
            return (
                f"agrees: {count(self.numbers, 'value')} recomputed from the recorded answers, counts and words "
                f"the same, other numbers to one part in {round(1 / self.tolerance):,}"
                + ("" if self.fitted is None else f", those of the surrogate to one in {round(1 / self.fitted):,}")
            )
        first = "; ".join(self.differences[:5])
        more = f"; and {len(self.differences) - 5:,} more" if len(self.differences) > 5 else ""
        return f"does not agree in {count(len(self.differences), 'place')} of {self.numbers:,}: {first}{more}"

    def to_json(self) -> dict[str, Json]:
        """Return what was found as values that JSON can hold."""
        return {
            "agrees": self.agrees,
            "values": self.numbers,
            "differences": list(self.differences),
            "tolerance": self.tolerance,
            "fitted": self.fitted,
        }


def verify_report(path: str | os.PathLike[str], *, study: str | os.PathLike[str] | None = None) -> Verification:
    """Verify the JSON twin in a file.

    That of a large study names the study in the place of its records. It is looked for under that name beside the
    twin, or where `study` says: a file, or `postgresql://HOST/DATABASE#NAME`. An address in the twin is never called,
    as another user may have written it.
    """
    where, twin = f"report {str(path)!r}", "give the JSON twin of a report"
    try:
        made = read_json(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"{where} does not exist: {twin}") from None
    except OSError as error:
        raise InvalidInput(f"{where} cannot be read ({error.strerror}): {twin}") from None
    except ValueError as error:
        beside = str(Path(path).with_suffix(".json"))
        mine = (
            f"give the JSON twin of the page, {beside}" if beside != str(path) else "give the file as ringtrue wrote it"
        )
        raise InvalidInput(f"{where} is not JSON ({' '.join(str(error).split())}): {mine}") from None
    known = f"{', '.join(map(str, READ[:-1]))} and {READ[-1]}"
    told = made if isinstance(made, dict) else {}
    other = (
        f"verify it with the ringtrue that wrote it ({str(told.get('ringtrue'))[:40]!r}), or write it again from its"
    )
    if told.get("kind") == "panel":
        raise InvalidInput(
            f"{where} is of a panel and has a former format: {other} votes (ringtrue judges VOTES --out PAGE)"
        )
    if told.get("format") in range(1, READ[0]):
        raise InvalidInput(
            f"{where} has format {told['format']}, this ringtrue verifies formats {known}: {other} study"
        )
    if told.get("format") not in READ:
        raise InvalidInput(f"{where} is not a report of format {known}: {twin}")
    try:
        if told["format"] != LARGE:
            return verify(made)
        kept = {key: made["records"][key] for key in ("study", *History._fields)}
        kept["events"] = operator.index(kept["events"])
    except _UNREADABLE as error:
        raise _not_recomputed(where, error) from None
    with _study_of(kept, Path(path), study) as opened:
        try:
            records, scores = opened.records, opened.scores(made["question"]["name"])
            return verify(made, Told(records, scores, range(len(records))))
        except _UNREADABLE as error:
            raise _not_recomputed(where, error) from None


_UNREADABLE = (KeyError, TypeError, AttributeError, ValueError, LookupError, ArithmeticError)
"""What a twin leads to from which something was taken out, or in which something is of another kind."""


def _not_recomputed(where: str, error: Exception) -> InvalidInput:
    """Return what to say of a twin in which there is nothing to compare any more."""
    what = " ".join(f"{type(error).__name__} {error}".split())
    return InvalidInput(f"{where} cannot be recomputed ({what}): give the file as ringtrue wrote it")


def _study_of(kept: Mapping[str, Any], twin: Path, study: str | os.PathLike[str] | None) -> Study:
    """Open the study that a twin keeps in the place of its records, as it was then; refuse another one."""
    place, journal = (_beside(str(kept["study"]), twin), None) if study is None else _named(study)
    where = f"study {place.name!r}, which has the answers of report {str(twin)!r},"
    try:
        opened = Study.open(place, journal=journal, at=kept["events"])
    except InvalidInput as error:
        raise InvalidInput(f"{where} cannot be read ({error}): {_remedy(place.name, twin)}") from None
    if opened.history._asdict() != {key: kept[key] for key in History._fields}:
        opened.close()
        raise InvalidInput(f"{where} is another one, or was changed: its hash after event {kept['events']:,} differs")
    return opened


def _named(study: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """Return the file of a study, or its name and its journal's address, as the user says."""
    if not is_address(os.fsdecode(study)):
        return Path(study), None
    address, name = address_and_name(os.fsdecode(study))
    return Path(name), address


def _beside(name: str, twin: Path) -> Path:
    """Return the file beside a twin that it names; any other place is only looked at where the user names it.

    An address would be sent the user's password, and a path may lead to another machine.
    """
    if name in ("", "..") or is_address(name) or PureWindowsPath(name).name != name:
        own = PureWindowsPath(address_and_name(name)[1] or name).name or "loans"
        raise InvalidInput(
            f"report {str(twin)!r} has its answers in a study {own!r} elsewhere, which it names and you did not: "
            f"{_remedy(own, twin)}"
        )
    return twin.parent / name


def _remedy(name: str, twin: Path) -> str:
    """Return what to type so that the study is found."""
    own = shlex.quote(f"postgresql://HOST/DATABASE#{name.removesuffix('.ringtrue')}")
    return (
        f"name it, as in ringtrue report STUDY --verify {shlex.quote(str(twin))}, where STUDY is its file, or {own} "
        "for one in a database"
    )


def verify(made: Mapping[str, Any], told: Told | None = None) -> Verification:
    """Recompute everything a report says and compare it with what stands there.

    `told` is what it was computed from, where that is not in the report itself.
    """
    question, told = make_question(made["question"]), told_in(made) if told is None else told
    try:
        found = list(compare("computed", made["computed"], computed(made, question, told), question.fitted))
    except (InvalidInput, ArithmeticError, IndexError) as error:  # records that contradict each other give none
        found = [f"computed says something, the answers give nothing ({' '.join(str(error).split())})"]
    found += compare("asked", *asked_and_proposed(made, question, told))
    digests = dict(zip(field_of(told.records, "id"), field_of(told.records, "digest"), strict=True))
    for name, shown in made["items"].items():
        found += compare(f"items.{name}", content_digest(shown), digests.get(name))
    found += compare("hashes", made["hashes"], hashes(made))
    differences = tuple(difference for difference in found if difference)
    return Verification(len(found), differences, fitted=FITTED if question.fitted else None)


def asked_and_proposed(made: Mapping[str, Any], question: Question, told: Told) -> tuple[list[Json], list[Json]]:
    """Return number, row, probability and floor of each query as they stand, and as the policy proposes them.

    Only for a policy that foresees: what one that looks at answers had seen when it asked is not in the document.
    """
    if not question.policy.foresees:
        return [], []
    seed, pool = made["study"]["seed"], made["study"]["pool"]
    asked: set[int] = set()
    before = Records()
    stands: list[Json] = []
    proposed: list[Json] = []
    for place, (number, record) in enumerate(zip(told.numbers, told.records, strict=True)):
        if record.question == question.name and question.space is None:
            view = View(seed, len(stands), pool["size"], asked, before)
            stands.append([number, record.row, record.probability, record.floor])
            try:
                draws = question.policy.propose(view, 1)
            except (IndexError, ArithmeticError):  # led to places that the pool has not
                draws = []
            first: list[Json] = [draws[0].row, draws[0].probability, draws[0].floor] if draws else [None, None, None]
            proposed.append([place, *first])
        before.add(record)
        if record.row is not None and record.responder == question.responder:
            asked.add(record.row)
    return stands, proposed
