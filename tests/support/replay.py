"""Plays again what real servers answered: a server that knows the requests of a recording and refuses any other."""

import json
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from support.services import played

RECORDED = Path(__file__).resolve().parents[1] / "models" / "served"


@cache
def recording(kind):
    """Return what was recorded of a kind of server: with which versions, and the exchanges of each case."""
    return json.loads((RECORDED / f"{kind}.json").read_text())


@contextmanager
def replayed(kind, case):
    """Serve the recorded exchanges of a case; yields the address, and what was asked that is in no recording."""
    known = {_key(one["method"], one["path"], one["sent"]): one for one in recording(kind)["cases"][case]}
    strange = []

    def answer(method, path, sent):
        found = known.get(_key(method, path, sent))
        if found is None:
            strange.append((method, path, sent))
            return 418, {}, "this was not recorded"
        return found["status"], found["headers"], found["body"]

    with played(answer) as url:
        yield url, strange


def _key(method, path, sent):
    return method, path, json.dumps(sent, sort_keys=True)
