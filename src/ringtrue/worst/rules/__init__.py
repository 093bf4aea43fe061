"""Which task to evaluate next, where every output is priced alone. Pure."""

from collections.abc import Mapping

from ringtrue.worst.rules._exp3 import Exp3BO
from ringtrue.worst.rules._exp3_scaled import ScaledExp3BO
from ringtrue.worst.rules._fixed import Joint, OracleTask, RandomTask, RoundRobin
from ringtrue.worst.rules._rising import Rising
from ringtrue.worst.rules._rule import Pull, TaskChoice, TaskRule

RULES: Mapping[str, TaskRule] = {
    rule.name: rule for rule in (Exp3BO(), ScaledExp3BO(), RoundRobin(), RandomTask(), Rising(), Joint())
}
"""The rules a user can name. A new one is one file and one entry here."""

DEFAULT = "rising"

__all__ = [
    "DEFAULT",
    "RULES",
    "Exp3BO",
    "Joint",
    "OracleTask",
    "Pull",
    "RandomTask",
    "Rising",
    "RoundRobin",
    "ScaledExp3BO",
    "TaskChoice",
    "TaskRule",
]
