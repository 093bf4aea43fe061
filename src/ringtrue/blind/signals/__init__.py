"""What hints at an error without anybody being asked: neighbours, small changes, traits of an image. Pure."""

from ringtrue.blind.signals._images import TRAITS, compact, image_traits, variations
from ringtrue.blind.signals._neighbours import Neighbours, neighbour_scores, principal, standardised

__all__ = [
    "TRAITS",
    "Neighbours",
    "compact",
    "image_traits",
    "neighbour_scores",
    "principal",
    "standardised",
    "variations",
]
