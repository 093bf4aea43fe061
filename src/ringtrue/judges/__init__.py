"""How good are these judges when nobody knows the truth? Evaluators, bounds, alarms and the finding. Pure."""

from ringtrue.judges._drawing import draw_accuracies, draw_prevalence, draw_residuals, draw_timeline
from ringtrue.judges._evaluate import evaluate
from ringtrue.judges._evaluation import Estimates, Evaluation
from ringtrue.judges._margin import Margin
from ringtrue.judges._notice import Notice, chance_to_notice
from ringtrue.judges._panel_finding import PanelFinding
from ringtrue.judges._reserve import Reason, Reserve
from ringtrue.judges._standing import Standing, Standings
from ringtrue.judges.bought._bought import BoughtAccuracies
from ringtrue.judges.bought._bought_finding import BoughtFinding, Contradiction, JudgedError
from ringtrue.judges.bought._disagreement import Disagreement
from ringtrue.judges.bought._question import Judges
from ringtrue.judges.bounds._accuracy_bounds import AccuracyBounds, accuracy_bounds
from ringtrue.judges.bounds._bounds import Reach, best_minimum_accuracy, could_all_reach, prevalence_range
from ringtrue.judges.bounds._consistent import consistent_evaluations, most_correct
from ringtrue.judges.bounds._pair_bounds import TwoJudges, two_judges
from ringtrue.judges.intervals._information import Information, information
from ringtrue.judges.intervals._plan import PanelCase, PanelPlan, plan_panel
from ringtrue.judges.intervals._uncertainty import unlabelled_both, unlabelled_estimates
from ringtrue.judges.labelled._agreement import LabelAgreement, agreement_with_labels
from ringtrue.judges.labelled._labelled import labelled_estimates
from ringtrue.judges.latent._arrays import arrays_of
from ringtrue.judges.latent._clones import clones
from ringtrue.judges.latent._eigen import eigen_trio
from ringtrue.judges.latent._excess import pair_excess
from ringtrue.judges.latent._fit import FitTest, fit_test
from ringtrue.judges.latent._hui_walter import HuiWalter, hui_walter
from ringtrue.judges.latent._latent import fit_latent
from ringtrue.judges.latent._latent_fit import LatentFit
from ringtrue.judges.latent._residuals import pair_residuals
from ringtrue.judges.latent._strata import StrataFit, fit_strata
from ringtrue.judges.latent._strata_intervals import strata_estimates
from ringtrue.judges.stream._alarm import PanelAlarm
from ringtrue.judges.stream._moved import Moved
from ringtrue.judges.stream._what_moved import what_moved
from ringtrue.judges.stream._windows import DecayingWindow, SlidingWindow
from ringtrue.judges.trio._bias import Bias, first_order_bias, tolerance
from ringtrue.judges.trio._claim import ClaimCheck, check_claim
from ringtrue.judges.trio._correlation import ErrorCorrelations, error_correlations, supervised
from ringtrue.judges.trio._invariants import STATUSES, Invariants
from ringtrue.judges.trio._known_prevalence import KnownPrevalenceTrio, solve_known_prevalence
from ringtrue.judges.trio._majority import Majority, majority_vote
from ringtrue.judges.trio._response import correlation_response
from ringtrue.judges.trio._roots import ExactPoint
from ringtrue.judges.trio._surd import Surd
from ringtrue.judges.trio._trio import Trio, mirror, solve_trio
from ringtrue.judges.trio._trios import Trios, solve_trios
from ringtrue.judges.trio._variety import VarietyResiduals, variety_distance, variety_residuals

__all__ = [
    "STATUSES",
    "AccuracyBounds",
    "Bias",
    "BoughtAccuracies",
    "BoughtFinding",
    "ClaimCheck",
    "Contradiction",
    "DecayingWindow",
    "Disagreement",
    "ErrorCorrelations",
    "Estimates",
    "Evaluation",
    "ExactPoint",
    "FitTest",
    "HuiWalter",
    "Information",
    "Invariants",
    "JudgedError",
    "Judges",
    "KnownPrevalenceTrio",
    "LabelAgreement",
    "LatentFit",
    "Majority",
    "Margin",
    "Moved",
    "Notice",
    "PanelAlarm",
    "PanelCase",
    "PanelFinding",
    "PanelPlan",
    "Reach",
    "Reason",
    "Reserve",
    "SlidingWindow",
    "Standing",
    "Standings",
    "StrataFit",
    "Surd",
    "Trio",
    "Trios",
    "TwoJudges",
    "VarietyResiduals",
    "accuracy_bounds",
    "agreement_with_labels",
    "arrays_of",
    "best_minimum_accuracy",
    "chance_to_notice",
    "check_claim",
    "clones",
    "consistent_evaluations",
    "correlation_response",
    "could_all_reach",
    "draw_accuracies",
    "draw_prevalence",
    "draw_residuals",
    "draw_timeline",
    "eigen_trio",
    "error_correlations",
    "evaluate",
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
    "pair_excess",
    "pair_residuals",
    "plan_panel",
    "prevalence_range",
    "solve_known_prevalence",
    "solve_trio",
    "solve_trios",
    "strata_estimates",
    "supervised",
    "tolerance",
    "two_judges",
    "unlabelled_both",
    "unlabelled_estimates",
    "variety_distance",
    "variety_residuals",
    "what_moved",
]
