"""Intervals, confidence sequences, planning and seeded randomness: pure functions of numbers."""

from ringtrue.stats._agreement import disagreement_rate, gwet_ac1, krippendorff_alpha
from ringtrue.stats._bets import EITHER, RARE, Bets, Grid, Wealth
from ringtrue.stats._bounds import Bools, Bounds, Side, tails
from ringtrue.stats._decision_time import Remaining, labels_to_decide
from ringtrue.stats._group_draws import GroupDraws, Groups, Left, Plan, even_and_weighted
from ringtrue.stats._guesses import Guess, Guesses
from ringtrue.stats._means import Earned, Means
from ringtrue.stats._one_thread import one_thread
from ringtrue.stats._plan import RateCase, RatePlan, plan_rate
from ringtrue.stats._pool_means import LearntMeans, PoolMeans, Predicted
from ringtrue.stats._random import Shuffle, even_draws, generator, ranked
from ringtrue.stats._rate_test import PoolEvidence, RateTest
from ringtrue.stats._rates import (
    average_chance_sequence,
    clopper_pearson,
    hypergeometric,
    pool_rate_sequence,
    rate_sequence,
    wilson,
)
from ringtrue.stats._records import (
    Following,
    are_even,
    both_ways,
    check_draw,
    check_prediction,
    drawn_in,
    is_even,
    settled,
)
from ringtrue.stats._segments import CarriedEvidence, PoolSegments, segmented_pool_sequence
from ringtrue.stats._spread_bets import SPREAD, OneLook, Planned
from ringtrue.stats._stratified import stratified_upper
from ringtrue.stats._two_phase import CheckedDraws, two_phase_rate, two_phase_sequence
from ringtrue.stats._weighted import WeightedDraws, weighted_log_evidence, weighted_mean_sequence

__all__ = [
    "EITHER",
    "RARE",
    "SPREAD",
    "Bets",
    "Bools",
    "Bounds",
    "CarriedEvidence",
    "CheckedDraws",
    "Earned",
    "Following",
    "Grid",
    "GroupDraws",
    "Groups",
    "Guess",
    "Guesses",
    "LearntMeans",
    "Left",
    "Means",
    "OneLook",
    "Plan",
    "Planned",
    "PoolEvidence",
    "PoolMeans",
    "PoolSegments",
    "Predicted",
    "RateCase",
    "RatePlan",
    "RateTest",
    "Remaining",
    "Shuffle",
    "Side",
    "Wealth",
    "WeightedDraws",
    "are_even",
    "average_chance_sequence",
    "both_ways",
    "check_draw",
    "check_prediction",
    "clopper_pearson",
    "disagreement_rate",
    "drawn_in",
    "even_and_weighted",
    "even_draws",
    "generator",
    "gwet_ac1",
    "hypergeometric",
    "is_even",
    "krippendorff_alpha",
    "labels_to_decide",
    "one_thread",
    "plan_rate",
    "pool_rate_sequence",
    "ranked",
    "rate_sequence",
    "segmented_pool_sequence",
    "settled",
    "stratified_upper",
    "tails",
    "two_phase_rate",
    "two_phase_sequence",
    "weighted_log_evidence",
    "weighted_mean_sequence",
    "wilson",
]
