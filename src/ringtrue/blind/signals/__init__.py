"""What hints at an error without anybody being asked: neighbours, small changes, traits of an image. Pure."""

from ringtrue.blind.signals._compact import compact, image_traits
from ringtrue.blind.signals._neighbours import Neighbours, neighbour_scores, principal, standardised
from ringtrue.blind.signals._variations import variations

__all__ = [
    "Neighbours",
    "compact",
    "image_traits",
    "neighbour_scores",
    "principal",
    "standardised",
    "variations",
]
