"""Processes of their own, forked from one that has imported everything: starting one costs milliseconds."""

import multiprocessing

from support.kill_worker import work

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [
        "support.kill_worker",
        "support.blind_worker",
        "support.worst_worker",
        "support.boxes",
        "ringtrue.changed",
        "ringtrue.judges",
        "ringtrue.report",
        "ringtrue.risk",
        "ringtrue.worst",
        "ringtrue.pools",
        "scipy.special",
        "duckdb",
        "httpx",
    ]
)


def start(folder, keyed, journal=None):
    """A process that works on the study in FOLDER, or in another journal."""
    worker = PROCESSES.Process(target=work, args=(folder, keyed, journal))
    worker.start()
    return worker
