"""The question: where does this model deviate worst from the gold standard?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from ringtrue.core import (
    NO_SCORES,
    Argument,
    Claim,
    Context,
    InvalidInput,
    Json,
    Question,
    Record,
    Scores,
    Section,
    count,
)
from ringtrue.worst._bound import Bound, Looks
from ringtrue.worst._deviation import DEVIATIONS, Deviation, check_outputs
from ringtrue.worst._estimator import WorstCase
from ringtrue.worst._history import measured
from ringtrue.worst._plan import (
    ACQUISITIONS,
    EDITION,
    Plan,
    Priced,
    checked_count,
    checked_scales,
    chosen_rule,
    encoded_spread,
    initial_size,
    named,
)
from ringtrue.worst._really_set import checked_setting, set_point
from ringtrue.worst._search import Search
from ringtrue.worst._sections import worst_sections
from ringtrue.worst._training import Training
from ringtrue.worst.spaces import SearchSpace
from ringtrue.worst.surrogate import KERNELS

_SAME = ("kind", "space", "tasks", "deviation", "scales")
"""What two searches must have in common, for their numbers to be of the same kind."""


class Worst(Question):
    """Where in a space, and for which output, does the model deviate worst from the gold standard?

    With a claim, one evaluation in five is made at random to check the surrogate.

    >>> from ringtrue.worst import Real, SearchSpace
    >>> space = SearchSpace([Real("temperature", 250, 400), Real("pressure", 1, 10)])
    >>> Worst(space, evaluations=50, claim="deviation <= 0.2").claim
    Claim(quantity='deviation', limit=0.2, level=0.95)

    Parameters
    ----------
    space
        The inputs that are searched.
    evaluations
        How many evaluations of the gold standard there will be: the search plans with it.
    tasks
        The names of the outputs.
    deviation
        "absolute" or "squared" for each output by itself, "rmse" over all of them, "mismatch" for the share of labels
        that differ, or "given" where the oracle says the deviation itself.
    priced
        What an evaluation reveals: all outputs "together", or one "alone".
    rule
        Which output is evaluated next where they are priced alone, one of `RULES`; or "random" or "sobol", which learn
        nothing.
    acquisition
        How the point is chosen: by the expected "improvement" or by an "upper-bound".
    kernel
        How smooth the deviation is taken to be: "squared-exponential" or "matern-5/2".
    initial
        How many evaluations come before the surrogate is asked.
    input_noise
        Standard deviations by parameter: the worst average over inputs that vary so much is sought.
    claim
        What is to be decided, such as "deviation <= 0.2 at 95%".
    name
        The name of the question within its study.
    noise
        The standard deviation of an evaluation where the gold standard does not repeat itself: one evaluation above the
        claim does not refute it then.
    after
        The names of earlier searches of the study that this one goes on from: their evaluations count as its own.
    model_queries
        About how many points the model is asked before each evaluation, to learn where it may be wrong, after 2,048 at
        the beginning. 0 asks it only where the gold standard is asked. The default is 512 for a model on this machine,
        and 0 for one behind an address.
    scales
        What counts as one, by output and in its own unit: each output's difference is divided by it, so that outputs of
        unlike units compare, and the claim, the noise and all deviations are told in it. Limits per output are scales,
        with the claim "deviation <= 1". For "rmse" it names the outputs, in the order in which both sides give them.
    training
        Rows whose outputs are known already. The first evaluation is made where the model deviates worst from them, so
        that no search ends below, and they tell what the gold standard does where the model may be asked at will.
    edition
        As which version of the search it chooses its points; 1 is what studies of earlier versions go on with.
    """

    kind = "worst"
    keys = {"rule": "policy"}  # noqa: RUF012
    reads = {"space": SearchSpace.from_json, "scales": dict, "training": Training.from_json}  # noqa: RUF012
    unit = "evaluation"
    kept_beside = ("training", "picture")
    fitted = frozenset({"region", "peaks", "robust", "surrogate", "noise", "bound", "slices", "expected"})

    def __init__(
        self,
        space: SearchSpace,
        *,
        evaluations: int,
        tasks: Sequence[str] = ("deviation",),
        deviation: str = "absolute",
        priced: Priced = "together",
        rule: str | None = None,
        acquisition: str = "improvement",
        kernel: str = "squared-exponential",
        initial: int | None = None,
        input_noise: Mapping[str, float] | None = None,
        claim: Claim | str | None = None,
        name: str = "worst",
        noise: float = 0.0,
        after: Sequence[str] = (),
        model_queries: int | None = None,
        scales: Mapping[str, float] | None = None,
        training: Training | None = None,
        edition: int = EDITION,
    ) -> None:
        if not isinstance(space, SearchSpace):
            kind = type(space).__name__
            raise InvalidInput(Argument("space"), f" is not a space but {kind}: give SearchSpace([Real(…), …])")
        checked_count("evaluations", evaluations)
        if isinstance(noise, bool) or not isinstance(noise, int | float) or not 0 <= noise < float("inf"):
            raise InvalidInput(
                Argument("noise", noise), " must be a standard deviation of at least 0: how much evaluations vary"
            )
        measure = DEVIATIONS[named("deviation", deviation, DEVIATIONS)]
        names = _checked_tasks(tasks, folds=measure.folds)
        if measure.folds and priced == "alone":
            folding = Argument("deviation", deviation)
            raise InvalidInput(folding, " folds all outputs into one: leave ", Argument("priced", priced), " out")
        if input_noise is not None and not isinstance(input_noise, Mapping):
            raise InvalidInput(f"input_noise={input_noise!r} is not a table: give a standard deviation by parameter")
        usual = initial_size(space, len(names), evaluations, alone=priced == "alone")
        shaken = dict(input_noise) if input_noise else None
        if encoded_spread(space, shaken) is not None and kernel == "matern-5/2":
            raise InvalidInput(Argument("kernel", kernel), " cannot average over input_noise: use squared-exponential")
        self.plan = Plan(
            name=name,
            space=space,
            tasks=names,
            deviation=measure,
            priced=priced,
            evaluations=evaluations,
            rule=chosen_rule(rule, priced),
            acquisition=named("acquisition", acquisition, ACQUISITIONS),
            kernel=named("kernel", kernel, KERNELS),
            initial=usual if initial is None else checked_count("initial", initial),
            input_noise=shaken,
            claim=None if claim is None else Claim.parse(claim).about("deviation"),
            after=tuple(after),
            noise=float(noise),
            model_queries=_checked_queries(model_queries),
            scales=checked_scales(scales, names, measure),
            edition=_checked_edition(edition),
            training=_checked_training(training, space, names, measure),
        )
        self.name, self.claim, self.space, self.after = name, self.plan.claim, self.plan.asked_space, self.plan.after
        self.needs_model = "any" if measure.needs_model else "no"
        self.asks_remote = bool(model_queries)
        self._policy = Search(self.plan)

    def __repr__(self) -> str:
        return f"Worst({self.plan})"

    @property
    def policy(self) -> Search:
        """The search for the worst point."""
        return self._policy

    @classmethod
    def from_config(cls, config: Mapping[str, Any], **given: Any) -> Self:
        """Make the search that wrote this configuration; one that names no edition is of the first."""
        return super().from_config({"edition": 1, **config}, **given)

    def argument(self, name: str) -> Any:
        """Return an argument by which this search was made."""
        if name == "scales":  # as pairs, because a journal need not keep the order of a table
            return list((self.plan.scales or {}).items())
        return self.plan.deviation.name if name == "deviation" else getattr(self.plan, name)

    def check_answer(self, value: Json, record: Record, labels: Sequence[str] | None) -> None:  # noqa: ARG002
        """Refuse an answer that has no deviation for each task that was asked about."""
        try:
            measured(self.plan, record, value)
        except InvalidInput as error:
            raise InvalidInput(f"item {record.id!r}: ", *error.args) from None

    def set_point(self, value: Json, record: Record) -> tuple[float, ...] | None:
        """Return the point that an answer says was really set."""
        return set_point(self.plan, record, value)

    def check_setting(self, asked: Mapping[str, Any], told: Mapping[str, Any]) -> None:
        """Refuse what was set in place of some values that were asked, where it lies outside the space."""
        names = self.plan.space.names
        checked_setting(self.plan.space, {name: asked[name] for name in names}, told)

    def check_model(self, said: Json) -> None:
        """Refuse an answer of the model that could not be compared with the gold standard's."""
        check_outputs(self.plan.deviation, said, len(self.plan.tasks), alone=self.plan.alone)

    def bounds(self, records: Sequence[Record]) -> list[Bound]:
        """Return how large the deviation could be anywhere, at each look at the question's own claim."""
        return [] if self.claim is None else list(Looks(self.plan, self.claim).all(records))

    def estimator(
        self,
        *,
        size: int,  # noqa: ARG002 - a space has no size
        claim: Claim | None,
        scores: Scores = NO_SCORES,  # noqa: ARG002
    ) -> WorstCase:
        """Return what turns evaluations into a finding."""
        return WorstCase(self.plan, None if claim is None else claim.about("deviation"))

    def rivals(self, others: Iterable[Question]) -> list[Question]:
        """Return the other searches for the same deviation."""
        own = self.config()
        return [one for one in others if all(one.config().get(key) == own.get(key) for key in _SAME)]

    @classmethod
    def curve(cls, finding: Mapping[str, Any]) -> dict[str, Json] | None:
        """Return the worst deviation so far, evaluation by evaluation."""
        path = finding["path"]
        return {"rule": finding["rule"], "answer": path["answer"], "best": path["best"]} if path["answer"] else None

    @classmethod
    def sections(cls, context: Context) -> Sequence[Section]:
        """Return what a reader is shown of a search."""
        return worst_sections(context)


