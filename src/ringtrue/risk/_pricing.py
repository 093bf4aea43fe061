"""Several profiles of use priced from the same labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Record
from ringtrue.risk.profiles import Priced, ProfileWeights, price


def weight_score(profile: ProfileWeights) -> str:
    """The name under which the weights of a profile are prepared for each row."""
    return f"weight {profile.name}"


def priced_profiles(
    profiles: Sequence[ProfileWeights], records: Sequence[Record], failed: Sequence[bool | None],
    scores: Mapping[str, Mapping[int, Any] | NDArray[Any]], size: int, level: float,
) -> tuple[Priced, ...]:  # fmt: skip
    """What the labels say under each profile; one for which they are too few is refused."""
    told = [np.nan if one is None else float(one) for one in failed]
    chance = [np.nan if record.probability is None else record.probability for record in records]
    floor = [np.nan if record.floor is None else record.floor for record in records]
    found = []
    for profile in profiles:
        by_row = scores.get(weight_score(profile), {})
        weight = [float(by_row[record.row]) for record in records if record.row is not None]
        found.append(
            price(
                profile.name, told, weight, chance, floor, population=size, most=profile.most,
                unassessed=profile.unassessed, level=level,
            )
        )  # fmt: skip
    return tuple(found)
