"""Other kinds of processors on this one: in processes of their own, libraries compute as they would there."""

import os
import subprocess
import sys
from pathlib import Path

from support.patience import PATIENCE

_ROOT = Path(__file__).parents[2]
_OLD = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
NEEDS = {"Prescott": "pni", "Nehalem": "sse4_2", "Haswell": "avx2", "SkylakeX": "avx512f"}
"""What a processor must be able to do (as Linux names it) to be told to compute as these kinds do."""


def _flags():
    """What this processor can do; nothing where Linux does not tell."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    return set(next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), ()))


KINDS = [kind for kind, need in NEEDS.items() if need in _flags()]
"""The kinds of processors that this one can stand for."""


def environment(kind):
    """The settings of a process that computes as this kind of processor does; the oldest are without wide vectors."""
    settings = {**os.environ, "OPENBLAS_CORETYPE": kind, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    paths = [_ROOT / "tests", _ROOT / "src", *filter(None, [os.environ.get("PYTHONPATH")])]
    settings["PYTHONPATH"] = os.pathsep.join(map(str, paths))  # this tree, whichever one is installed
    return {**settings, "NPY_DISABLE_CPU_FEATURES": _OLD} if kind == "Nehalem" else settings


def run_as(kind, *arguments):
    """Run `support.processor_worker` as on this kind of processor; return its exit code and what it printed."""
    command = [sys.executable, "-m", "support.processor_worker", *map(str, arguments)]
    done = subprocess.run(command, env=environment(kind), capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode in (0, -9), done.stderr
    return done.returncode, done.stdout
