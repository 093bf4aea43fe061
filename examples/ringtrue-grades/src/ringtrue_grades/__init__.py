"""How good are these answers on average, when each can be marked on a scale?"""

from ringtrue_grades._estimator import AverageLoss
from ringtrue_grades._finding import GradesFinding
from ringtrue_grades._question import Grades

__all__ = ["AverageLoss", "Grades", "GradesFinding"]
