"""How many labels a claim will need, before the first one is paid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ringtrue.core import InvalidInput, Json, count, percent, plain
from ringtrue.stats._boundaries import CAP, boundaries
from ringtrue.stats._bounds import checked_level, checked_population, checked_rate
from ringtrue.stats._decision_time import decision_time
from ringtrue.stats._fixed_plan import fixed_sizes


@dataclass(frozen=True, slots=True)
class RateCase:
    """What to expect if the true failure rate is `rate`; None stands for more labels than the plan looks ahead.

    `mean`, `median` and `ninety` count the labels until a watched study decides; `decided` is its chance to decide
    within the horizon, `within_budget` within the budget, and `rings_true` the chance that it decides for the
    claim. `fixed` is the size of a sample, looked at once, that decides with a chance of 90%.
    """

    rate: float
    mean: float | None
    median: int | None
    ninety: int | None
    decided: float
    within_budget: float | None
    rings_true: float
    fixed: int | None

    def __str__(self) -> str:
        way = "rings true" if self.rings_true >= self.decided / 2 else "rings false"
        text = f"if the rate is {percent(self.rate)}: "
        if self.median is None:
            text += f"{_share(1 - self.decided)} of such studies stay undecided within the labels planned"
        else:
            mean = "" if self.mean is None else f"about {count(round(self.mean), 'label')}, "
            most = "" if self.ninety is None else f", nine in ten within {self.ninety:,}"
            text += f"{mean}half of such studies within {self.median:,}{most}; {way}"
        if self.fixed is not None:
            text += f"; {self.fixed:,} if fixed beforehand"
        return text + ("" if self.within_budget is None else f"; within the budget: {_share(self.within_budget)}")


@dataclass(frozen=True, slots=True)
class RatePlan:
    """The labels that a claim `rate <= limit` needs, fixed beforehand or watched; prints as lines of text."""

    limit: float
    level: float
    population: int | None
    budget: int | None
    horizon: int
    fewest_fixed: int | None
    fewest_watched: int | None
    cases: tuple[RateCase, ...]

    def __str__(self) -> str:
        fewest = "more labels than planned" if self.fewest_watched is None else count(self.fewest_watched, "label")
        fixed = "" if self.fewest_fixed is None else f" ({self.fewest_fixed:,} if fixed beforehand and not watched)"
        worst = "no number of labels is certain to decide: a rate near the limit may stay undecided"
        if self.population is not None:
            worst = f"at worst all {count(self.population, 'item')} of the pool, which always decides"
        first = f"rate <= {percent(self.limit)} at {percent(self.level)}: at least {fewest}{fixed}, if nothing fails"
        return "\n".join([first, *map(str, self.cases), worst])

    def to_json(self) -> dict[str, Json]:
        """The plan as values that JSON can hold."""
        entries = plain(asdict(self))
        assert isinstance(entries, dict)
        return entries


def _share(chance: float) -> str:
    return percent(round(chance, 3))


def plan_rate(
    limit: float,
    *,
    level: float = 0.95,
    rates: Sequence[float] | None = None,
    population: int | None = None,
    budget: int | None = None,
    horizon: int = CAP,
) -> RatePlan:
    """Plan the labels for a claim `rate <= limit`: exact chances for each assumed true rate, no simulation.

    By default the true rates are 0, a tenth, a fifth and half of the limit, and twice and four times the limit.

    >>> print(plan_rate(0.05, rates=[0.01], population=1000))  # doctest: +ELLIPSIS
    rate <= 5% at 95%: at least ... labels (... if fixed beforehand and not watched), if nothing fails
    if the rate is 1%: about ... labels, half of such studies within ..., nine in ten within ...; rings true; ...
    at worst all 1,000 items of the pool, which always decides
    """
    limit, level = checked_rate("limit", limit), checked_level(level)
    population = None if population is None else checked_population(population)
    if rates is None:
        rates = [0.0, limit / 10, limit / 5, limit / 2, *(m * limit for m in (2, 4) if m * limit < 1)]
    for rate in rates:
        if not 0 <= rate <= 1:
            raise InvalidInput(f"rates={list(rates)!r} must lie in [0, 1]: write 0.05 for 5%")
    fewest, fixed = fixed_sizes(limit, rates, level=level, population=population, cap=horizon)
    bounds = boundaries(limit, level, population)
    cases = []
    for rate, size in zip(rates, fixed, strict=True):
        time = decision_time(bounds, rate, population=population, cap=horizon)
        decided = time.decided
        cases.append(
            RateCase(
                float(rate),
                time.mean,
                time.quantile(0.5),
                time.quantile(0.9),
                float(decided[-1]),
                None if budget is None else float(decided[min(budget, len(decided) - 1)]),
                float(time.true.sum()),
                size,
            )
        )
    nothing_fails = decision_time(bounds, 0.0, population=population, cap=horizon).quantile(1.0)
    return RatePlan(limit, level, population, budget, horizon, fewest, nothing_fails, tuple(cases))
