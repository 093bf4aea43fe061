"""Whether a claim still speaks of what was judged: the same pool, the same model, answers that are not too old."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._chat_model import chat_model, chat_named
from ringtrue.cli._consent import Calling, check_host, trusted_types
from ringtrue.cli._door import model_named, named
from ringtrue.cli._model_files import file_model, file_named
from ringtrue.cli._opening import is_there, read_noted, read_space
from ringtrue.core import InvalidInput, count, without_secrets

if TYPE_CHECKING:
    from ringtrue.cli.check import Entry
    from ringtrue.core import Model, Pool
    from ringtrue.study import Study

_SAME, _CHANGED, _UNSEEN, _ALIKE = "same", "changed", "not looked at", "no difference seen"
_HOUR, _DAY = 3600.0, 86_400.0


@dataclass(frozen=True, slots=True)
class Judged:
    """What was seen of the pool or space and of the model that a claim is made about today, and what follows from it.

    Nothing is run or called that the user has not named: a column of the pool is read, a function or an address only
    if the claims file names it.
    """

    study: Study
    entry: Entry
    folder: Path
    """Where the claims file lies; the pool that it names lies beside it."""
    home: Path
    """Where the study lies; the files that it remembers are found from there."""
    calling: Calling
    looked: dict[str, str] = field(default_factory=dict)
    """Of each: same, changed, no difference seen where it could be compared, or not looked at."""
    because: list[str] = field(default_factory=list)
    """Why nothing is known of what there is now; nothing, if it is what was judged."""
    unseen: list[str] = field(default_factory=list)
    """What was not looked at, why, and what to do about it."""

    def look(self, now: float) -> None:
        """Compare what there is now, in seconds since 1970, with what the study has judged."""
        study, entry = self.study, self.entry
        pool = None
        if study.plan["pool"] is None:
            if entry.pool is not None:
                raise InvalidInput(
                    f"pool={entry.pool!r}: study {entry.study!r} searches a space, not a pool: leave it out"
                )
            self._look_at_space()
            model = self._model(None)
        else:
            pool = self._pool()
            model = None if pool is None else self._model(pool)
            if pool is not None:
                self._compare(pool=pool)
            elif study.plan["model"] is not None:
                self._pass_over("model", " without it")
        if model is not None:
            self._look_at_model(model, pool)
        elif entry.model is not None and not self.because:
            why = "; ".join(self.unseen) or "the study has none"
            raise InvalidInput(f"model={entry.model!r} cannot be compared ({why}): mend that, or leave it out")
        self.because.sort(key=lambda why: not why.startswith("the model"))  # what people ask about first
        if study.answered_at is not None and now - study.answered_at > entry.most_seconds:
            age = _age(now - study.answered_at)
            self.because.append(f"the newest answer is {age} old, and max_age is {entry.max_age}")

    def _compare(self, **given: Any) -> None:
        """Compare these with what was judged."""
        for what, how in self.study.compare(**given):
            if self.looked.get(what) != _CHANGED:
                self._differs(what, without_secrets(how))

    def _differs(self, what: str, how: str) -> None:
        self.looked[what] = _CHANGED
        self.because.append(f"the {what} is not the one that was judged ({how})")

    def _pass_over(self, what: str, why: str) -> None:
        """Note that something cannot be seen: the verdict stays, and this is said beside it."""
        self.looked[what] = _UNSEEN
        self.unseen.append(f"the {what} was not looked at{why}")

    def _look_at_space(self) -> None:
        """Compare the space file that the study remembers; the journal has the space of one that is gone."""
        noted = self.study.plan["notes"].get("space")
        if noted is not None and (self.home / noted).is_file():
            self.looked["space"] = _SAME
            try:
                self._compare(space=read_space(self.home / noted)[0])
            except InvalidInput as error:
                self._differs("space", str(error))

    def _pool(self) -> Pool | None:
        """Read the pool that the claims file names, else the one that the study remembers, if it is there."""
        notes, home = self.study.plan["notes"], self.home
        self.looked["pool"] = _SAME
        if self.entry.pool is not None:
            return read_noted(self.folder / self.entry.pool, home, notes)
        if "pool" not in notes:
            self._pass_over("pool", ": say pool = … in the claims file")
            return None
        files = [home / notes[what] for what in ("pool", "old") if notes.get(what) is not None]
        gone = next((str(file) for file in files if not is_there(file)), None)
        if gone is not None:
            self._pass_over("pool", f", which is no longer at {gone!r}: say pool = … in the claims file")
            return None
        try:
            return read_noted(home / notes["pool"], home, notes)
        except InvalidInput as error:
            self._differs("pool", f"it cannot be read: {error}")
            return None

    def _model(self, pool: Pool | None) -> Model | None:
        """Return the model if it is a column of the pool or the claims file names it, and if asking it costs nothing.

        `pool` holds the items there are now, if they can be seen.
        """
        from ringtrue.changed import EMPTY
        from ringtrue.judges import Judges
        from ringtrue.models import ColumnModel, PanelModel, as_model, is_address

        study, entry = self.study, self.entry
        described, notes, questions = study.plan["model"], study.plan["notes"], study.questions.values()
        if described is None:
            return None
        columns = () if pool is None else pool.columns
        panel = next((question.sketch.judges for question in questions if isinstance(question, Judges)), None)
        spec = entry.model or notes.get("model") or described["name"].removeprefix("column ")
        paid = any(question.responder == "model" for question in questions)
        if panel is not None and entry.model is None and set(panel) <= set(columns):
            return PanelModel(panel)
        if panel is None and paid and spec in columns:  # the new answers, of which an empty one is an answer too
            return ColumnModel(spec, empty=EMPTY)
        why = None
        if panel is not None:
            why = "which is the votes in the pool"
        elif paid:
            why = "since its answers are paid for: limit their age with max_age = … instead"
        elif self._is_fickle and (is_address(spec) or chat_named(spec, self.folder, columns)):
            why = "since it does not repeat itself and every call may cost"
        elif entry.model is None and spec not in columns:
            why = "since it would have to be run: say model = … in the claims file"
        if why is not None:
            self._pass_over("model", f", {why}")
            return None
        chat = chat_named(spec, self.folder, columns)
        if chat is not None:
            judge = chat.read()[1]
            check_host(judge.url, replace(self.calling, headers={**self.calling.headers, **judge.headers}))
            return chat_model(chat, self.calling)
        path = file_named(spec, self.folder, columns)
        if path is not None:
            return file_model(path, {**notes, "trust_types": trusted_types(study)}, columns or notes.get("sent", ()))
        if pool is not None and ":" not in spec and spec not in columns:
            raise InvalidInput(f"model={spec!r} is not a column of the pool: name one of {', '.join(columns)}")
        if is_address(spec):
            check_host(spec, self.calling)  # the claims file may be another user's, and the secrets are not
        if pool is None:
            found = named(spec, "model", ())
            return self.calling.model(found) if is_address(spec) else as_model(found)
        return model_named({**notes, "model": spec}, "model", pool, self.calling)

    @property
    def _is_fickle(self) -> bool:
        """Whether the model contradicted itself when the study was made."""
        return str(self.study.plan["model"]["fingerprint"]).endswith(":nondeterministic")

    def _look_at_model(self, model: Model, pool: Pool | None) -> None:
        """Compare the model, and say by how little it was compared where that is so."""
        # Of another pool, only what was recorded can be compared, and only where the items are as they were.
        self.looked["model"] = _ALIKE if self.looked.get("pool") == _CHANGED or self._is_fickle else _SAME
        try:
            self._compare(pool=pool, model=model)
        except InvalidInput as error:
            if not model.stored_in:
                raise
            self._differs("model", str(error))
        if self.looked["model"] == _CHANGED:
            return
        if self._is_fickle:
            self.unseen.append("the model does not repeat itself, so that a small change would not show")
        if model.remote:
            self.looked["model"] = _ALIKE
            alone = "the model was compared by its first answers alone, since every call to an address may cost"
            self.unseen.append(alone)

    def to_json(self) -> dict[str, Any]:
        return {"looked_at": self.looked, "because": self.because, "not_looked_at": self.unseen}


def _age(seconds: float) -> str:
    """Write a time in whole days, or in hours if it is short.

    >>> _age(41.5 * _DAY), _age(30 * _HOUR), _age(10)
    ('41 days', '30 hours', 'less than 1 hour')
    """
    if seconds < _HOUR:
        return "less than 1 hour"
    return count(seconds // _HOUR, "hour") if seconds < 2 * _DAY else count(seconds // _DAY, "day")
