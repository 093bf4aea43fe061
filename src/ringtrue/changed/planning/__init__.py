"""How many calls a question about a change takes, before any is made."""

from ringtrue.changed.planning._assumed import assumed_answers
from ringtrue.changed.planning._plan import ShiftCase, ShiftPlan, plan_shift

__all__ = ["ShiftCase", "ShiftPlan", "assumed_answers", "plan_shift"]
