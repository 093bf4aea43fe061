"""What answers under test: stored predictions, estimators and functions behind one protocol."""

from ringtrue.models._column import ColumnModel
from ringtrue.models._estimator import EstimatorModel
from ringtrue.models._fingerprint import fingerprint
from ringtrue.models._function import FunctionModel
from ringtrue.models._panel import PanelModel
from ringtrue.models._read import as_model

__all__ = ["ColumnModel", "EstimatorModel", "FunctionModel", "PanelModel", "as_model", "fingerprint"]
