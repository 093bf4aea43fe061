"""Small pools with old answers, true labels, confidences and slices, and new answers that differ in a stated share."""

import numpy as np
import pandas as pd

from ringtrue.pools import read_pool


def frame(size=300, *, changed=0.05, classes=3, seed=1, wrong=0.15):
    """A table of items. `changed` is the share of items whose new answer is another one."""
    rng = np.random.default_rng(seed)
    names = np.array([f"c{place}" for place in range(classes)])
    truth = rng.integers(0, classes, size)
    old = np.where(rng.random(size) < wrong, (truth + 1) % classes, truth)
    new = old.copy()
    moved = rng.choice(size, round(changed * size), replace=False)
    new[moved] = (old[moved] + 1) % classes
    return pd.DataFrame(
        {
            "id": [f"item {place}" for place in range(size)],
            "text": [f"words {place}" for place in range(size)],
            "truth": names[truth],
            "old": names[old],
            "sure": np.round(rng.random(size), 3),
            "new": names[new],
            "region": rng.choice(["north", "south"], size),
        }
    )


def pool(size=300, **options):
    return read_pool(frame(size, **options), id="id")
