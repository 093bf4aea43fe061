"""Intervals, confidence sequences, planning and seeded randomness: pure functions of numbers."""

from ringtrue.stats._average_chance import average_chance_sequence
from ringtrue.stats._betting import Bets, highest_mean, log_growth_above, log_growth_below, log_mean_wealth, lowest_mean
from ringtrue.stats._bounds import Bounds, Side, tails
from ringtrue.stats._carried import CarriedEvidence
from ringtrue.stats._even_draws import even_draws
from ringtrue.stats._fixed import clopper_pearson, hypergeometric, wilson
from ringtrue.stats._grouped import Groups, even_and_weighted
from ringtrue.stats._learning_times import settled
from ringtrue.stats._plan import RateCase, RatePlan, plan_rate
from ringtrue.stats._planned import Planned, planned_bounds
from ringtrue.stats._pool_evidence import PoolEvidence
from ringtrue.stats._random import Shuffle, generator
from ringtrue.stats._ranked import ranked
from ringtrue.stats._rate_sequence import pool_rate_sequence, rate_sequence
from ringtrue.stats._rate_test import RateTest
from ringtrue.stats._remaining import Remaining, labels_to_decide
from ringtrue.stats._scaled import ScaledBets, ScaledEvidence
from ringtrue.stats._segments import PoolSegments, segmented_pool_sequence
from ringtrue.stats._truthful import check_draw, check_prediction
from ringtrue.stats._weighted import WeightedDraws, weighted_log_evidence, weighted_mean_sequence

__all__ = [
    "Bets",
    "Bounds",
    "CarriedEvidence",
    "Groups",
    "Planned",
    "PoolEvidence",
    "PoolSegments",
    "RateCase",
    "RatePlan",
    "RateTest",
    "Remaining",
    "ScaledBets",
    "ScaledEvidence",
    "Shuffle",
    "Side",
    "WeightedDraws",
    "average_chance_sequence",
    "check_draw",
    "check_prediction",
    "clopper_pearson",
    "even_and_weighted",
    "even_draws",
    "generator",
    "highest_mean",
    "hypergeometric",
    "labels_to_decide",
    "log_growth_above",
    "log_growth_below",
    "log_mean_wealth",
    "lowest_mean",
    "plan_rate",
    "planned_bounds",
    "pool_rate_sequence",
    "ranked",
    "rate_sequence",
    "segmented_pool_sequence",
    "settled",
    "tails",
    "weighted_log_evidence",
    "weighted_mean_sequence",
    "wilson",
]
