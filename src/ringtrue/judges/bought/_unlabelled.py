"""What votes alone say of a panel whose labels are bought, to be held against the labels."""

from __future__ import annotations

from ringtrue.core import Sketch
from ringtrue.judges._evaluation import Evaluation
from ringtrue.judges._majority import majority_vote
from ringtrue.judges.latent._latent import fit_latent
from ringtrue.judges.latent._uncertainty import beyond_votes


def unlabelled_of(sketch: Sketch) -> Evaluation | None:
    """The likeliest evaluation if judges err independently; of two judges or too many unknowns, the majority's."""
    if len(sketch.judges) < 3 or beyond_votes(sketch):
        return majority_vote(sketch).evaluation
    return fit_latent(sketch).evaluation
