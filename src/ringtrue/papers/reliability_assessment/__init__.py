"""Zhao et al., Assessing the Reliability of Deep Learning Classifiers Through Robustness Evaluation and Operational
Profiles, AISafety at IJCAI 2021: the reliability assessment model, and other bounds of the same failure rate.

`paper_model` is the model with every choice of its authors, and `assess` the same cells without what is wrong in them.
`assess_latent` is its branch for images: cells of a latent space. `webb_splitting` is its sampler of rare failures, and
`multilevel_splitting` one with an interval. The conservative, the stratified and the importance-weighted bounds rest on
labelled answers instead of cells.
"""

from ringtrue.papers.reliability_assessment._cell_choices import (
    NearestLabel,
    SaidBy,
    bootstrap_variance,
    share_variance,
)
from ringtrue.papers.reliability_assessment._conservative import (
    Belief,
    conservative_confidence,
    conservative_posterior_mean,
    conservative_upper,
)
from ringtrue.papers.reliability_assessment._latent_assessment import assess_latent
from ringtrue.papers.reliability_assessment._latent_cells import JudgedCells, RankedCells
from ringtrue.papers.reliability_assessment._latent_failures import Draws, Local, Splitting, Unastuteness
from ringtrue.papers.reliability_assessment._latent_finding import LatentFinding, Reconstruction
from ringtrue.papers.reliability_assessment._latents import Latent, PcaLatent, VaeLatent
from ringtrue.papers.reliability_assessment._multilevel_splitting import (
    RareEvent,
    Score,
    WebbSplitting,
    multilevel_splitting,
    webb_splitting,
)
from ringtrue.papers.reliability_assessment._uneven_samples import (
    importance_log_evidence,
    importance_mean_sequence,
    stratified_jeffreys,
)
from ringtrue.risk import METHODS
from ringtrue.risk.cells import (
    Census,
    Grid,
    KernelProfile,
    PaperModel,
    Separation,
    assess,
    choose_bandwidth,
    closed_form_variance,
    exact_trees,
    lattice,
    monte_carlo,
    paper_bootstrap_variance,
    paper_model,
    splitting,
)
from ringtrue.risk.rare import CellUnastuteness, cell_unastuteness, margin
from ringtrue.stats import clopper_pearson, stratified_upper

__all__ = [
    "METHODS",
    "Belief",
    "CellUnastuteness",
    "Census",
    "Draws",
    "Grid",
    "JudgedCells",
    "KernelProfile",
    "Latent",
    "LatentFinding",
    "Local",
    "NearestLabel",
    "PaperModel",
    "PcaLatent",
    "RankedCells",
    "RareEvent",
    "Reconstruction",
    "SaidBy",
    "Score",
    "Separation",
    "Splitting",
    "Unastuteness",
    "VaeLatent",
    "WebbSplitting",
    "assess",
    "assess_latent",
    "bootstrap_variance",
    "cell_unastuteness",
    "choose_bandwidth",
    "clopper_pearson",
    "closed_form_variance",
    "conservative_confidence",
    "conservative_posterior_mean",
    "conservative_upper",
    "exact_trees",
    "importance_log_evidence",
    "importance_mean_sequence",
    "lattice",
    "margin",
    "monte_carlo",
    "multilevel_splitting",
    "paper_bootstrap_variance",
    "paper_model",
    "share_variance",
    "splitting",
    "stratified_jeffreys",
    "stratified_upper",
    "webb_splitting",
]
