"""Principal components as an encoder and decoder: exact where the data lie in a plane of that many axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats
from ringtrue.risk.latent._latent import table


@dataclass(frozen=True, slots=True, eq=False)
class PcaLatent:
    """The plane through `mean` along `components`, shape (axes, features), of unit length and at right angles.

    Distances within the plane are those of the inputs: no axis is rescaled.

    >>> line = PcaLatent.fit([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]], axes=1)
    >>> np.allclose(line.decode(line.encode([[0.5, 1.0]])), [[0.5, 1.0]])
    True
    """

    mean: Floats
    components: Floats

    @classmethod
    def fit(cls, inputs: ArrayLike, *, axes: int) -> PcaLatent:
        """The plane of `axes` axes in which `inputs`, shape (n, features), vary most."""
        from sklearn.decomposition import PCA  # here, because it takes longer to load than all else together

        found = table("inputs", inputs)
        most = min(len(found) - 1, found.shape[1])  # so many directions are left once the mean is taken away
        if int(axes) != axes or not 1 <= axes <= most:
            raise InvalidInput(f"axes={axes} must be a whole number in [1, {most}]: inputs {found.shape} have no more")
        # The solver for large tables starts from random numbers; a fixed state keeps the answer a function of inputs.
        fitted = PCA(n_components=axes, random_state=0).fit(found)
        return cls(np.asarray(fitted.mean_, dtype=float), np.asarray(fitted.components_, dtype=float))

    def encode(self, inputs: ArrayLike) -> Floats:
        found: Floats = (np.asarray(inputs, dtype=float) - self.mean) @ self.components.T
        return found

    def decode(self, latents: ArrayLike) -> Floats:
        found: Floats = np.asarray(latents, dtype=float) @ self.components + self.mean
        return found
