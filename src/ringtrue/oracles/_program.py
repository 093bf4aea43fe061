"""A program that stays alive and answers line by line; one that hangs, dies or babbles is told apart."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from ringtrue.core import InvalidInput

_GLANCE = 1.0
"""Seconds between looks whether a silent program still lives: a child of it may hold its output open."""

_GRACE = 2.0
"""Seconds that a program has to end by itself once it will not be asked again."""

_LONGEST = 1 << 24
"""Bytes of the longest line that may be an answer: a program that babbles must not fill the memory."""


class Program:
    """One running program, in a process group of its own so that what it started ends with it.

    Its standard error is ours. Pipes do not block, so that no write and no half line can outlast the time allowed.
    """

    def __init__(self, command: Sequence[str], *, name: str) -> None:
        self.name = name
        # Python holds back what it prints into a pipe: an answer that is printed must arrive.
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, process_group=0, env=environment
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InvalidInput(
                f"the program {self.name} cannot be started ({why}): check its name, or give its whole path"
            ) from None
        self._input, self._output = _pipe(self._process.stdin), _pipe(self._process.stdout)
        self._heard = bytearray()
        self.pid = self._process.pid  # that of its group as well

    def exchange(self, line: bytes, about: str, timeout: float | None) -> bytes:
        """Send a line about an item and return the line that comes back. After an error, it is to be killed."""
        end = None if timeout is None else time.monotonic() + timeout
        try:
            self._hear()
            if self._heard:
                raise InvalidInput(
                    f"the program {self.name} wrote {shown(self._heard)} unasked: write one line per item, "
                    "and everything else to standard error"
                )
            self._send(line, end)
            return self._line(end)
        except BrokenPipeError:
            raise RuntimeError(
                f"the program {self.name} {self._end()} before it answered for item {about!r}: "
                "see what it wrote, and mend it"
            ) from None
        except TimeoutError:
            raise TimeoutError(
                f"the program {self.name} gave no answer for item {about!r} within {timeout:g} s: allow it more time, "
                "or see that it sends its lines at once (flush)"
            ) from None

    def _send(self, line: bytes, end: float | None) -> None:
        left = memoryview(line)
        while left:
            self._wait(self._input, selectors.EVENT_WRITE, end)
            with suppress(BlockingIOError):
                left = left[os.write(self._input.fileno(), left) :]

    def _line(self, end: float | None) -> bytes:
        while (cut := self._heard.find(b"\n")) < 0:
            self._wait(self._output, selectors.EVENT_READ, end)
            self._hear()
            if len(self._heard) > _LONGEST:
                raise RuntimeError(f"the program {self.name} wrote a line of more than {_LONGEST:,} bytes: mend it")
        line = bytes(self._heard[:cut])
        del self._heard[: cut + 1]
        return line

    def _hear(self) -> None:
        """Take in what the program has written so far; raise BrokenPipeError at the end of its output."""
        with suppress(BlockingIOError):
            piece = os.read(self._output.fileno(), 1 << 16)
            if not piece:
                raise BrokenPipeError
            self._heard += piece

    def _wait(self, pipe: IO[bytes], event: int, end: float | None) -> None:
        """Wait until the pipe is ready; raise TimeoutError when time is up, BrokenPipeError if the program ended."""
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, event)
            while not selector.select(_GLANCE if end is None else min(_GLANCE, max(end - time.monotonic(), 0))):
                if end is not None and time.monotonic() >= end:
                    raise TimeoutError
                if self._process.poll() is not None:
                    raise BrokenPipeError

    def _end(self) -> str:
        """Say in words how the program fell silent."""
        with suppress(subprocess.TimeoutExpired):  # it may have closed its output and live on
            self._process.wait(_GRACE)
        code = self._process.returncode
        if code is None:
            return "closed its output"
        return f"ended with exit code {code}" if code >= 0 else f"was killed by signal {-code}"

    def close(self) -> None:
        """Tell the program that nothing more will be asked, and end it if it stays."""
        self._input.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self.kill()

    def kill(self) -> None:
        """End the program and all of its group."""
        with suppress(ProcessLookupError, PermissionError):  # no process of the group is left
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):  # a process that waits for a broken disk cannot be ended
            self._process.wait(_GRACE)
        self._input.close()
        self._output.close()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("a program was started without a pipe")
    os.set_blocking(pipe.fileno(), False)
    return pipe


def shown(text: bytes | bytearray) -> str:
    """Return the beginning of what a program wrote, as it may stand in a message.

    >>> shown(b"Loading\\n")
    "'Loading\\\\n'"
    """
    return repr(text[:60].decode(errors="replace"))
