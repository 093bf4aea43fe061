"""Checks that ringtrue runs on itself, shipped so that you can run them on your own adapters and questions.

Needs pytest, which ringtrue does not install by itself: `pip install pytest`.
"""

from ringtrue.testing.journals import JournalConformance
from ringtrue.testing.questions import check_question

__all__ = ["JournalConformance", "check_question"]
