"""Runs the coverage suite: `python -m ringtrue.testing.coverage --help`."""

from ringtrue.testing.coverage import main

if __name__ == "__main__":
    raise SystemExit(main())
