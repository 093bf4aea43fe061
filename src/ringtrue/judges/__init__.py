"""How good are these judges when nobody knows the truth? Evaluators, bounds, alarms and the finding. Pure."""

from ringtrue.judges._evaluation import Estimates, Evaluation

__all__ = ["Estimates", "Evaluation"]
