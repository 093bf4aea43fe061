"""Interrupts: Ctrl-C, SIGTERM and a closed terminal end a command in good order, and none is lost on the way."""

from __future__ import annotations

import signal
from importlib.machinery import ExtensionFileLoader
from types import FrameType

_heard: list[int] = []
"""The signals that came: code that swallows the exception meets it again at the next `check`."""

_LOADING = {ExtensionFileLoader.create_module.__code__, ExtensionFileLoader.exec_module.__code__}
"""What runs while a compiled module is being loaded."""


def listen() -> None:
    """Have the signals that end a process interrupt it; one that was told to be ignored stays ignored."""
    usual = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
    for name, handler in usual.items():
        kind = getattr(signal, name, None)
        if kind is not None and signal.getsignal(kind) == handler:
            signal.signal(kind, interrupt)


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, but not inside a compiled module that is being loaded: some abort the whole process."""
    _heard.append(number)
    while frame is not None:
        if frame.f_code in _LOADING:
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def was_interrupted() -> bool:
    """Return whether a signal came that ends this process."""
    return bool(_heard)


def check() -> None:
    """Raise KeyboardInterrupt if a signal came, whatever became of the exception then: finalizers swallow it."""
    if _heard:
        raise KeyboardInterrupt
