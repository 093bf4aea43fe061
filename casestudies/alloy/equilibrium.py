"""Which phases an aluminium alloy consists of in equilibrium, by its Gibbs energy. Needs pycalphad."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pycalphad
from pycalphad import Database, Workspace, calculate
from pycalphad import variables as v
from pycalphad.core.eqsolver import _solve_eq_at_conditions
from pycalphad.core.starting_point import starting_point

from alloy.space import SPACE

TEMPERATURE = 473.15
"""200 °C in kelvin, the warm end of artificial ageing, at which the hardening phases of these alloys form."""

DENSITIES = (30, 60)
"""Points of the starting grid per degree of freedom: what is tried first, and once more where the solver fails.

With 10 it is twice as fast, but ends in states of higher energy where TAU is stable: QPHASE takes its place there.
"""

DATABASE = Path(pycalphad.__file__).parent / "tests" / "databases" / "COST507.tdb"
"""Light-alloy thermodynamics of the European COST 507 action, round II (1999), which comes with pycalphad."""


PHASES = (
    "AL11CR2", "AL12MN", "AL13CR2", "AL3M_D022", "AL4CR", "AL6MN", "ALCU_THETA", "ALMG_BETA", "ALMNSI_ALPHA",
    "ALMNSI_BETA", "CRSI2", "CUMGSI_SIGMA", "DIAMOND_A4", "FCC_A1", "HCP_ZN", "LAVES_C14", "LAVES_C36", "MG2SI",
    "MG2ZN11", "PHI", "QPHASE", "SI2TI", "SITI", "SPHASE", "TAU", "VPHASE",
)  # fmt: skip
"""The phases that may form: all that were stable in one of 2,000 random compositions, and those that came close.

The database has 104 condensed ones for these elements. The others change no equilibrium, and make the solver fail more.
"""


class Equilibrium:
    """Phase fractions in mole of atoms at one temperature and atmospheric pressure.

    The grid from which the solver starts depends on the temperature and not on the composition, so that it is made
    once. pycalphad makes it anew for each composition, which takes two thirds of the time; the solver's own step has no
    public name, and the version is therefore fixed in the extra `alloy`.
    """

    def __init__(self, temperature: float = TEMPERATURE, phases: Sequence[str] = PHASES) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of type definitions in the database that pycalphad knows not, all unused
            self._database = Database(str(DATABASE))
        components = ["AL", *map(str.upper, SPACE.names), "VA"]
        self._fixed = {v.T: temperature, v.P: 101_325.0, v.N: 1.0}
        middle = self._conditions([(each.low + each.high) / 2 for each in SPACE.parameters])
        self._workspace = Workspace(self._database, components, list(phases), middle)
        self._grid = cache(self._made_grid)

    def __call__(self, percents: Sequence[float]) -> dict[str, float] | None:
        """Phases and their fractions; None where the solver finds no equilibrium."""
        for density in DENSITIES:
            found = self._solved(percents, density)
            if found is not None:
                # Beyond nine digits the solver's answer depends on the order in which Python hashed its sets.
                return {phase: round(found[phase], 9) for phase in sorted(found)}
        return None

    def _solved(self, percents: Sequence[float], density: int) -> dict[str, float] | None:
        """What the solver comes to from a grid; None where that cannot be an equilibrium, which it does not tell."""
        conditions, records = self._conditions(percents), self._workspace.phase_record_factory
        conditions = dict(sorted(conditions.items(), key=lambda pair: str(pair[0])))  # as the solver wants them
        known, grid = records.state_variables, self._grid(density)
        start = starting_point({key: [value] for key, value in conditions.items()}, known, records, grid)
        mixed = start.GM.item()  # the energy of the best mixture of grid points; the solver writes over it
        with np.errstate(all="ignore"):
            end = _solve_eq_at_conditions(
                start, records, grid, list(conditions), known, False, solver=self._workspace.solver
            )
        if not end.GM.item() <= mixed + 1e-3:  # joules per mole
            return None
        amounts = np.nan_to_num(end.NP.ravel())
        wanted = [conditions.get(v.X(name), np.nan) for name in end.coords["component"]]
        held = amounts @ np.nan_to_num(end.X.reshape(len(amounts), -1))
        if abs(amounts.sum() - 1) > 1e-6 or np.nanmax(np.abs(held - wanted)) > 1e-6:
            return None
        found: dict[str, float] = {}
        for phase, amount in zip(end.Phase.ravel(), amounts, strict=True):
            if phase not in ("", "_FAKE_"):  # a phase may occur twice, with two compositions
                found[str(phase)] = found.get(str(phase), 0.0) + float(amount)
        return found

    def _conditions(self, percents: Sequence[float]) -> dict[Any, float]:
        weights = {v.W(name.upper()): value / 100 for name, value in zip(SPACE.names, percents, strict=True)}
        moles = v.get_mole_fractions(weights, "AL", self._database)
        return self._fixed | {key: float(value) for key, value in moles.items()}

    def _made_grid(self, density: int) -> Any:
        work, state = self._workspace, {str(key): value for key, value in self._fixed.items()}
        return calculate(
            self._database, work.components, work.phases, model=work.models.unwrap(), fake_points=True,
            phase_records=work.phase_record_factory, output="GM", to_xarray=False, pdens=density, **state,
        )  # fmt: skip
