"""The policy: which point of the space, and which task, the gold standard is asked about next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ringtrue.core import Draw, Json, Policy, View
from ringtrue.stats import generator
from ringtrue.worst._arrays import Floats
from ringtrue.worst._finding_parts import counterexample
from ringtrue.worst._hidden import hiding_place
from ringtrue.worst._history import EVERY, History, Known, worst_so_far
from ringtrue.worst._next_point import (
    AskedPoints,
    NextPoint,
    Pick,
    ignorance_of,
    in_turn,
    incumbent,
    is_negligible,
    next_point,
    promise_of,
)
from ringtrue.worst._plan import Plan
from ringtrue.worst._region import Region
from ringtrue.worst._seen_model import SeenModel
from ringtrue.worst._sighted import Sight
from ringtrue.worst._surrogates import Surrogate, Surrogates
from ringtrue.worst.rules import RULES, Pull, TaskRule, Turn

_SILENT = 3
_WANDERING = 4

_FILLING = 2
"""While a claim is open, one search evaluation in so many goes where a bump could hide."""

_HEDGING = 4
"""Where the model is asked at will, one search evaluation in so many still goes by the surrogate of the deviation. That
knows better where the model follows a gold standard that is rougher than what the model gets wrong."""

_ELSEWHERE = 6
"""Where the model is asked at will, one search evaluation in so many looks for another peak than the highest."""

_REGIMES = 2
"""Where the model is asked at will, one search evaluation in so many takes outputs to leave a plateau by a cliff."""

_PASSED_OVER = 0.003
"""A task is passed over that promises less than this share of what lies between a usual deviation and the worst."""

_DRAWS = 16
"""Points of the region that are drawn until one can be asked."""


class Search(Policy):
    """Asks first a spread of points, then the most promising ones, and in the end some around the worst.

    A function of the view: the surrogate is made of the records alone, and what is kept between calls only saves time.
    Points that are out count as if they had come back as expected, so that several at once spread, and answers may come
    late and in any order.
    """

    def __init__(self, plan: Plan, rule: TaskRule | None = None) -> None:
        self._plan, self.name = plan, plan.rule
        self._rule = RULES.get(plan.rule) if rule is None else rule
        self._surrogates, self._gold = Surrogates(plan), Surrogates(plan, of_gold=True)
        self._seen: tuple[int, SeenModel] | None = None
        self._known: Known = {}

    def propose(self, view: View, n: int) -> list[Draw]:
        """Choose the next `n` evaluations; fewer when all planned ones are asked, or a finite space is used up."""
        history = History.of(self._plan, view.records, self._known)
        made = history.size + len(history.out_tasks) - history.given_up
        picks: list[Pick] = []
        while len(picks) < min(n, self._plan.evaluations - made):
            # Counted over the study's records, so that no two questions of it draw by the same numbers.
            rng = generator(view.seed, f"worst {self._plan.name}", len(view.records) + len(picks))
            asked = AskedPoints(self._plan, history, picks)
            pick = self._pick(asked, made + len(picks), view, rng) or self._left(asked, rng)
            if pick is None:
                break
            place = history.size + len(history.out_tasks) + len(picks)
            picks.append(pick._replace(note={**pick.note, "place": place}))
        return [self._draw(pick) for pick in picks]

    def _seen_model(self, view: View) -> SeenModel | None:
        """Return the model as it may be asked at will; what it said of a spread of points is kept."""
        if view.ask is None or not self._plan.sees_model:
            return None
        if self._seen is None or self._seen[0] != view.seed:
            self._seen = view.seed, SeenModel(self._plan, view.ask, view.seed)
        self._seen[1].ask = view.ask
        return self._seen[1]

    def _pick(self, asked: AskedPoints, place: int, view: View, rng: np.random.Generator) -> Pick | None:
        """Choose what to evaluate at this place of the search; None when the task it is for has no point left."""
        plan, history = self._plan, asked.history
        phase = plan.phase(place, place + history.given_up)
        if place == 0 and plan.begins_trained and not asked.holds(plan.trained[None], plan.trained_task)[0]:
            return Pick(plan.trained, plan.trained_task, {"phase": "initial", "trained": True})
        if phase == "initial" and place >= plan.before_sight and self._seen_model(view) is not None:
            return self._promising(asked, place, view, rng)
        known = all(len(history.of_task(task)) or self._is_silent(history, task) for task in range(len(plan.tasks)))
        spread = phase == "initial" or plan.rule == "sobol" or (phase != "check" and plan.learns and not known)
        if spread or phase == "check" or plan.rule == "random":
            unit, task = self._spread(place + history.given_up, view.seed) if spread else self._random(rng)
            free = asked.free(unit, task, rng)
            return None if free is None else Pick(free, task, {"phase": "initial" if spread else phase})
        found = None
        if phase == "confirm" and not self._rises(history):
            found = self._confirming(asked, rng)
        elif phase != "confirm" and place % _FILLING == 0:
            found = self._filling(asked, rng)
        return found or self._promising(asked, place, view, rng)

    def _spread(self, place: int, seed: int) -> tuple[Floats, int]:
        """Return the next of points that spread evenly; tasks priced alone take turns, each with a sequence of its own.

        Every sixteenth point of one sequence would not spread: its points share their leading digits.
        """
        space, count = self._plan.space, len(self._plan.tasks)
        if not self._plan.alone:
            return space.sobol(1, seed, skip=place)[0], EVERY
        return space.sobol(1, seed * count + place % count, skip=place // count)[0], place % count

    def _random(self, rng: np.random.Generator) -> tuple[Floats, int]:
        """Draw a uniformly random point, of a random task where they are priced alone."""
        unit = self._plan.space.sample(1, rng)[0]
        return unit, int(rng.integers(len(self._plan.tasks))) if self._plan.alone else EVERY

    def _promising(self, asked: AskedPoints, place: int, view: View, rng: np.random.Generator) -> Pick | None:
        """Find the point of which most is expected, by the gold standard's surrogate where the model may be asked."""
        plan = self._plan
        tasks, probability = self._tasks(asked, rng)
        hedged = place % _HEDGING == 0 and place >= plan.initial and not plan.knows_gold
        seen = None if hedged else self._seen_model(view)
        elsewhere = place % _ELSEWHERE == 1 and place >= plan.initial + _ELSEWHERE
        sighted = None
        if seen is not None:
            regimes = place % _REGIMES == 0
            sighted = Sight(seen, self._gold, asked).next(tasks, rng, elsewhere=elsewhere, regimes=regimes)
        found = aimed = sighted or self._by_deviation(asked, tasks, rng)
        if found is None:
            return None
        promise = math.exp(found.value) if plan.acquisition == "improvement" else found.value
        if self._wanders(asked.history, place, promise):
            # A surrogate that expects no more of any place may be too sure of itself: look where least is known.
            filling = self._filling(asked, rng)
            if filling is not None:
                return filling
            surrogate = self._expected(asked, tasks)
            found = next_point(surrogate, ignorance_of(surrogate), asked, rng) or found
        task = found.task if plan.alone else EVERY
        note: dict[str, Json] = {"phase": "search", "promise": promise}
        if found is sighted:
            note["seen"] = True
        # Priced alone, evaluations tell themselves whose turn it was, but for those in sight of the model.
        if plan.takes_turns and (found is sighted or (found is aimed and not plan.alone)):
            note["aim"] = found.task
        if probability is not None:
            note["probability"] = probability
        return Pick(found.unit, task, note)

    def _by_deviation(self, asked: AskedPoints, tasks: Sequence[int], rng: np.random.Generator) -> NextPoint | None:
        """Find the point of which most is expected by what was measured.

        Where an evaluation reveals all tasks and they take turns, one that promises next to nothing is passed over, so
        that the search does not polish a peak while others are hardly known. Where each is priced alone, the rule's
        choice stands: the leading task would be passed over for good for one that varies by thousands, which always
        promises more above its own largest.
        """
        plan, history = self._plan, asked.history
        groups = [tuple(tasks)]
        if plan.takes_turns and not plan.alone:
            turns = in_turn(history, plan.deviation.size(history.values), asked.picks)
            groups = [(task,) for task in turns]
        found: NextPoint | None = None
        for group in groups:
            surrogate = self._expected(asked, group)
            other = next_point(surrogate, promise_of(plan, incumbent(surrogate, asked)), asked, rng)
            found = max((one for one in (found, other) if one is not None), key=lambda one: one.value, default=None)
            if plan.acquisition != "improvement":
                break
            if found is not None and not is_negligible(plan, history, math.exp(found.value), _PASSED_OVER):
                break
        return found

    def _wanders(self, history: History, place: int, promise: float) -> bool:
        """Say whether to leave the promising places for once: one time in four that little is expected of them.

        Every time while a claim is open: it is not settled by refining a peak below the limit. Not where tasks are
        priced alone: there the rules decide, as they were published.
        """
        plan = self._plan
        turn = place >= plan.initial and (place % _WANDERING == 0 or self._is_open(history))
        return turn and not plan.alone and plan.acquisition == "improvement" and is_negligible(plan, history, promise)

    def _is_open(self, history: History) -> bool:
        """Say whether there is a claim that no evaluation has refuted yet."""
        claim = self._plan.claim
        return claim is not None and not counterexample(self._plan, history, claim)

    def _filling(self, asked: AskedPoints, rng: np.random.Generator) -> Pick | None:
        """Find, while a claim is open, the point from which most bumps would be seen that could break it unseen."""
        plan, history = self._plan, asked.history
        if plan.claim is None or not self._is_open(history):
            return None
        tasks = [task for task in range(len(plan.tasks)) if len(history.of_task(task))]
        found = hiding_place(plan, self._expected(asked, tasks), plan.claim.limit, rng)
        if found is None:
            return None
        unit, task = found
        free = asked.free(unit, task, rng)
        return None if free is None else Pick(free, task, {"phase": "search", "fills": True})

    def _tasks(self, asked: AskedPoints, rng: np.random.Generator) -> tuple[tuple[int, ...], float | None]:
        """Return the tasks among which to look, and the chance with which a single one was drawn."""
        plan, history, count = self._plan, asked.history, len(self._plan.tasks)
        if not plan.alone or self._rule is None:
            return tuple(range(count)), None
        size = plan.deviation.size(history.values)
        pulls = [
            Pull(int(task), float(size[place, task]), record.note.get("probability"), _is_design(record.note))
            for place, (record, task) in enumerate(zip(history.records, history.tasks, strict=True))
        ]
        pending = [*map(int, history.out_tasks), *(pick.task for pick in asked.picks)]
        choice = self._rule.choose(Turn(count, plan.evaluations, pulls, pending, rng))
        spoken = [task for task in range(count) if plan.knows_gold or len(history.of_task(task))]
        if set(choice.tasks) <= set(spoken):
            return choice.tasks, choice.probability
        return (spoken[int(rng.integers(len(spoken)))],), None

    def _is_silent(self, history: History, task: int) -> bool:
        """Say whether the oracle could never tell of a task: then the others do not wait for it."""
        return len(history.of_task(task)) == 0 and len(history.out_of_task(task, lost=True)) >= _SILENT

    def _expected(self, asked: AskedPoints, tasks: Sequence[int]) -> Surrogate:
        """Return what is known of these tasks, as if all that is out had come back as expected."""
        out = [(pick.unit, None if pick.task == EVERY else pick.task) for pick in asked.picks]
        return self._surrogates.expecting(asked.history, tasks, out)

    def _rises(self, history: History) -> bool:
        """Say whether an evaluation that was to confirm the region found the worst: then the search goes on from it."""
        worst = worst_so_far(self._plan, history)
        return self._plan.edition > 1 and history.records[worst.place].note.get("phase") == "confirm"

    def _confirming(self, asked: AskedPoints, rng: np.random.Generator) -> Pick | None:
        """Draw a point of the region in which the deviation should stay high."""
        history = asked.history
        worst = worst_so_far(self._plan, history)
        region = Region.around(self._plan, self._surrogates.of(history, (worst.task,)), history, worst)
        task = worst.task if self._plan.alone else EVERY
        drawn = self._plan.space.snap(np.array([region.draw(rng) for _ in range(_DRAWS)]))
        # Whole numbers are rounded, and may then lie outside, or where the oracle was asked before.
        fine = np.all(self._plan.space.slack(drawn)[0] >= 0, axis=1) & ~asked.holds(drawn, task)
        if not fine.any():
            return None
        note: dict[str, Json] = {"phase": "confirm", "task": worst.task, "threshold": region.threshold}
        return Pick(drawn[int(np.argmax(fine))], task, note)

    def _left(self, asked: AskedPoints, rng: np.random.Generator) -> Pick | None:
        """Return any point that is left of a finite space, of any task, where the one that was wanted is used up."""
        for task in range(len(self._plan.tasks)) if self._plan.alone else (EVERY,):
            left = asked.left(task, rng)
            if len(left):
                return Pick(left[int(rng.integers(len(left)))], task, {"phase": "search"})
        return None

    def _draw(self, pick: Pick) -> Draw:
        point = tuple(map(float, self._plan.space.decode(pick.unit[None])[0]))
        return Draw(point=(*point, float(pick.task)) if self._plan.alone else point, note=pick.note)


def _is_design(note: Mapping[str, Json]) -> bool:
    """Say whether an evaluation's task was chosen by something else than a rule."""
    return note.get("phase") != "search" or "fills" in note
