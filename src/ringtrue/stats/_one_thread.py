"""Linear algebra on one thread, for tables that are too small to be shared out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from threadpoolctl import threadpool_limits

Function = TypeVar("Function", bound=Callable[..., object])


def one_thread(function: Function) -> Function:
    """Compute a function's linear algebra on one thread; it must not call the user's model or oracle.

    Threads that share a small table wait for each other where other processes keep the cores busy: a search for the
    worst deviation took six times the processor time, an answer of a hunt twenty times.
    """
    limited: Function = threadpool_limits.wrap(limits=1, user_api="blas")(function)
    return limited
