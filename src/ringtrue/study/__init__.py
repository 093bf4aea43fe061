"""The study: durable, resumable, seeded; it never loses a paid answer, buys one twice or overspends."""

from ringtrue.study._agreement import Agreement, agreement_of
from ringtrue.study._book import study_name, study_path
from ringtrue.study._budget import Budget, money
from ringtrue.study._corrected import CorrectedFinding
from ringtrue.study._evidence import evidence_of
from ringtrue.study._first_format import split_predicted
from ringtrue.study._leases import Out
from ringtrue.study._moving import Home, Moved, move
from ringtrue.study._owner import Owner
from ringtrue.study._plan import make_question, question_class, repeats_told
from ringtrue.study._raters import Empty, Held, Raters
from ringtrue.study._recovery import Recovered, recover
from ringtrue.study._second import second_of
from ringtrue.study._status import Status
from ringtrue.study._study import Study
from ringtrue.study._things import ModelResponder

__all__ = [
    "Agreement",
    "Budget",
    "CorrectedFinding",
    "Empty",
    "Held",
    "Home",
    "ModelResponder",
    "Moved",
    "Out",
    "Owner",
    "Raters",
    "Recovered",
    "Status",
    "Study",
    "agreement_of",
    "evidence_of",
    "make_question",
    "money",
    "move",
    "question_class",
    "recover",
    "repeats_told",
    "second_of",
    "split_predicted",
    "study_name",
    "study_path",
]
