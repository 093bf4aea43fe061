"""The process that runs one model file: started when it is needed, ended with the model, and replaced if it dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from numpy.typing import NDArray

from ringtrue.core import InvalidInput, ResponderStopped, count, shortened
from ringtrue.models.files import _wire
from ringtrue.models.files._table import hash_of

_GRACE = 2.0
"""Seconds that the process has to end by itself once nothing more will be asked."""

_PIPE = 1 << 20
"""Bytes that a pipe holds, so that a batch goes through in one piece."""

_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
"""No library looks for anything on a network because of a file."""

_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(256 << 20), "MALLOC_MMAP_THRESHOLD_": str(32 << 20)}
"""What a batch has freed is kept for the next: to give it back each time took as long as a small network does."""


class Worker:
    """Runs one model file in a child process, of which it starts another when the last one died.

    Parameters
    ----------
    name
        What errors call the model.
    module
        The module of this folder that opens the file.
    path
        The file.
    trusted
        Further types that may be loaded, as the user named them.
    known
        The hash of the file: another process may run the same file alone.
    """

    def __init__(self, name: str, module: str, path: Path, trusted: Sequence[str], known: str) -> None:
        self.name, self._hash = name, known
        self._opening: dict[str, Any] = {"module": module, "path": str(path.absolute()), "trusted": list(trusted)}
        self._lock = threading.Lock()
        self._living: list[_Child] = []
        self._others: list[_Child] = []
        self._about: dict[str, Any] | None = None
        weakref.finalize(self, _end, self._living)  # also when Python ends

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what runs the same file in another process, once for all that is sent there."""
        opening = self._opening
        return _in_this_process, (self.name, opening["module"], opening["path"], tuple(opening["trusted"]), self._hash)

    def about(self) -> dict[str, Any]:
        """Return what the file says of itself, which opens it."""
        with self._lock:
            if self._about is None:
                self._child()
            return self._about or {}

    def ask(self, columns: list[Any], arrays: Sequence[NDArray[Any]], items: int) -> tuple[dict[str, Any], list[Any]]:
        """Return what the model says of some items; `columns` tell what each input is, a text or one of the arrays."""
        with self._lock:
            child = self._child()
            try:
                reply, found = child.exchange({"columns": columns}, arrays)
            except (_wire.Ended, OSError):
                how = child.kill()
                self._living.clear()
                raise ResponderStopped(
                    f"the model {self.name} {how} while it answered {count(items, 'item')}: run again, and export it "
                    "again if that stays; every answer so far is kept"
                ) from None
            except BaseException:  # an interrupt too: the answer still to come would be taken for the next one's
                child.kill()
                self._living.clear()
                raise
        if "error" in reply:
            raise InvalidInput(f"the model {self.name} failed ({reply['error']}): mend the items, or export it again")
        return reply, found

    def _child(self) -> _Child:
        """Return the process, after it has opened the file; one that a fork inherited is left to its owner."""
        if self._living and self._living[0].owner != os.getpid():
            self._others += self._living
            self._living.clear()
        if not self._living:
            child = _Child()
            self._living.append(child)
            try:
                about, _ = child.exchange(self._opening)
            except (_wire.Ended, OSError):
                how = child.kill()
                self._living.clear()
                raise InvalidInput(f"the model {self.name} {how} while it was opened: export it again") from None
            except BaseException:
                child.kill()
                self._living.clear()
                raise
            if "error" in about:
                child.kill()
                self._living.clear()
                raise InvalidInput(f"the model {self.name} {about['error']}")
            self._about = about
        return self._living[0]


@lru_cache(maxsize=4)
def _in_this_process(name: str, module: str, path: str, trusted: tuple[str, ...], known: str) -> Worker:
    """Return the worker of this process for a file: it takes a second to start, and parts of work come every few."""
    if not Path(path).exists() or hash_of(Path(path)) != known:
        raise InvalidInput(f"{path}: is not the model of the study: give every worker the same file in the same place")
    return Worker(name, module, Path(path), trusted, known)


class _Child:
    """One running process, in a group of its own: an interrupt at the terminal goes to whoever asks, which ends it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        command = [sys.executable, "-P", "-m", "ringtrue.models.files._child"]  # -P: no module of the folder you are in
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            process_group=0,
            pipesize=_PIPE,
            env={**_MEMORY, **os.environ, **_OFFLINE},
        )
        self.pid = self._process.pid

    def exchange(
        self, message: dict[str, Any], arrays: Sequence[NDArray[Any]] = ()
    ) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        if self._process.stdin is None or self._process.stdout is None:
            raise _wire.Ended
        _wire.send(self._process.stdin, message, arrays)
        return _wire.receive(self._process.stdout)

    def end(self) -> None:
        """Tell the process that nothing more will be asked, and end it if it stays."""
        if self.owner != os.getpid():
            return
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self.kill()

    def kill(self) -> str:
        """End the process, and say in words how it had ended before that."""
        with suppress(subprocess.TimeoutExpired):  # what broke the pipe may still be ending
            self._process.wait(0.2)
        code = self._process.poll()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        last = self._last_words()
        for stream in (self._process.stdin, self._process.stdout, self._said):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        if code is None:
            return f"broke off{last}"
        if code == -signal.SIGKILL:
            return f"was killed (SIGKILL, as a machine without memory does){last}"
        return f"was killed by {_signal(-code)}{last}" if code < 0 else f"ended with exit code {code}{last}"

    def _last_words(self) -> str:
        """Return the last line that was written to standard error, in brackets, if there is one."""
        try:
            size = self._said.seek(0, os.SEEK_END)
            self._said.seek(max(0, size - 2000))
            lines = self._said.read().decode(errors="replace").split("\n")
        except (OSError, ValueError):
            return ""
        words = next((" ".join(line.split()) for line in reversed(lines) if line.strip()), "")
        return f" ({shortened(words, 160)})" if words else ""


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _end(living: list[_Child]) -> None:
    while living:
        living.pop().end()
