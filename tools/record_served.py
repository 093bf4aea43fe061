"""Records what real servers of models answer, for the tests that play it again: `make recording`.

MLServer and MLflow are started from environments of their own (`make servers` installs them), asked about every case in
tests/support/served_cases.py, and what went over the wire is written to tests/models/served, with the versions.
"""

import json
import os
import sys
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from ringtrue.core import RingtrueError  # noqa: E402
from ringtrue.models import HttpModel, _patience  # noqa: E402
from support import served  # noqa: E402
from support.proxy import proxy  # noqa: E402
from support.served_cases import CASES  # noqa: E402

_FLEETING = {"ce-id", "ce-requestid"}
"""Headers that differ each time and say nothing of the model."""


def record(case, url):
    """Return what goes over the wire when a case is asked."""
    with proxy(url) as (between, kept):
        try:
            HttpModel(between + case.path, labels=case.names).answer(case.batch())
        except RingtrueError as error:
            print(f"    {error}", file=sys.stderr)
    for one in kept.exchanges:
        one["headers"] = {name: text for name, text in one["headers"].items() if name not in _FLEETING}
        one["body"] = one["body"].replace(f"{ROOT}{os.sep}", "")  # where it was recorded is nobody's business
    return kept.exchanges


@contextmanager
def serving(server, folder):
    """Serve what a case needs."""
    kind, _, model = server.partition("/")
    with served.mlserver(folder) if kind == "mlserver" else served.mlflow(folder / model) as url:
        yield url


def main():
    """Record every case, and write a file per kind of server."""
    warnings.simplefilter("ignore")
    _patience.IN_ALL = -1.0  # what fails is asked once
    out = ROOT / "tests" / "models" / "served"
    out.mkdir(exist_ok=True)
    for kind in sys.argv[1:] or served.PACKAGES:
        found = {}
        with tempfile.TemporaryDirectory() as folder:
            served.make_models(kind, folder)
            for server in dict.fromkeys(case.server for case in CASES.values() if case.server.startswith(kind)):
                print(server, file=sys.stderr)
                with serving(server, Path(folder)) as url:
                    for name, case in CASES.items():
                        if case.server == server:
                            print(f"  {name}", file=sys.stderr)
                            found[name] = record(case, url)
        made = {"recorded_with": served.versions(kind), "cases": found}
        (out / f"{kind}.json").write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
