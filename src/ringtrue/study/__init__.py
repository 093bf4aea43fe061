"""The study: durable, resumable, seeded; it never loses a paid answer, buys one twice or overspends."""

from ringtrue.study._asking import Out
from ringtrue.study._budget import Budget, money
from ringtrue.study._creating import study_path
from ringtrue.study._evidence import evidence_of
from ringtrue.study._formats import split_predicted
from ringtrue.study._plan import make_question, question_class
from ringtrue.study._reading import Status
from ringtrue.study._recovery import Recovered, recover
from ringtrue.study._running import ModelResponder
from ringtrue.study._study import Study

__all__ = [
    "Budget",
    "ModelResponder",
    "Out",
    "Recovered",
    "Status",
    "Study",
    "evidence_of",
    "make_question",
    "money",
    "question_class",
    "recover",
    "split_predicted",
    "study_path",
]
