"""The result of a maximum-likelihood fit to a panel's votes."""

from __future__ import annotations

from dataclasses import dataclass

from ringtrue.core import Json, count, percent
from ringtrue.judges._evaluation import Evaluation, Floats


@dataclass(frozen=True, slots=True, eq=False)
class LatentFit:
    """The evaluation that makes the votes most likely if the judges err independently given the truth.

    `log_likelihood` is the sum of count times log-probability over the patterns; `path` holds it after each
    iteration. `posterior` has the shape (k, labels): the chance of each true label for the patterns of `arrays_of`.
    `on_boundary` names the probabilities that ended at 0 or 1. `start` says from where the top was reached, `reason`
    what gives the labels their meaning.
    """

    evaluation: Evaluation
    log_likelihood: float
    path: tuple[float, ...]
    converged: bool
    posterior: Floats
    start: str
    on_boundary: tuple[str, ...]
    reason: str
    known_prevalence: bool

    @property
    def iterations(self) -> int:
        return len(self.path)

    @property
    def identified(self) -> bool:
        """Whether there are judges enough for the votes to have one explanation at best: three."""
        return len(self.evaluation.judges) >= 3

    def __str__(self) -> str:
        found = self.evaluation
        shares = ", ".join(
            f"{percent(share)} {label!r}" for label, share in zip(found.labels, found.prevalence.tolist(), strict=True)
        )
        overall = ", ".join(
            f"{judge} {percent(share)}"
            for judge, share in list(zip(found.judges, found.overall.tolist(), strict=True))[:6]
        )
        more = f" and {len(found.judges) - 6} more" if len(found.judges) > 6 else ""
        caution = "" if self.identified else "; with fewer than three judges this is one of many equally likely fits"
        arrived = "" if self.converged else f"; not converged after {count(self.iterations, 'iteration')}"
        return (
            f"if the judges err independently, the votes are likeliest with {shares} and right votes {overall}{more} "
            f"({self.reason}){caution}{arrived}"
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "sentence": str(self),
            "evaluation": self.evaluation.to_json(),
            "log_likelihood": self.log_likelihood,
            "iterations": self.iterations,
            "converged": self.converged,
            "start": self.start,
            "on_boundary": list(self.on_boundary),
            "reason": self.reason,
            "known_prevalence": self.known_prevalence,
        }


def on_boundary(evaluation: Evaluation) -> tuple[str, ...]:
    """The probabilities of exactly 0 or 1, in words; where one of a distribution is 1, its zeros are not listed.

    >>> import numpy as np
    >>> sure = Evaluation.binary(("ann",), ("no", "yes"), 0.4, np.array([[1.0, 0.8]]), "")
    >>> on_boundary(sure)
    ("ann votes 'no' on 'no': 1",)
    """
    labels = evaluation.labels
    rows = [([f"share of {label!r}" for label in labels], evaluation.prevalence.tolist())]
    for judge, table in zip(evaluation.judges, evaluation.confusion.tolist(), strict=True):
        for truth, row in zip(labels, table, strict=True):
            rows.append(([f"{judge} votes {vote!r} on {truth!r}" for vote in labels], row))
    found = []
    for names, row in rows:
        ends = (1.0,) if 1.0 in row else (0.0,)
        found += [f"{name}: {share:.0f}" for name, share in zip(names, row, strict=True) if share in ends]
    return tuple(found)
