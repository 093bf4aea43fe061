"""Scanning the pool before the first query, here or by workers: threads, processes, or a cluster of Dask."""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing.synchronize import Event
from typing import TYPE_CHECKING, Any

from ringtrue.cli._progress import Preparing
from ringtrue.cli._table import COUNTED, Option
from ringtrue.cli._terminal import error_line
from ringtrue.core import Argument, InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.cli._asked import Asked

LOCAL = "local"
_FEWEST, _EACH = 64, 4
"""So many processes may be asked for on any machine, and on a large one so many for each core: more gain nothing."""
_ADDRESS = re.compile(r"(tcp|tls)://[^\s/@]+:\d{1,5}")

_DEAF = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""What the workers of a cluster of our own do first: Ctrl-C reaches them too, and they are ended by this process."""

_known: list[Event] = []
"""In a process that scans, what tells it that the command was interrupted."""

_PATIENCE = 10
"""Seconds for which a scheduler is waited for."""

PROCESSES = Option(
    "processes",
    "Processes (threads, for an address) that scan the pool; the result is the same.",
    "N",
    type=COUNTED,
)
CLUSTER = Option(
    "cluster",
    "Scan the pool by a Dask cluster: its address (tcp://HOST:PORT, tls://…), or local for processes of this machine.",
    "WHERE",
)
SCORING = (PROCESSES, CLUSTER)
"""What every verb takes that scans a pool before it asks."""


def prepare_pool(asked: Asked) -> None:
    """Scan the pool for what the question goes by; a new study that cannot be prepared is taken away again."""
    study, question = asked.study, asked.question
    if not question.passes():
        if "cluster" in asked.given:
            why = " has nothing to do: this question does not scan the pool: leave it out"
            raise InvalidInput(Argument("cluster", asked.given["cluster"]), why)
        return
    try:
        with Preparing() as advance, _workers(asked) as executor:
            study.prepare(question=question.name, executor=executor, advance=advance)
        if len(study.questions) == 1:
            question.check_budget(study.scores(question.name), study.status().budget_labels)
    except InvalidInput as error:
        if asked.is_new:
            study.close()
            raise InvalidInput(*error.args, asked.path.take_away()) from None
        raise


def _workers(asked: Asked) -> AbstractContextManager[Executor | None]:
    """Return who scans: a cluster or processes if they were asked for, threads where another machine does the work."""
    given, model = asked.given, asked.study.things.model
    processes, cores = given.get("processes", 1), os.cpu_count() or 1
    if processes > (most := max(_FEWEST, _EACH * cores)):
        raise InvalidInput(
            Argument("processes", processes), f" must be at most {most:,}: this machine has {count(cores, 'core')}"
        )
    if "cluster" in given:
        return _cluster(str(given["cluster"]), given.get("processes"))
    if model is not None and model.remote:
        threads = max(processes, given.get("workers", 1))
        return ThreadPoolExecutor(threads) if threads > 1 else nullcontext()
    return Processes(processes) if processes > 1 else nullcontext()


class Processes(ProcessPoolExecutor):
    """Processes of this machine. After an interrupt they do no part that was handed out and not begun.

    Ctrl-C reaches them too. They pass it over: one that it ended while it waits for work may leave the pool hanging.
    """

    def __init__(self, number: int) -> None:
        self._ended = multiprocessing.Event()
        super().__init__(number, initializer=_begin, initargs=(self._ended,))

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Give some work to a process, unless an interrupt comes before it is begun."""
        return super().submit(_unless_ended, work, *given, **named)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is KeyboardInterrupt:
            self._ended.set()
        self.shutdown()


def _begin(ended: Event) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _known.append(ended)


def _unless_ended(work: Callable[..., Any], *given: Any, **named: Any) -> Any:
    return None if _known[-1].is_set() else work(*given, **named)


@contextmanager
def _executor(client: Any) -> Iterator[Executor]:
    """Give what sends work to a cluster. What is under way at the end is dropped.

    An interrupt may have ended the workers, too, and then their answers would be waited for without end.
    """
    executor: Executor = client.get_executor(pure=False)
    try:
        yield executor
    finally:
        executor.shutdown(wait=False)


@contextmanager
def _cluster(address: str, processes: int | None) -> Iterator[Executor]:
    """Open the executor of a cluster that the user named, or of one that is started here and ends with this command."""
    if address != LOCAL and not _ADDRESS.fullmatch(address):
        raise InvalidInput(Argument("cluster", address), f" is not an address: write tcp://HOST:PORT, or {LOCAL}")
    if address != LOCAL and processes is not None:
        rule = f" is for --cluster {LOCAL}: a cluster has its own workers"
        raise InvalidInput(Argument("processes", processes), rule)
    import asyncio

    try:
        from distributed import Client, LocalCluster, Security
    except ImportError:
        raise InvalidInput(Argument("cluster", address), " needs Dask: pip install 'ringtrue[dask]'") from None
    if address == LOCAL:
        # Certificates for this run alone, since whoever reaches a scheduler can run anything there; no page, no log.
        secret = Security.temporary()
        own: dict[str, Any] = {"n_workers": processes or os.cpu_count() or 1, "threads_per_worker": 1}
        own |= {"protocol": "tls", "security": secret, "host": "127.0.0.1", "dashboard_address": None}
        own |= {
            "env": {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            "silence_logs": logging.CRITICAL,
            "preload": [_DEAF],
        }
        with (
            LocalCluster(**own) as cluster,
            Client(cluster, security=secret) as client,
            _executor(client) as executor,
        ):
            yield executor
        return
    try:
        asyncio.run(_meet(address))
        client = Client(address, timeout=_PATIENCE)
    except TypeError:  # in which Dask says that it has no certificates
        rule = (
            " needs certificates: name them in Dask's settings, distributed.comm.tls.ca-file, and cert and key under "
            "distributed.comm.tls.client"
        )
        raise InvalidInput(Argument("cluster", address), rule) from None
    except Exception as error:  # what is no scheduler may say anything, or nothing
        rule = f" does not answer as Dask does ({error_line(error)[:120]}): start its scheduler and workers"
        raise InvalidInput(Argument("cluster", address), rule) from None
    with client, _executor(client) as executor:
        if not client.nthreads():
            raise InvalidInput(Argument("cluster", address), " has no workers: start some with `dask worker`")
        _check_workers(client, address)
        yield executor


async def _meet(address: str) -> None:
    """Meet a scheduler for a moment: for what listens and says nothing, a client that stays would wait without end."""
    import asyncio

    from distributed import Client

    client = Client(address, timeout=_PATIENCE, asynchronous=True, set_as_default=False)
    try:
        await asyncio.wait_for(client, _PATIENCE + 1)
    except TimeoutError:
        raise TimeoutError("something listens there, and says nothing") from None
    finally:
        await client.close(timeout=1)


def _check_workers(client: Any, address: str) -> None:
    """Refuse workers with another ringtrue, or none: such a worker ends with what it is sent, and is waited for."""

    def version() -> str:  # within a function, so that it is sent as code and needs no ringtrue there
        from importlib import metadata

        try:
            return metadata.version("ringtrue")
        except metadata.PackageNotFoundError:
            return "none"

    own = version()
    for worker, found in client.run(version).items():
        if found != own:
            rule = f" has the worker {worker}, whose version of ringtrue is {found}: install {own} there"
            raise InvalidInput(Argument("cluster", address), rule)
