"""How many calls a question about a change takes, before any is made."""

from ringtrue.changed.planning._plan import ShiftCase, ShiftPlan, plan_shift
from ringtrue.changed.planning._precision import assumed_answers

__all__ = ["ShiftCase", "ShiftPlan", "assumed_answers", "plan_shift"]
