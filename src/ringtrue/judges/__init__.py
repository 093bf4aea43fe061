"""How good are these judges when the truth is not known? Evaluators, bounds, alarms and the finding. Pure."""

from ringtrue.judges._bounds import TwoJudges, best_minimum_accuracy, two_judges
from ringtrue.judges._evaluate import evaluate
from ringtrue.judges._evaluation import Estimates, Evaluation, Margin, Reason, Reserve
from ringtrue.judges._figures import draw_accuracies, draw_prevalence, draw_residuals, draw_timeline
from ringtrue.judges._invariants import STATUSES, ExactPoint, Invariants, Trios, solve_trios
from ringtrue.judges._labelled import labelled_estimates
from ringtrue.judges._labelled_sketch import LabelAgreement, agreement_with_labels
from ringtrue.judges._majority import Majority, majority_vote
from ringtrue.judges._panel import Panel
from ringtrue.judges._panel_finding import PanelFinding
from ringtrue.judges._panel_sections import RESERVE_OF_STRATA, strata_sections
from ringtrue.judges._shared_errors import Notice, chance_to_notice, correlation_response, tolerance
from ringtrue.judges._standing import Standing, Standings
from ringtrue.judges._surd import Surd
from ringtrue.judges._trio import Trio, mirror, solve_trio
from ringtrue.judges._vote import REPEAT, InTurn, Vote, Votes
from ringtrue.judges._vote_finding import JudgeVotes, VoteFinding
from ringtrue.judges.bought._estimator import BoughtAccuracies
from ringtrue.judges.bought._finding import BoughtFinding, Contradiction, JudgedError
from ringtrue.judges.bought._question import Disagreement, Judges
from ringtrue.judges.latent._em import arrays_of
from ringtrue.judges.latent._fit_test import FitTest, fit_test
from ringtrue.judges.latent._hui_walter import HuiWalter, hui_walter, strata_estimates
from ringtrue.judges.latent._information import Information, information
from ringtrue.judges.latent._latent import LatentFit, fit_latent
from ringtrue.judges.latent._pairs import clones, pair_excess, pair_residuals
from ringtrue.judges.latent._plan import PanelCase, PanelPlan, plan_panel
from ringtrue.judges.latent._uncertainty import unlabelled_both, unlabelled_estimates
from ringtrue.judges.stream._alarm import PanelAlarm
from ringtrue.judges.stream._moved import Moved
from ringtrue.judges.stream._what_moved import what_moved
from ringtrue.judges.stream._windows import DecayingWindow, SlidingWindow

__all__ = [
    "REPEAT",
    "RESERVE_OF_STRATA",
    "STATUSES",
    "BoughtAccuracies",
    "BoughtFinding",
    "Contradiction",
    "DecayingWindow",
    "Disagreement",
    "Estimates",
    "Evaluation",
    "ExactPoint",
    "FitTest",
    "HuiWalter",
    "InTurn",
    "Information",
    "Invariants",
    "JudgeVotes",
    "JudgedError",
    "Judges",
    "LabelAgreement",
    "LatentFit",
    "Majority",
    "Margin",
    "Moved",
    "Notice",
    "Panel",
    "PanelAlarm",
    "PanelCase",
    "PanelFinding",
    "PanelPlan",
    "Reason",
    "Reserve",
    "SlidingWindow",
    "Standing",
    "Standings",
    "Surd",
    "Trio",
    "Trios",
    "TwoJudges",
    "Vote",
    "VoteFinding",
    "Votes",
    "agreement_with_labels",
    "arrays_of",
    "best_minimum_accuracy",
    "chance_to_notice",
    "clones",
    "correlation_response",
    "draw_accuracies",
    "draw_prevalence",
    "draw_residuals",
    "draw_timeline",
    "evaluate",
    "fit_latent",
    "fit_test",
    "hui_walter",
    "information",
    "labelled_estimates",
    "majority_vote",
    "mirror",
    "pair_excess",
    "pair_residuals",
    "plan_panel",
    "solve_trio",
    "solve_trios",
    "strata_estimates",
    "strata_sections",
    "tolerance",
    "two_judges",
    "unlabelled_both",
    "unlabelled_estimates",
    "what_moved",
]
