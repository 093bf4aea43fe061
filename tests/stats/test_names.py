"""The public names of the package: every one exists, and nothing else leaks."""

from __future__ import annotations

import inspect

from ringtrue import stats


def test_all_names_exist_and_nothing_leaks() -> None:
    assert sorted(stats.__all__) == sorted(set(stats.__all__))
    public = {name for name, entry in vars(stats).items() if not name.startswith("_") and not inspect.ismodule(entry)}
    assert public == set(stats.__all__)
