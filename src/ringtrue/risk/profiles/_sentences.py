"""What must be true for a profile's weights to give the failure rate in operation, one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringtrue.core import count, percent

if TYPE_CHECKING:
    from ringtrue.risk.profiles._weights import ProfileWeights

APART = 0.1
"""Means further apart than this, in standard deviations, are worth a warning.

Reference: Austin, Statistics in Medicine 28 (2009), 3083-3107.
"""


def sentences(profile: ProfileWeights) -> tuple[str, ...]:
    """The assumptions of a profile, and the warnings that its balance gives."""
    told_by = [*profile.columns, *(() if profile.score is None else profile.score.features)]
    kinds = count(len(profile.classes), "kind")
    lines = [
        f"Among inputs of one kind ({kinds} by {', '.join(told_by)}), operation fails as often as the pool does.",
        f"Each kind's share of operation is that among the {count(profile.inputs, 'input')} counted there; how far so "
        "many may be off is not part of the interval.",
    ]
    if profile.lacking:
        largest = sorted(profile.lacking, key=lambda one: (-one.operation, one.values))[:3]
        named = "; ".join(profile.words(one.values) for one in largest)
        more = ", among others" if len(profile.lacking) > 3 else ""
        lines.append(
            f"{percent(profile.unassessed)} of operation is of kinds the pool has no item of ({named}{more}): none of "
            "it may fail or all, and the upper bound counts it as failing."
        )
    if profile.balance:
        before = max(abs(one.before) for one in profile.balance)
        after = max(abs(one.after) for one in profile.balance)
        lines.append(
            "Groups by a score are not exact kinds: weighting brings the means of the features from at most "
            f"{before:.2f} to at most {after:.2f} standard deviations apart."
        )
    for one in profile.balance:
        if abs(one.after) > APART:
            lines.append(
                f"Weighted, the pool still differs from operation in {one.feature} by {one.after:+.2f} standard "
                f"deviations ({one.before:+.2f} before): the rate may be off where failures depend on it."
            )
    return tuple(lines)
