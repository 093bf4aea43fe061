"""Corrada-Emmanuel, Streaming algorithms for evaluating noisy judges on unlabeled data: binary classification, 2023.

`majority_vote` and `solve_trio` are the two evaluators of the paper on a `Sketch` of votes, `STATUSES` the failure
modes of the second. `variety_residuals` and `variety_distance` are its containing variety, `error_correlations` its
sample correlations, `first_order_bias` its Taylor expansion. Beyond it: bounds without any assumption, more labels,
strata, a known prevalence, and the fits and intervals that `ringtrue judges` uses.
"""

from ringtrue.core import Sketch
from ringtrue.judges import (
    STATUSES,
    DecayingWindow,
    Disagreement,
    Evaluation,
    ExactPoint,
    HuiWalter,
    Invariants,
    Majority,
    PanelAlarm,
    SlidingWindow,
    Surd,
    Trio,
    Trios,
    best_minimum_accuracy,
    chance_to_notice,
    clones,
    correlation_response,
    fit_latent,
    fit_test,
    hui_walter,
    information,
    labelled_estimates,
    majority_vote,
    mirror,
    pair_residuals,
    plan_panel,
    solve_trio,
    solve_trios,
    tolerance,
    two_judges,
    unlabelled_estimates,
)
from ringtrue.papers.algebraic_evaluation._bounds import (
    AccuracyBounds,
    Reach,
    accuracy_bounds,
    could_all_reach,
    prevalence_range,
)
from ringtrue.papers.algebraic_evaluation._consistent import consistent_evaluations, most_correct
from ringtrue.papers.algebraic_evaluation._containing_variety import (
    ClaimCheck,
    VarietyResiduals,
    check_claim,
    variety_distance,
    variety_residuals,
)
from ringtrue.papers.algebraic_evaluation._eigen_trio import eigen_trio
from ringtrue.papers.algebraic_evaluation._error_correlation import ErrorCorrelations, error_correlations, supervised
from ringtrue.papers.algebraic_evaluation._first_order_bias import Bias, first_order_bias
from ringtrue.papers.algebraic_evaluation._known_prevalence import KnownPrevalenceTrio, solve_known_prevalence
from ringtrue.papers.algebraic_evaluation._strata import StrataFit, fit_strata

__all__ = [
    "STATUSES",
    "AccuracyBounds",
    "Bias",
    "ClaimCheck",
    "DecayingWindow",
    "Disagreement",
    "ErrorCorrelations",
    "Evaluation",
    "ExactPoint",
    "HuiWalter",
    "Invariants",
    "KnownPrevalenceTrio",
    "Majority",
    "PanelAlarm",
    "Reach",
    "Sketch",
    "SlidingWindow",
    "StrataFit",
    "Surd",
    "Trio",
    "Trios",
    "VarietyResiduals",
    "accuracy_bounds",
    "best_minimum_accuracy",
    "chance_to_notice",
    "check_claim",
    "clones",
    "consistent_evaluations",
    "correlation_response",
    "could_all_reach",
    "eigen_trio",
    "error_correlations",
    "first_order_bias",
    "fit_latent",
    "fit_strata",
    "fit_test",
    "hui_walter",
    "information",
    "labelled_estimates",
    "majority_vote",
    "mirror",
    "most_correct",
    "pair_residuals",
    "plan_panel",
    "prevalence_range",
    "solve_known_prevalence",
    "solve_trio",
    "solve_trios",
    "supervised",
    "tolerance",
    "two_judges",
    "unlabelled_estimates",
    "variety_distance",
    "variety_residuals",
]
