"""The arrays that this package computes with, by what they hold, and how it computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

Function = TypeVar("Function", bound=Callable[..., object])


def one_thread(function: Function) -> Function:
    """Compute a function's linear algebra on one thread; it must not call the user's model or oracle.

    Threads that share a small table wait for each other where other processes keep the cores busy: a search took six
    times the processor time.
    """
    limited: Function = threadpool_limits.wrap(limits=1, user_api="blas")(function)
    return limited