def _checked_queries(queries: Any) -> int | None:
    if queries is not None and (isinstance(queries, bool) or not isinstance(queries, int) or queries < 0):
        raise InvalidInput(
            Argument("model_queries", queries),
            " must be a whole number of at least 0: how often the model may be asked",
        )
    return queries


def _checked_training(training: Any, space: SearchSpace, tasks: Sequence[str], deviation: Deviation) -> Training | None:
    if training is None:
        return None
    if not isinstance(training, Training):
        kind = type(training).__name__
        raise InvalidInput(Argument("training"), f" is {kind}: give Training.of(points, gold=…, deviations=…)")
    if len(training.points):
        space.encode(training.points)
    if training.gold is not None and deviation.signed and training.gold.shape[1] != len(tasks):
        outputs = count(training.gold.shape[1], "output")
        raise InvalidInput(Argument("training"), f" has {outputs} for {count(len(tasks), 'task')}: give one per task")
    return training


def _checked_edition(edition: Any) -> int:
    if edition not in range(1, EDITION + 1):
        raise InvalidInput(Argument("edition", edition), f" is not one there is: leave it out, or give 1 to {EDITION}")
    return int(edition)


def _checked_tasks(tasks: Sequence[str], *, folds: bool) -> tuple[str, ...]:
    if isinstance(tasks, str):
        raise InvalidInput(Argument("tasks", tasks), f" is text: give a list, as in [{tasks!r}]")
    if not isinstance(tasks, Sequence):
        raise InvalidInput(Argument("tasks", tasks), " is not a list: give the names of the outputs")
    names = tuple(map(str, tasks))
    told = Argument("tasks", list(names))
    if not names or not all(name.strip() for name in names) or len(set(names)) < len(names):
        raise InvalidInput(told, " must be at least one name, each another: name the outputs")
    if folds and len(names) > 1:
        raise InvalidInput(told, ": this deviation folds all outputs into one, so there is one task")
    return names
