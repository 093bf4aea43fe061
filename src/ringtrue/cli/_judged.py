"""Whether a claim still speaks of what was judged: the same pool, the same model, answers that are not too old."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._consent import Calling, check_host
from ringtrue.cli._door import model_named, named
from ringtrue.cli._opening import pool_files, read_noted
from ringtrue.cli._toml import Entry
from ringtrue.core import InvalidInput, count, without_secrets

if TYPE_CHECKING:
    from ringtrue.core import Model, Pool
    from ringtrue.study import Study

_SAME, _CHANGED, _UNSEEN, _ALIKE = "same", "changed", "not looked at", "no difference seen"
_HOUR, _DAY = 3600.0, 86_400.0


@dataclass(frozen=True, slots=True)
class Judged:
    """What was seen of a study's pool or space and of its model, and what follows from it."""

    looked: dict[str, str] = field(default_factory=dict)
    """Of each: same, changed, no difference seen where it could be compared, or not looked at."""
    because: list[str] = field(default_factory=list)
    """Why nothing is known of what there is now; nothing, if it is what was judged."""
    unseen: list[str] = field(default_factory=list)
    """What was not looked at, why, and what to do about it."""

    def compare(self, study: Study, **given: Any) -> None:
        """Compare these with what was judged."""
        for what, how in study.compare(**given):
            if self.looked.get(what) != _CHANGED:
                self.looked[what] = _CHANGED
                self.because.append(f"the {what} is not the one that was judged ({without_secrets(how)})")

    def pass_over(self, what: str, why: str) -> None:
        """Note that something cannot be seen: the verdict stays, and this is said beside it."""
        self.looked[what] = _UNSEEN
        self.unseen.append(f"the {what} was not looked at{why}")

    def to_json(self) -> dict[str, Any]:
        return {"looked_at": self.looked, "because": self.because, "not_looked_at": self.unseen}


def judged(study: Study, entry: Entry, *, folder: Path, home: Path, now: float, calling: Calling) -> Judged:
    """Compare what there is now with what a study has judged.

    Nothing is run or called that the user has not named: a column of the pool is read, a function or an address only
    if the claims file names it.

    Parameters
    ----------
    study
        The study, opened to be read.
    entry
        The claim, with the pool and the model that it is made about.
    folder
        Where the claims file lies; the pool that it names lies beside it.
    home
        Where the study lies; the files that it remembers are found from there.
    now
        The present, in seconds since 1970.
    calling
        How an address is called.
    """
    seen = Judged()
    if study.plan["pool"] is None:
        if entry.pool is not None:
            raise InvalidInput(f"pool={entry.pool!r}: study {entry.study!r} searches a space, not a pool: leave it out")
        _look_at_space(study, home, seen)
        model = _model(study, entry, None, seen, calling)
    else:
        pool = _pool(study, entry, folder, home, seen)
        model = None if pool is None else _model(study, entry, pool, seen, calling)
        if pool is not None:
            seen.compare(study, pool=pool)
        elif study.plan["model"] is not None:
            seen.pass_over("model", " without it")
    if model is not None:
        _look_at_model(study, model, None if study.plan["pool"] is None else pool, seen)
    elif entry.model is not None and not seen.because:
        why = "; ".join(seen.unseen) or "the study has none"
        raise InvalidInput(f"model={entry.model!r} cannot be compared ({why}): mend that, or leave it out")
    seen.because.sort(key=lambda why: not why.startswith("the model"))  # what people ask about first
    if study.answered_at is not None and now - study.answered_at > entry.most_seconds:
        age = _age(now - study.answered_at)
        seen.because.append(f"the newest answer is {age} old, and max_age is {entry.max_age}")
    return seen


