"""Inputs with many features: the profile and its cells in a latent space, failures in the input space. Pure."""

from ringtrue.risk.latent._assess import assess_latent
from ringtrue.risk.latent._finding import LatentFinding
from ringtrue.risk.latent._judged import JudgedCells
from ringtrue.risk.latent._latent import Latent
from ringtrue.risk.latent._pca import PcaLatent
from ringtrue.risk.latent._ranked import RankedCells
from ringtrue.risk.latent._reconstruction import Reconstruction
from ringtrue.risk.latent._splitting import Splitting
from ringtrue.risk.latent._unastuteness import Draws, Local, Unastuteness
from ringtrue.risk.latent._vae import VaeLatent

__all__ = [
    "Draws",
    "JudgedCells",
    "Latent",
    "LatentFinding",
    "Local",
    "PcaLatent",
    "RankedCells",
    "Reconstruction",
    "Splitting",
    "Unastuteness",
    "VaeLatent",
    "assess_latent",
]
