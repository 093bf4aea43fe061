"""`ringtrue judges --follow`: watch a stream of votes, and raise an alarm when it is no longer the reference's."""

from __future__ import annotations

import csv
import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._judges_panel import called, read_given
from ringtrue.cli._terminal import say, tell
from ringtrue.core import InvalidInput, count, number_in, read_json

if TYPE_CHECKING:
    from ringtrue.core import Pool
    from ringtrue.judges import PanelAlarm

_PAUSE = 0.2
"""Seconds between looks at a file that has not grown: soon enough for people, idle enough for the machine."""

_INTERRUPTED = 130


def follow_stream(votes: str | Pool, given: Mapping[str, Any], *, as_json: bool) -> int:
    """Read events until the stream ends, the user stops it, or the alarm goes off.

    A file is followed as it grows; standard input ends where it ends. Exit code: 0 no alarm, 1 alarm. In a report the
    reference is evaluated as the options say; their `level` is that of the alarm.
    """
    from ringtrue.judges import PanelAlarm

    file, out = given["follow"], given.get("out")
    reference, options = read_given(votes, given)
    alarm = PanelAlarm(reference, level=options["level"])
    stopped = False
    if file == "-" and sys.stdin.isatty():
        tell("reading votes from the terminal: end with Ctrl-D", err=True)
    lines = _decoded(sys.stdin.buffer, "-") if file == "-" else _growing(Path(file))
    try:
        for where, event in events(lines, file, reference.judges):
            try:
                alarm.update(reference.pattern({judge: _cell(vote) for judge, vote in event.items()}))
            except InvalidInput as error:
                raise InvalidInput(f"--follow={file}: line {where}: {error}") from None
            if alarm.alarmed_at is not None:
                break
    except KeyboardInterrupt:
        stopped = True
    # The line comes first: nothing that is worked out or written afterwards can keep the alarm from being heard. One
    # document on standard output stays one, so that with --json an alarm is said on the other stream.
    raised = alarm.alarmed_at is not None
    if raised or not as_json:
        tell(str(alarm), err=as_json)
    stream = alarm.to_json()
    if raised:
        explanation, stream["moved"] = _explained(alarm)
        stream["sentence"] = f"{alarm}; {explanation}"
        if not as_json:
            tell(f"  {explanation}")
    result: dict[str, Any] = {"votes": votes if isinstance(votes, str) else votes.name, "stream": file, **stream}
    written: list[str] = []
    if out is not None:
        from ringtrue.report import write_panel_report

        try:
            page, twin = write_panel_report(reference, out, name=called(votes), stream=stream, **options)
        except Exception as error:
            if not raised:
                raise
            tell(f"the report was not written: {error}", err=True)
        else:
            result.update(html=str(page), json=str(twin))
            written = [f"wrote {page}", f"wrote {twin}"]
    say(as_json, result, *written)
    if raised:
        return 1
    return _INTERRUPTED if stopped else 0


def _explained(alarm: PanelAlarm) -> tuple[str, Any]:
    """Explain what moved, in words and for programs, or say that it could not be worked out."""
    try:
        moved = alarm.explain()
        return str(moved), moved.to_json()
    except KeyboardInterrupt:
        return "stopped before it was explained", None
    except Exception as error:
        return f"what moved could not be worked out ({type(error).__name__}: {error})", None


def events(lines: Iterable[str], file: str, judges: tuple[str, ...]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line's number and votes: JSON objects, or CSV after a header that names the judges."""
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    first = next(numbered, None)
    if first is None:
        raise InvalidInput(f"--follow={file} holds no votes: give a header with the judges' names, then a row per item")
    first = first[0], first[1].lstrip("\ufeff")
    if first[1].lstrip().startswith("{"):
        yield _object(*first, file, judges)
        for number, line in numbered:
            yield _object(number, line, file, judges)
        return
    delimiter = next((mark for mark in ",;\t" if mark in first[1]), ",")
    header = [name.strip() for name in next(csv.reader([first[1]], delimiter=delimiter))]
    for judge in judges:
        if header.count(judge) > 1:
            raise InvalidInput(f"--follow={file}: the first line names judge {judge!r} twice: name each once")
    for judge in judges:
        if judge not in header:
            raise InvalidInput(
                f"--follow={file}: the first line has no column for judge {judge!r}: name all judges there"
            )
    for number, line in numbered:
        cells = next(csv.reader([line], delimiter=delimiter))
        if len(cells) != len(header):
            raise InvalidInput(
                f"--follow={file}: line {number} has {count(len(cells), 'cell')}, the header has {len(header)}"
            )
        row = dict(zip(header, cells, strict=True))
        yield number, {judge: row[judge] for judge in judges}


def _cell(vote: Any) -> Any:
    """Return a number as a table of votes would read it, so that 1.0 is the label 1."""
    number = number_in(vote) if isinstance(vote, str) and vote.strip().endswith(".0") else math.inf
    return number if number < math.inf else vote


def _object(number: int, line: str, file: str, judges: tuple[str, ...]) -> tuple[int, dict[str, Any]]:
    """Return the number and the votes of a line that holds a JSON object."""
    try:
        found = read_json(line)
    except ValueError as error:
        raise InvalidInput(
            f"--follow={file}: line {number} is not a JSON object ({error}): write one object per item"
        ) from None
    if not isinstance(found, dict) or not any(judge in found for judge in judges):
        raise InvalidInput(f"--follow={file}: line {number} names none of the judges: write {{judge: label, …}}")
    return number, {judge: found.get(judge) for judge in judges}


def _growing(path: Path) -> Iterator[str]:
    """Yield the lines of a file and those that are added to it; a last line without an end waits for its end."""
    if not path.is_file():
        raise InvalidInput(f"--follow={path} is not a file: name the file that later votes come in, or - for stdin")
    told = False
    with open(path, "rb") as file:
        rest = b""
        while True:
            part = file.readline()
            rest += part
            if rest.endswith(b"\n"):
                yield from _decoded([rest], str(path))
                rest = b""
            elif not part:
                if not told:
                    told = True
                    tell(f"following {path}: stop with Ctrl-C", err=True)
                time.sleep(_PAUSE)


def _decoded(lines: Iterable[bytes], where: str) -> Iterator[str]:
    """Yield lines as text, which must be UTF-8."""
    for line in lines:
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError:
            raise InvalidInput(f"--follow={where}: a line is not UTF-8 text: write the votes as UTF-8") from None
