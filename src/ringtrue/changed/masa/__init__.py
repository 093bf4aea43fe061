"""MASA, the published way to assess a shift: answers are bought where they differ most.

Chen, Cai, Zaharia & Zou, (How) Did the Model Change? Efficiently Assessing Machine Learning API Shifts, ICLR 2022.
"""

from ringtrue.changed.masa._masa import Masa, MasaPolicy
from ringtrue.changed.masa._partition import Partition, error_bound, masa_bound, masa_shift, new_matrix, scores

__all__ = [
    "Masa",
    "MasaPolicy",
    "Partition",
    "error_bound",
    "masa_bound",
    "masa_shift",
    "new_matrix",
    "scores",
]
