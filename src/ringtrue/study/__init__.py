"""The study: durable, resumable, seeded; it never loses a paid answer, buys one twice or overspends."""

from ringtrue.study._book import study_path
from ringtrue.study._leases import Out
from ringtrue.study._ledger import split_predicted
from ringtrue.study._plan import Budget, make_question, money, question_class
from ringtrue.study._reading import Status, evidence_of
from ringtrue.study._recovery import Recovered, recover
from ringtrue.study._study import Study
from ringtrue.study._things import ModelResponder

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
