"""What a colleague reads: one HTML file without scripts, its JSON twin, and the check that the numbers are right."""

from typing import TYPE_CHECKING, Any

from ringtrue.report._document import document
from ringtrue.report._notebook import notebook_html
from ringtrue.report._page import render
from ringtrue.report._panel import write_panel_report
from ringtrue.report._verify import Verification, verify, verify_report
from ringtrue.report._write import write_report

if TYPE_CHECKING:
    from ringtrue.report._blind_gallery import keep_shown

__all__ = [
    "Verification",
    "document",
    "keep_shown",
    "notebook_html",
    "render",
    "verify",
    "verify_report",
    "write_panel_report",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Import what belongs to one question when it is asked for: a report of another need not wait for it."""
    if name == "keep_shown":
        from ringtrue.report._blind_gallery import keep_shown

        return keep_shown
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
