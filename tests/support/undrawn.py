"""Pages without drawings or their layout, for tests that read words: most of the time of a page goes into those."""

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


@contextmanager
def without_layout():
    """Draw everything where it happens to stand: laying out and measuring take longer than drawing."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from ringtrue.report import _pictures

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConstrainedLayoutEngine, "execute", lambda *_: None)
        patch.setattr(_pictures, "_needed", lambda _: None)
        yield
