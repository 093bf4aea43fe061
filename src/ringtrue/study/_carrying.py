"""Work in parts: done here or given to workers, and kept in order as it comes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias, TypeVar

from ringtrue.core import ResponderStopped
from ringtrue.study._calls import Workers

Part = TypeVar("Part")
Result = TypeVar("Result")
Keep: TypeAlias = Callable[[Sequence[tuple[Any, Any]]], None]
"""Takes in some parts, each with what it gave, in their order."""
UnderWay: TypeAlias = deque[tuple[Any, Future[Any]]]

_AHEAD = 16
"""Parts under way at once, at least, so that a pool larger than memory is never read far ahead of the workers."""

_LOST = ("BrokenProcessPool", "CancelledError", "FutureCancelledError", "CommClosedError", "LostWorkerError")
"""What executors raise of themselves; by name, because those of Dask are only there where it is."""


class Failed(NamedTuple):
    """What comes of a part that killed every worker it was given to, or failed there."""

    why: str


def carry_out(parts: Iterable[tuple[Part, Callable[[], Result]]], executor: Executor | None, keep: Keep) -> None:
    """Do every part, here or by the workers, and keep what each gives, in order and as soon as it is there.

    Where that ends early, parts that no worker has begun are not done; at an interrupt, what is done is kept first.
    """
    if executor is None:
        for part, work in parts:
            keep([(part, work())])
        return
    workers, ahead = Workers(executor), max(_AHEAD, 2 * hands(executor))
    under_way: UnderWay = deque()
    try:
        for part, work in parts:
            under_way.append((part, workers.submit(work)))
            if len(under_way) >= ahead:
                keep(_first(under_way))
        while under_way:
            keep(_first(under_way))
    except BaseException as error:
        workers.end()
        for _, future in under_way:
            future.cancel()
        if not isinstance(error, Exception) and (done := _done(under_way)):
            keep(done)
        raise


def hands(executor: Executor) -> int:
    """Return how many parts the workers can do at once, as far as they say."""
    if type(executor).__module__.startswith("distributed."):  # of Dask, whose executor names its client to none
        from distributed import default_client

        with suppress(ValueError):  # it was not made the default
            return sum(default_client().nthreads().values())
    return int(getattr(executor, "_max_workers", 1))


def _first(under_way: UnderWay) -> list[tuple[Any, Any]]:
    """Wait for the first part; return it, and those after it that are done as well."""
    part, future = under_way[0]
    found = [(part, _result(future))]
    under_way.popleft()
    return found + _done(under_way)


def _done(under_way: UnderWay) -> list[tuple[Any, Any]]:
    """Take the parts that are done from the front, as far as all went well."""
    found = []
    while under_way:
        part, future = under_way[0]
        if not future.done() or future.cancelled() or future.exception() is not None:
            break
        found.append((part, future.result()))
        under_way.popleft()
    return found


def _result(future: Future[Any]) -> Any:
    try:
        return future.result()
    except Exception as error:
        kind, why = type(error).__name__, " ".join(str(error).split())[:200]
        if kind == "KilledWorker":  # of Dask, which has given the part to several
            return Failed("its worker was killed")
        if kind in _LOST:
            told = f"{kind}: {why}" if why else kind
            raise ResponderStopped(
                f"the workers are gone ({told}): start them and run again; all that is done is kept"
            ) from None
        raise
