"""The labels that are foretold: bought, they tell of the judges as often as was said, whatever the judges share."""

import math

import numpy as np
import pytest

from ringtrue.core import ABSTAINED, Interval, Sketch
from ringtrue.judges import Standing
from ringtrue.judges._labelled import LabelledPanel
from ringtrue.judges._standing import labels_wanted, standings_of
from ringtrue.stats import generator

ITEMS = 6000
STUDIES = 30


def votes_of(seed, skill, rare, shared):
    """Judges who are so often right on either label; on a share of the items they are right or wrong together."""
    rng = generator(seed, f"foretold {skill} {rare} {shared}")
    truth = (rng.random(ITEMS) >= rare).astype(int)
    luck = rng.random((ITEMS, len(skill)))
    together = rng.random(ITEMS) < shared
    luck[together] = rng.random((ITEMS, 1))[together]
    return np.where(luck < np.array(skill), truth[:, None], 1 - truth[:, None]), truth, rng.permutation(ITEMS)


def standings(votes, truth, order, labelled, rare):
    names = [f"j{place}" for place in range(votes.shape[1])]
    estimates_at = None
    if labelled:
        known = np.full(ITEMS, ABSTAINED)
        known[order[:labelled]] = truth[order[:labelled]]
        given = np.column_stack([votes, known])
        place = (given - ABSTAINED) @ 3 ** np.arange(given.shape[1])
        _, first, counts = np.unique(place, return_index=True, return_counts=True)
        rows = zip(given[first].tolist(), counts.tolist(), strict=True)
        panel = LabelledPanel.of(Sketch([*names, "truth"], ("no", "yes"), {tuple(row): n for row, n in rows}), "truth")

        def estimates_at(level):
            return panel.estimates(level=level)

    return standings_of(
        names, estimates_at, labelled=labelled, items=ITEMS, rarest=rare, labels=2, bar=0.8, level=0.95, ceiling=None
    )


@pytest.mark.parametrize(("skill", "rare"), [((0.9,) * 3, 0.5), ((0.9,) * 5, 0.2)])
@pytest.mark.parametrize("shared", [0.0, 0.9])
def test_the_first_labels_tell_of_judges_halfway_between_the_bar_and_perfection(skill, rare, shared):
    """A judge is to be settled four times in five: 30 studies have a standard error of 7 points."""
    settled = []
    for seed in range(STUDIES):
        votes, truth, order = votes_of(seed, skill, rare, shared)
        first = standings(votes, truth, order, 0, rare).more_labels
        after = standings(votes, truth, order, first, rare)
        settled.append(np.mean([one is Standing.GOOD for one in after.each]))
    assert np.mean(settled) >= 0.8 - 3 * math.sqrt(0.8 * 0.2 / STUDIES)


@pytest.mark.parametrize(("skill", "rare"), [((0.9,) * 3, 0.5), ((0.95,) * 5, 0.3), ((0.65,) * 5, 0.5)])
@pytest.mark.parametrize("shared", [0.0, 0.9])
def test_after_some_labels_as_many_more_as_are_foretold_tell_of_a_judge(skill, rare, shared):
    came = []
    for seed in range(STUDIES):
        votes, truth, order = votes_of(seed, skill, rare, shared)
        before = standings(votes, truth, order, 60, rare)
        if before.more_labels is not None:
            after = standings(votes, truth, order, 60 + before.more_labels, rare)
            pairs = zip(before.each, after.each, strict=True)
            came.append(any(one is Standing.OPEN and other is not Standing.OPEN for one, other in pairs))
    assert len(came) > 10
    assert np.mean(came) >= 0.8 - 3 * math.sqrt(0.8 * 0.2 / len(came))


def test_an_interval_that_ends_at_all_is_not_taken_for_a_narrow_one():
    """All of few votes were right: the interval is cut off at 100%, and one label more does not settle the judge."""
    seen = Interval(0.98, 0.77, 1.0, 0.95, "", 15)
    assert labels_wanted([seen], [seen], 0.8, 50) > 100
