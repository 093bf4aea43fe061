"""What answers under test: stored predictions, files, estimators, functions and web services behind one protocol."""

from ringtrue.models._credentials import carried
from ringtrue.models._fingerprint import contradicted, differing, holds_floats, is_another, mark_of
from ringtrue.models._http import HttpModel
from ringtrue.models._local import ArrayModel, EstimatorModel, FunctionModel
from ringtrue.models._patience import pauses_until
from ringtrue.models._post import is_address
from ringtrue.models._read import ColumnModel, PanelModel, as_model
from ringtrue.models.files._model import FileModel
from ringtrue.models.files._table import format_of, is_model_file

__all__ = [
    "ArrayModel",
    "ColumnModel",
    "EstimatorModel",
    "FileModel",
    "FunctionModel",
    "HttpModel",
    "PanelModel",
    "as_model",
    "carried",
    "contradicted",
    "differing",
    "format_of",
    "holds_floats",
    "is_address",
    "is_another",
    "is_model_file",
    "mark_of",
    "pauses_until",
]
