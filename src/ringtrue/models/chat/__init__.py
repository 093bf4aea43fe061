"""Language models behind chat addresses, as the model under test and as judges who vote."""

from ringtrue.models.chat._calls import Calls
from ringtrue.models.chat._file import FORM, JudgesFile, read_judges
from ringtrue.models.chat._judge import Judge, shared_models
from ringtrue.models.chat._model import NO_ANSWER, ChatModel
from ringtrue.models.chat._panel import Tariff, VotingPanel
from ringtrue.models.chat._prices import Price, read_prices
from ringtrue.models.chat._rubric import CANNOT_TELL, Rubric

__all__ = [
    "CANNOT_TELL",
    "FORM",
    "NO_ANSWER",
    "Calls",
    "ChatModel",
    "Judge",
    "JudgesFile",
    "Price",
    "Rubric",
    "Tariff",
    "VotingPanel",
    "read_judges",
    "read_prices",
    "shared_models",
]
