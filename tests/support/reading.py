"""Places where a study may only be read: a file system that is mounted so, and files of another user."""

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.patience import PATIENCE

# A file system of its own, laid over the folder for this process alone, with what is in it and no right to write.
MOUNT = """
set -e
mount -t tmpfs none "$2"
cp -a "$1/." "$2"
mount -o remount,ro "$2"
mount --bind "$2" "$1"
if touch "$1/written" 2>/dev/null; then echo "the mount can be written to" >&2; exit 99; fi
shift 2
exec "$@"
"""


@contextmanager
def open_place():
    """A folder that everybody may look into, with two in it: for what is only read, and one where anybody may write.

    Not in pytest's own folder, which every run of pytest closes to other users again.
    """
    with tempfile.TemporaryDirectory(prefix="ringtrue-tests-") as name:
        there, elsewhere = Path(name) / "there", Path(name) / "elsewhere"
        for folder, mode in ((there, 0o755), (elsewhere, 0o777)):
            folder.mkdir()
            folder.chmod(mode)
        os.chmod(name, 0o755)
        yield there, elsewhere


def on_a_read_only_mount(folder, command, elsewhere):
    """Run a command to which `folder` is a file system that is mounted read-only; it stands in `elsewhere`."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not there, so that nothing can be mounted")
    own = ["unshare", "--mount"] if os.getuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    with tempfile.TemporaryDirectory() as place:
        mounted = [*own, "sh", "-c", MOUNT, "sh", folder, place]
        tried = _run([*mounted, "true"], elsewhere)
        if tried.returncode != 0:
            pytest.skip(f"this machine lets nobody mount anything: {tried.stderr.strip()}")
        return _run([*mounted, *command], elsewhere)


def as_another_user(folder, command, elsewhere, mode=0o644):
    """Run a command as somebody who owns neither `folder` nor its files, and may only read them."""
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become another user, and only with setpriv")
    stranger = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if _run([*stranger, sys.executable, "-c", ""], elsewhere).returncode != 0:
        pytest.skip("another user cannot run this Python")
    for file in folder.iterdir():
        file.chmod(mode)
    folder.chmod(0o555)
    try:
        return _run([*stranger, *command], elsewhere)
    finally:
        folder.chmod(0o755)


READERS = {
    "a file system mounted read-only": on_a_read_only_mount,
    "another user's files": as_another_user,
    "another user's files that nobody may write": lambda *given: as_another_user(*given, mode=0o444),
}


def _run(command, elsewhere):
    """Run a command that keeps what it must write in `elsewhere`."""
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(elsewhere), "XDG_CONFIG_HOME": str(elsewhere), "MPLCONFIGDIR": str(elsewhere),
    }  # fmt: skip
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=elsewhere,
        env=environment,
    )
