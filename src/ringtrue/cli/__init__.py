"""The command line: one file a verb, loaded only when it is called."""

from ringtrue.cli._main import main

__all__ = ["main"]
