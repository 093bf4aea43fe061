"""The two searches for the place where something turns: they agree, and the quicker one is never much slower."""

import numpy as np
import pytest

from ringtrue.stats._search import crossing, turning_point

HALVINGS = 30
ROOTS = np.array([1e-12, 0.013, 0.1, 0.37, 0.5, 0.9, 1 - 1e-12])
CURVES = {
    "a line": lambda x: x - ROOTS,
    "a logarithm": lambda x: np.log(np.maximum(x, 1e-300)) - np.log(ROOTS),
    "steep": lambda x: np.tanh(1e6 * (x - ROOTS)),
    "flat": lambda x: (x - ROOTS) ** 7,
    "a step": lambda x: np.where(x < ROOTS, -1.0, 1.0),
    "nothing below": lambda x: np.where(x < ROOTS, -np.inf, x),
    "nothing above": lambda x: np.where(x < ROOTS, x - ROOTS, np.inf),
    "not a number above": lambda x: np.where(x < ROOTS, -1.0, np.nan),
    "never": lambda x: -1.0 - x,
    "at once": lambda x: 1.0 + x,
}


@pytest.mark.parametrize("turned", [False, True], ids=["upwards", "downwards"])
@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_it_finds_what_halving_finds_in_hardly_more_looks(curve, turned):
    """Turned round, the curve is looked at from 1 down to 0; both searches end on the outer side of the same cell."""

    def excess(place):
        looks.append(place)
        return curve(1 - place if turned else place)

    looks = []
    inside, outside = (np.ones(7), np.zeros(7)) if turned else (np.zeros(7), np.ones(7))
    halved = turning_point(lambda place: excess(place) < 0, inside, outside, halvings=HALVINGS)
    looks.clear()
    found = crossing(excess, inside, outside, halvings=HALVINGS)
    assert np.abs(found - halved).max() < 1e-6 / 2**HALVINGS
    assert len(looks) <= HALVINGS + 1
    assert all((place >= 0).all() and (place <= 1).all() for place in looks)


def test_where_a_line_says_where_it_is_a_third_of_the_looks_do():
    looks = []
    crossing(lambda place: looks.append(1) or np.expm1(place - 0.4), np.zeros(1), np.ones(1), halvings=50)
    assert len(looks) <= 17


def test_the_outer_end_is_not_looked_at():
    """There the number may not exist, as the logarithm of a rate of 0."""
    places = []
    crossing(lambda place: places.append(place) or -np.ones(2), np.ones(2), np.array([0.0, 0.5]), halvings=10)
    assert np.all(np.array(places) > [0.0, 0.5])
