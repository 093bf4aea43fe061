"""What you may claim about a model you can only query, with few expensive answers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ringtrue.blind import Blind
    from ringtrue.changed import Changed
    from ringtrue.core import Claim, InvalidInput, Query, Reply, RingtrueError, Verdict
    from ringtrue.judges import Judges, evaluate
    from ringtrue.pools import read_pool, read_votes
    from ringtrue.report import verify_report, write_panel_report, write_report
    from ringtrue.risk import Risk
    from ringtrue.stats import plan_rate
    from ringtrue.study import Budget, Study
    from ringtrue.worst import AtMost, Choice, Integer, Real, SearchSpace, Worst

_HOMES = {
    "AtMost": "worst",
    "Blind": "blind",
    "Budget": "study",
    "Changed": "changed",
    "Choice": "worst",
    "Claim": "core",
    "Integer": "worst",
    "InvalidInput": "core",
    "Judges": "judges",
    "Query": "core",
    "Real": "worst",
    "Reply": "core",
    "RingtrueError": "core",
    "Risk": "risk",
    "SearchSpace": "worst",
    "Study": "study",
    "Verdict": "core",
    "Worst": "worst",
    "evaluate": "judges",
    "plan_rate": "stats",
    "read_pool": "pools",
    "read_votes": "pools",
    "verify_report": "report",
    "write_panel_report": "report",
    "write_report": "report",
}

__all__ = [
    "AtMost",
    "Blind",
    "Budget",
    "Changed",
    "Choice",
    "Claim",
    "Integer",
    "InvalidInput",
    "Judges",
    "Query",
    "Real",
    "Reply",
    "RingtrueError",
    "Risk",
    "SearchSpace",
    "Study",
    "Verdict",
    "Worst",
    "evaluate",
    "plan_rate",
    "read_pool",
    "read_votes",
    "verify_report",
    "write_panel_report",
    "write_report",
]


if not TYPE_CHECKING:  # a type checker would take any name, also a misspelt one, for one of ours

    def __getattr__(name: str) -> Any:
        """Load a public name when it is first used, so that `import ringtrue` and `ringtrue --help` stay quick."""
        if name not in _HOMES:
            raise AttributeError(f"module 'ringtrue' has no attribute {name!r}")
        return getattr(import_module(f"ringtrue.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
