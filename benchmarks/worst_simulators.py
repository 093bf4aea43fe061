"""Simulators with closed formulas, each in the place of an expensive gold standard, against models trained on a sample.

A simulator of `TUNING` may be looked at while the constants of the search are chosen; one of `RESERVED` may not. The
two differ in their functions, in the models that stand in for them, in the sizes of the samples and in their seeds.
Inputs are spread evenly over the ranges that the literature gives, and outputs are standardised by the sample, so that
a deviation of 1 is one standard deviation of the output.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from ringtrue.stats import generator
from worst_problems import Floats, Problem


@dataclass(frozen=True, slots=True)
class Simulator:
    """Outputs (n, tasks) or (n,) of inputs, a row of numbers for each input, which vary within `ranges`."""

    ranges: tuple[tuple[float, float], ...]
    outputs: Callable[..., Floats]
    tasks: tuple[str, ...] = ("output",)

    def __call__(self, units: Floats) -> Floats:
        """Return the outputs (n, tasks) at points (n, d) of the unit cube."""
        low, high = np.array(self.ranges, dtype=float).T
        return np.asarray(self.outputs(*(low + units * (high - low)).T)).reshape(len(units), len(self.tasks))


def borehole(rw: Floats, r: Floats, tu: Floats, hu: Floats, tl: Floats, hl: Floats, length: Floats, kw: Floats) -> Any:
    """Return the flow of water through a borehole (Harper and Gupta 1983)."""
    log = np.log(r / rw)
    return 2 * math.pi * tu * (hu - hl) / (log * (1 + 2 * length * tu / (log * rw**2 * kw) + tu / tl))


def circuit(rb1: Floats, rb2: Floats, rf: Floats, rc1: Floats, rc2: Floats, beta: Floats) -> Any:
    """Return the mid-point voltage of a push-pull circuit without output transformer (Ben-Ari and Steinberg 2007)."""
    base, gain = 12 * rb2 / (rb1 + rb2), beta * (rc2 + 9)
    return ((base + 0.74) * gain + 11.35 * rf + 0.74 * rf * gain / rc1) / (gain + rf)


def arm(*inputs: Floats) -> Any:
    """Return how far a robot arm of four joints reaches (An and Owen 2001): four angles, then four lengths."""
    angles, lengths = np.cumsum(inputs[:4], axis=0), np.array(inputs[4:])
    return np.hypot((lengths * np.cos(angles)).sum(axis=0), (lengths * np.sin(angles)).sum(axis=0))


def column(
    fs: Floats, p1: Floats, p2: Floats, p3: Floats, b: Floats, d: Floats, h: Floats, f0: Floats, e: Floats
) -> Any:
    """Return the reserve of strength of a steel column of 7.5 m (Kuschel and Rackwitz 1997)."""
    load, buckling = p1 + p2 + p3, math.pi**2 * e * b * d * h**2 / (2 * 7500.0**2)
    return fs - load * (1 / (2 * b * d) + f0 * buckling / (b * d * h * (buckling - load)))


def piston(m: Floats, s: Floats, v0: Floats, k: Floats, p0: Floats, ta: Floats, t0: Floats) -> Any:
    """Return the seconds that a piston takes for one cycle (Kenett and Zacks 1998)."""
    force = p0 * s + 19.62 * m - k * v0 / s
    volume = s / (2 * k) * (np.sqrt(force**2 + 4 * k * p0 * v0 * ta / t0) - force)
    return 2 * math.pi * np.sqrt(m / (k + s**2 * p0 * v0 * ta / (t0 * volume**2)))


def wing(
    sw: Floats, wfw: Floats, a: Floats, sweep: Floats, q: Floats, taper: Floats, tc: Floats, nz: Floats, wdg: Floats,
    wp: Floats,
) -> Any:  # fmt: skip
    """Return the weight of the wing of a light aircraft (Forrester, Sóbester and Keane 2008)."""
    cosine = np.cos(np.deg2rad(sweep))
    shape = (a / cosine**2) ** 0.6 * q**0.006 * taper**0.04 * (100 * tc / cosine) ** -0.3
    return 0.036 * sw**0.758 * wfw**0.0035 * shape * (nz * wdg) ** 0.49 + sw * wp


def flood(q: Floats, ks: Floats, zv: Floats, zm: Floats, hd: Floats, cb: Floats, length: Floats, b: Floats) -> Any:
    """Return how far a river rises above its dike, in metres (Iooss and Lemaître 2015)."""
    return zv + (q / (b * ks * np.sqrt((zm - zv) / length))) ** 0.6 - hd - cb


def ebola(b1: Floats, b2: Floats, b3: Floats, rho: Floats, g1: Floats, g2: Floats, omega: Floats, psi: Floats) -> Any:
    """Return how many one case of Ebola infects (Diaz, Constantine, Kalmbach, Jones and Pankavich 2018)."""
    return (b1 + b2 * rho * g1 / omega + b3 * psi / g2) / (g1 + psi)


def gearbox(x1: Floats, x2: Floats, x3: Floats, x4: Floats, x5: Floats, x6: Floats, x7: Floats) -> Any:
    """Return the weight of a speed reducer (Golinski 1970), and how much it uses of six limits of gears and shafts."""
    weight = (
        0.7854 * x1 * x2**2 * (10 / 3 * x3**2 + 14.9334 * x3 - 43.0934) - 1.508 * x1 * (x6**2 + x7**2)
        + 7.4777 * (x6**3 + x7**3) + 0.7854 * (x4 * x6**2 + x5 * x7**2)
    )  # fmt: skip
    bending, contact = 27 / (x1 * x2**2 * x3), 397.5 / (x1 * x2**2 * x3**2)
    sag = [1.93 * across**3 / (x2 * x3 * shaft**4) for across, shaft in ((x4, x6), (x5, x7))]
    stress = [
        np.sqrt((745 * across / (x2 * x3)) ** 2 + load) / (limit * shaft**3)
        for across, shaft, load, limit in ((x4, x6, 16.9e6, 110), (x5, x7, 157.5e6, 85))
    ]
    return np.stack([weight, bending, contact, *sag, *stress], axis=1)


def dispatch(demand: Floats, wind: Floats, c1: Floats, c2: Floats, c3: Floats, c4: Floats) -> Any:
    """Return what four plants deliver, the cheapest first up to its capacity, and the demand that none serves."""
    left, delivered = np.maximum(demand - wind, 0), []
    for capacity in (c1, c2, c3, c4):
        delivered.append(np.minimum(left, capacity))
        left = left - delivered[-1]
    return np.stack([*delivered, left], axis=1)


def catchment(
    rain: Floats, n1: Floats, n2: Floats, n3: Floats, a1: Floats, a2: Floats, fill: Floats, room: Floats, bed: Floats
) -> Any:
    """Return the runoff of a storm from three soils by their curve numbers (Soil Conservation Service 1972), in mm.

    Then what spills over a dam that is partly filled, and what floods the banks behind it.
    """
    held = [25400 / number - 254 for number in (n1, n2, n3)]
    runoff = [np.maximum(rain - 0.2 * most, 0) ** 2 / (rain + 0.8 * most) for most in held]
    spill = np.maximum(a1 * runoff[0] + a2 * runoff[1] + (1 - a1 - a2) * runoff[2] - room * (1 - fill), 0)
    return np.stack([*runoff, spill, np.maximum(spill - bed, 0)], axis=1)


TURN = (0.0, 2 * math.pi)
TUNING: Mapping[str, Simulator] = {
    "borehole": Simulator(
        ((0.05, 0.15), (100, 50000), (63070, 115600), (990, 1110), (63.1, 116), (700, 820), (1120, 1680),
         (9855, 12045)), borehole,
    ),
    "circuit": Simulator(((50, 150), (25, 70), (0.5, 3), (1.2, 2.5), (0.25, 1.2), (50, 300)), circuit),
    "arm": Simulator((TURN,) * 4 + ((0, 1),) * 4, arm),
    # Each within three standard deviations of its mean.
    "column": Simulator(
        ((295, 505), (3.5e5, 6.5e5), (3.3e5, 8.7e5), (3.3e5, 8.7e5), (291, 309), (14, 26), (285, 315), (0, 60),
         (197400, 222600)), column,
    ),
    "dispatch": Simulator(
        ((400, 1400), (0, 400), (100, 400), (100, 400), (100, 400), (100, 400)), dispatch,
        ("plant 1", "plant 2", "plant 3", "plant 4", "unserved"),
    ),
}  # fmt: skip
RESERVED: Mapping[str, Simulator] = {
    "piston": Simulator(
        ((30, 60), (0.005, 0.02), (0.002, 0.01), (1000, 5000), (90000, 110000), (290, 296), (340, 360)), piston
    ),
    "wing": Simulator(
        ((150, 200), (220, 300), (6, 10), (-10, 10), (16, 45), (0.5, 1), (0.08, 0.18), (2.5, 6), (1700, 2500),
         (0.025, 0.08)), wing,
    ),
    "flood": Simulator(
        ((500, 3000), (15, 60), (49, 51), (54, 56), (7, 9), (55, 56), (4990, 5010), (295, 305)), flood
    ),
    "ebola": Simulator(
        ((0.1, 0.4), (0.1, 0.4), (0.05, 0.2), (0.41, 1), (0.0276, 0.1702), (0.081, 0.21), (0.25, 0.5),
         (0.0833, 0.7)), ebola,
    ),
    "gearbox": Simulator(
        ((2.6, 3.6), (0.7, 0.8), (17, 28), (7.3, 8.3), (7.3, 8.3), (2.9, 3.9), (5, 5.5)), gearbox,
        ("weight", "bending", "contact", "sag 1", "sag 2", "stress 1", "stress 2"),
    ),
    "catchment": Simulator(
        ((20, 200), (45, 70), (60, 85), (75, 95), (0.1, 0.5), (0.1, 0.4), (0, 1), (20, 120), (5, 60)), catchment,
        ("runoff 1", "runoff 2", "runoff 3", "spill", "flood"),
    ),
}  # fmt: skip

MODELS: Mapping[tuple[str, str], tuple[int, Callable[[int], Any]]] = {
    ("tuning", "network"): (
        500, lambda seed: MLPRegressor(hidden_layer_sizes=(32, 32), max_iter=400, random_state=seed),
    ),
    ("tuning", "trees"): (500, lambda seed: HistGradientBoostingRegressor(max_iter=150, random_state=seed)),
    ("reserved", "network"): (
        300, lambda seed: MLPRegressor(
            hidden_layer_sizes=(64, 64), activation="tanh", max_iter=1000, random_state=1000 + seed
        ),
    ),
    ("reserved", "trees"): (
        800, lambda seed: GradientBoostingRegressor(n_estimators=300, max_depth=3, random_state=1000 + seed),
    ),
}  # fmt: skip
"""By use and kind: how many points a model is trained on, and the model."""


@functools.lru_cache(maxsize=8)
def simulated(seed: int, name: str, kind: str) -> Problem:
    """Return what a model of this kind gets wrong about a simulator, trained on a sample of this seed."""
    use = "tuning" if name in TUNING else "reserved"
    simulator = {**TUNING, **RESERVED}[name]
    count, make = MODELS[use, kind]
    dimension = len(simulator.ranges)
    points = generator(seed, f"{use} {name} {kind}").random((count, dimension))
    outputs = simulator(points)
    mean, sd = outputs.mean(axis=0), outputs.std(axis=0)
    training = (outputs - mean) / sd
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = make(seed).fit(points, training if training.shape[1] > 1 else training[:, 0])

    def model(units: Floats) -> Floats:
        return np.asarray(fitted.predict(units), dtype=float).reshape(len(units), -1)

    def signed(units: Floats) -> Floats:
        return model(units) - (simulator(units) - mean) / sd

    return Problem(
        f"{name}-{kind}", dimension, simulator.tasks, signed, "absolute", model=model, training=(points, training)
    )
