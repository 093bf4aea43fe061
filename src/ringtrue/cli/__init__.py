"""The command line: a verb is loaded only when it is called."""

from ringtrue.cli._main import main

__all__ = ["main"]
