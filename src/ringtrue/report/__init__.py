"""What a colleague reads: one HTML file without scripts, its JSON twin, and the check that the numbers are right."""

from ringtrue.report._document import document
from ringtrue.report._page import notebook_html, render
from ringtrue.report._pictures import keep_shown, png_of
from ringtrue.report._verify import Verification, verify, verify_report
from ringtrue.report._write import write_panel_report, write_report

__all__ = [
    "Verification",
    "document",
    "keep_shown",
    "notebook_html",
    "png_of",
    "render",
    "verify",
    "verify_report",
    "write_panel_report",
    "write_report",
]
