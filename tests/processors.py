"""Runs the tests that rest on linear algebra once as on each kind of processor, or on those named: `make processors`.

Long simulations are left out: they count and add, and what they show does not hang on a last bit.
"""

import subprocess
import sys
from pathlib import Path

from support.processors import KINDS, NEEDS, environment

ROOT = Path(__file__).parents[1]
NUMERIC = ["src", *(f"tests/{folder}" for folder in ("stats", "judges", "worst", "changed", "blind", "risk", "papers"))]
SHOWN = [
    str(path.relative_to(ROOT))
    for folder, files in (("docs", "test_docs.py"), ("cli", "test_worst.py"), ("report", "test_worst_*.py"),
                          ("study", "test_worst_*.py"), ("study", "test_blind_*.py"))
    for path in sorted((ROOT / "tests" / folder).glob(files))
]  # fmt: skip
"""What shows numbers of a fit to people, or asks where a fit says, from one end to the other."""


def main(wanted):
    """Say which kinds this processor cannot stand for; return whether the tests of some kind failed."""
    failed = []
    for kind, need in ((kind, NEEDS[kind]) for kind in wanted or NEEDS):
        if kind not in KINDS:
            print(f"== {kind}: left out, since this processor has no {need}", flush=True)
            continue
        print(f"== {kind}", flush=True)
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-m", "not slow"]
        if subprocess.run([*command, *NUMERIC, *SHOWN], cwd=ROOT, env=environment(kind), check=False).returncode:
            failed.append(kind)
    if failed:
        print(f"tests failed as on {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
