"""Where a study is kept: in a file, or under its name in a journal of PostgreSQL."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.study import Study


@dataclass(frozen=True, slots=True)
class Place:
    """A study's place, as a user names it: as text it is what can be typed for STUDY again."""

    file: Path
    """The study's file; for one in a journal, what is written beside it is named after this, in the current folder."""
    journal: str | None = None
    """The address of the journal, where it is not a file."""

    @classmethod
    def of(cls, text: str, journal: str | None = None) -> Place:
        """Return the place that STUDY names: a file, a name in the `journal`, or both in one, as in ADDRESS#NAME."""
        from ringtrue.journal import address_and_name, check_address, is_address, resembles_address
        from ringtrue.study import study_path

        name = text
        if is_address(text):
            if journal is not None:
                raise InvalidInput("STUDY and --journal both name a journal: give the study's name alone")
            journal, name = address_and_name(text)
        elif resembles_address(text):  # whose password must not be taken for a part of a file's name, and printed
            raise InvalidInput(
                "STUDY is not an address that is known, and not repeated, since it may hold a password: write it like "
                "postgresql://HOST/DATABASE#NAME, or give a file"
            )
        if journal is not None:
            shown = check_address(journal)
            if not name.strip() or Path(name).name != name:
                raise InvalidInput(
                    f"STUDY={name!r} is not the name of a study in {shown}: give a name such as loans, without "
                    "folders; `ringtrue doctor ADDRESS` lists those that are there"
                )
        elif not Path(name.strip()).name:
            raise InvalidInput(f"STUDY={name!r} names no file: give a name such as loans, or its file")
        return cls(study_path(name), journal)

    def __str__(self) -> str:
        return str(self.file) if self.journal is None else f"{self.journal}#{self.name}"

    @property
    def typed(self) -> str:
        """What is typed for STUDY in a shell: an address may hold a ? or a &."""
        return shlex.quote(str(self))

    @property
    def name(self) -> str:
        """The name of the study, or of its file."""
        from ringtrue.study import study_name

        return self.file.name if self.journal is None else study_name(self.file)

    @property
    def home(self) -> Path:
        """The folder from which the study finds its files: its own, or for one in a journal the current one."""
        return self.file.parent

    def beside(self, ending: str) -> Path:
        """Return a file of its name with this ending, beside it: studies with names alike have others."""
        from ringtrue.study import study_name

        return self.file.with_name(f"{study_name(self.file)}{ending}")

    def is_made(self) -> bool:
        """Return whether a study is there, and not only what a process left that died while making one."""
        from ringtrue.journal import PostgresJournal, SqliteJournal

        if self.journal is None:
            return self.file.exists() and not SqliteJournal.is_unmade(self.file)
        try:
            kept = PostgresJournal(self.journal)
        except InvalidInput:  # it holds no study yet
            return False
        try:
            return self.name in kept.studies()
        finally:
            kept.close()

    def existing(self) -> Place:
        """Return the place of a study that was made before; a folder gets a hint at the study inside."""
        folder = self.file.with_suffix("") if self.file.suffix == ".ringtrue" else self.file
        if self.journal is None and folder.is_dir() and not self.file.is_file():
            inside = [str(found) for found in sorted(folder.glob("*.ringtrue"))] or [str(folder / "NAME.ringtrue")]
            raise InvalidInput(f"STUDY={str(folder)!r} is a folder: give the study's file, such as {inside[0]}")
        return self

    def in_file(self) -> Path:
        """Return the file of a study that was made before; one in a journal is refused."""
        if self.journal is not None:
            raise InvalidInput(f"STUDY={self.name!r} is in a database, which is copied and restored by its own tools")
        return self.existing().file

    def open(self, **given: Any) -> Study:
        """Open the study, as `Study.open` does."""
        from ringtrue.study import Study

        return Study.open(self.file, journal=self.journal, **given)

    def take_away(self) -> str:
        """Remove a study that was only just made; return what is to be said of one in a journal, which keeps all."""
        if self.journal is not None:
            return f"; study {self.name!r} is in the database all the same: go on with it, or take another name"
        self.file.unlink(missing_ok=True)
        return ""
