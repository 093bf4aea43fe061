"""Judges who are copies of one another are named; good judges who agree because they are right are not."""

import numpy as np
import pytest

from ringtrue.core import Sketch
from ringtrue.judges import clones
from ringtrue.stats import generator


def panel(seed, accuracies, items, *, copies=0, noise=0.0, labels=2):
    """Independent judges, the last few of whom copy the first but for a share of votes at random."""
    rng = generator(seed, "clones")
    truth = rng.integers(0, labels, items)
    wrong = (truth[:, None] + rng.integers(1, labels, (items, len(accuracies)))) % labels
    votes = np.where(rng.random((items, len(accuracies))) < accuracies, truth[:, None], wrong)
    columns = [votes]
    for _ in range(copies):
        slipped = rng.random(items) < noise
        columns.append(np.where(slipped, rng.integers(0, labels, items), votes[:, 0])[:, None])
    return sketch_of(np.hstack(columns), labels)


def sketch_of(votes, labels=2):
    sketch = Sketch([f"j{place}" for place in range(votes.shape[1])], [f"l{label}" for label in range(labels)])
    for row in votes.tolist():
        sketch.count(tuple(row))
    return sketch


@pytest.mark.parametrize(
    ("accuracies", "items", "noise", "labels"),
    [
        ((0.8, 0.75, 0.7), 1000, 0.0, 2),
        ((0.8, 0.75, 0.7), 2000, 0.04, 2),
        ((0.95, 0.95, 0.93, 0.96), 1000, 0.0, 2),
        ((0.8, 0.75, 0.7), 1000, 0.02, 3),
        ((0.65, 0.7, 0.7), 200, 0.0, 2),
    ],
)
def test_a_copy_is_named(accuracies, items, noise, labels):
    for seed in range(3):
        sketch = panel(seed, accuracies, items, copies=1, noise=noise, labels=labels)
        assert clones(sketch) == (("j0", f"j{len(accuracies)}"),)


def test_all_pairs_of_three_copies_are_named():
    found = clones(panel(1, (0.8, 0.8, 0.75, 0.7), 1500, copies=2, noise=0.01))
    assert found == (("j0", "j4"), ("j0", "j5"), ("j4", "j5"))


GOOD = [(0.97,) * 5, (0.99, 0.985, 0.7, 0.65, 0.7), (0.99, 0.985, 0.6, 0.6), (0.995, 0.99, 0.98), (0.9,) * 4]


@pytest.mark.parametrize("accuracies", GOOD)
def test_good_judges_who_agree_are_not_clones(accuracies):
    assert all(clones(panel(seed, accuracies, 1000)) == () for seed in range(5))


def test_judges_who_never_vote_apart_are_named_though_they_may_be_perfect():
    alike = np.repeat(np.arange(200) % 2, 3).reshape(-1, 3)
    assert clones(sketch_of(alike)) == (("j0", "j1"), ("j0", "j2"), ("j1", "j2"))
    assert clones(sketch_of(alike[:90])) == ()  # too few items
    alike[:, :] = 0
    alike[:4] = 1
    assert clones(sketch_of(alike)) == ()  # hardly more than one label


def test_gaps_and_constant_judges_do_no_harm():
    votes = np.array([[0, -1, 0], [1, -1, -1], [0, 1, -1]] * 40)
    assert clones(sketch_of(votes)) == ()
    assert clones(sketch_of(np.zeros((300, 4), dtype=int))) == ()
    assert clones(Sketch(["a", "b"], ["x", "y"])) == ()