def _age(seconds: float) -> str:
    """Write a time in whole days, or in hours if it is short.

    >>> _age(41.5 * _DAY), _age(30 * _HOUR), _age(10)
    ('41 days', '30 hours', 'less than 1 hour')
    """
    if seconds < _HOUR:
        return "less than 1 hour"
    return count(seconds // _HOUR, "hour") if seconds < 2 * _DAY else count(seconds // _DAY, "day")


def _look_at_space(study: Study, home: Path, seen: Judged) -> None:
    """Compare the space file that the study remembers; the journal has the space of one that is gone."""
    from ringtrue.cli._toml import read_space

    noted = study.plan["notes"].get("space")
    if noted is None or not (home / noted).is_file():
        return
    seen.looked["space"] = _SAME
    try:
        seen.compare(study, space=read_space(home / noted)[0])
    except InvalidInput as error:
        seen.looked["space"] = _CHANGED
        seen.because.append(f"the space is not the one that was judged ({error})")


def _pool(study: Study, entry: Entry, folder: Path, home: Path, seen: Judged) -> Pool | None:
    """Read the pool that the claims file names, else the one that the study remembers, if it is there."""
    notes = study.plan["notes"]
    if entry.pool is not None:
        seen.looked["pool"] = _SAME
        return read_noted(folder / entry.pool, home, notes)
    if "pool" not in notes:
        seen.pass_over("pool", ": say pool = … in the claims file")
        return None
    gone = next((str(file) for file in pool_files(home, notes) if not file.is_file()), None)
    if gone is not None:
        seen.pass_over("pool", f", which is no longer at {gone!r}: say pool = … in the claims file")
        return None
    seen.looked["pool"] = _SAME
    try:
        return read_noted(home / notes["pool"], home, notes)
    except InvalidInput as error:
        seen.looked["pool"] = _CHANGED
        seen.because.append(f"the pool is not the one that was judged (it cannot be read: {error})")
        return None


def _model(study: Study, entry: Entry, pool: Pool | None, seen: Judged, calling: Calling) -> Model | None:
    """Return the model if it is a column of the pool or the claims file names it, and if asking it costs nothing.

    What is passed over is added to `seen`; `pool` holds the items there are now, if they can be seen.
    """
    from ringtrue.judges import Judges
    from ringtrue.models import PanelModel, as_model, is_address

    described, notes, questions = study.plan["model"], study.plan["notes"], study.questions.values()
    if described is None:
        return None
    columns = () if pool is None else pool.columns
    panel = next((question.sketch.judges for question in questions if isinstance(question, Judges)), None)
    spec = entry.model or notes.get("model") or described["name"].removeprefix("column ")
    if panel is not None:
        if entry.model is None and set(panel) <= set(columns):
            return PanelModel(panel)
        seen.pass_over("model", ", which is the votes in the pool")
        return None
    if any(question.responder == "model" for question in questions):
        if spec in columns:
            return _stored(spec)
        seen.pass_over("model", ", since its answers are paid for: limit their age with max_age = … instead")
        return None
    if _is_fickle(study) and is_address(spec):
        seen.pass_over("model", ", since it does not repeat itself and every call may cost")
        return None
    if entry.model is None and spec not in columns:
        seen.pass_over("model", ", since it would have to be run: say model = … in the claims file")
        return None
    if pool is not None and ":" not in spec and spec not in columns:
        raise InvalidInput(f"model={spec!r} is not a column of the pool: name one of {', '.join(columns)}")
    if is_address(spec):
        check_host(spec, calling)  # the claims file may be another user's, and the secrets are not
    if pool is None:
        found = named(spec, "model", ())
        return calling.model(found) if is_address(spec) else as_model(found)
    return model_named({**notes, "model": spec}, "model", pool, calling)


def _stored(column: str) -> Model:
    """Return the new answers in a column of the pool, of which an empty one is an answer too."""
    from ringtrue.changed import EMPTY
    from ringtrue.models import ColumnModel

    return ColumnModel(column, empty=EMPTY)


def _is_fickle(study: Study) -> bool:
    """Say whether the model contradicted itself when the study was made."""
    return str(study.plan["model"]["fingerprint"]).endswith(":nondeterministic")


def _look_at_model(study: Study, model: Model, pool: Pool | None, seen: Judged) -> None:
    """Compare the model, and say by how little it was compared where that is so."""
    # Of another pool, only what was recorded can be compared, and only where the items are as they were.
    seen.looked["model"] = _ALIKE if seen.looked.get("pool") == _CHANGED or _is_fickle(study) else _SAME
    try:
        seen.compare(study, pool=pool, model=model)
    except InvalidInput as error:
        if not getattr(model, "stored_in", ()):
            raise
        seen.looked["model"] = _CHANGED
        seen.because.append(f"the model is not the one that was judged ({error})")
    if seen.looked["model"] == _CHANGED:
        return
    if _is_fickle(study):
        seen.unseen.append("the model does not repeat itself, so that a small change would not show")
    if getattr(model, "remote", False):
        seen.looked["model"] = _ALIKE
        seen.unseen.append("the model was compared by its first answers alone, since every call to an address may cost")
