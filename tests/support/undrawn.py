"""Pages without their drawings, for tests that read their words: most of the time of a page goes into drawing."""

import sys
from contextlib import contextmanager

import pytest


@contextmanager
def without_drawings():
    """Put an empty frame in the place of every drawing of a page; other tests look at the drawings."""
    import ringtrue.report  # noqa: F401 - so that every module that draws is there

    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if name.startswith("ringtrue.report._"):
                for function in {"svg", "svg_of_several"} & set(vars(module)):
                    patch.setattr(module, function, lambda *_, **__: "<svg></svg>")
        yield
