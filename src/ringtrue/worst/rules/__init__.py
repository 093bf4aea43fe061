"""Rules for the task to evaluate next, where every output is priced alone. Pure."""

from collections.abc import Mapping

from ringtrue.worst.rules._best_value import Harmonic, Rising, by_harmonic_shares
from ringtrue.worst.rules._exp3 import Exp3BO, ScaledExp3BO
from ringtrue.worst.rules._rule import Joint, Pull, RandomTask, RoundRobin, TaskChoice, TaskRule, Turn

RULES: Mapping[str, TaskRule] = {
    rule.name: rule for rule in (Harmonic(), Rising(), Joint(), RoundRobin(), RandomTask(), Exp3BO(), ScaledExp3BO())
}
"""The rules a user can name. A new one is one file and one entry here."""

DEFAULT = "harmonic"
"""It gives up no task, which a rule must not when a large deviation may hide in one place of a task that looks good."""

__all__ = [
    "DEFAULT",
    "RULES",
    "Exp3BO",
    "Harmonic",
    "Joint",
    "Pull",
    "RandomTask",
    "Rising",
    "RoundRobin",
    "ScaledExp3BO",
    "TaskChoice",
    "TaskRule",
    "Turn",
    "by_harmonic_shares",
]
