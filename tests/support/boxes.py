"""The command line in processes that can be killed, each on this host or in a box: new namespaces, as a container has.

In a box the command is process 1, on a host with a name of its own, and sees no process outside.
"""

import ctypes
import os
import signal
import socket
import sys
from pathlib import Path

from ringtrue.cli import main
from ringtrue.study._leases import _place
from support.patience import PATIENCE
from support.processes import PROCESSES
from support.services import PROXIES

NEW_MOUNTS, NEW_HOST, NEW_USER, NEW_PROCESSES = 0x20000, 0x4000000, 0x10000000, 0x20000000
ALL_PRIVATE = 0x4000 | 0x40000  # MS_REC | MS_PRIVATE: what is mounted in a box is not seen outside
START = "from ringtrue.cli import main; main()"


def _call(name, *arguments):
    """Call a function of the C library; raise what went wrong."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments):
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def _leave():
    """Leave the namespaces of this process behind; whoever is not root becomes root of a namespace of users."""
    user, group = os.getuid(), os.getgid()
    _call("unshare", NEW_MOUNTS | NEW_HOST | NEW_PROCESSES | (NEW_USER if user else 0))
    if user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            Path("/proc/self", name).write_text(text)


def _enter_box(host, pipe):
    """Go on as process 1 of a new box; the process that was here waits for it, and ends as it ends."""
    _leave()
    child = os.fork()
    if child:
        pipe.send(("pid", child))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code < 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), -code)
        os._exit(code)
    _call("mount", b"none", b"/", None, ALL_PRIVATE, None)
    _call("mount", b"proc", b"/proc", b"proc", 0, None)
    socket.sethostname(host)


def _work(folder, arguments, host, fresh, pipe):
    """Run a command in a folder, on this host or in a box, once it is told to go."""
    os.chdir(folder)
    for number, name in enumerate((os.devnull, "out.txt", "err.txt")):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | (os.O_TRUNC if number else 0), 0o600), number)
    for name in PROXIES:
        os.environ.pop(name, None)
    if host is None:
        pipe.send(("pid", os.getpid()))
    else:
        _enter_box(host, pipe)
    pipe.send(("place", _place()))
    pipe.recv()
    if fresh:
        os.execv(sys.executable, [sys.executable, "-c", START, *arguments])
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell's background job ignores
    sys.argv = ["ringtrue", *arguments]
    main()


class Command:
    """A `ringtrue` command under way.

    Args:
        folder: where it runs, and leaves `out.txt` and `err.txt`.
        arguments: those of the command line.
        host: the name of the host of a new box, or None for this host.
        fresh: whether Python starts anew, which takes a second; else the process is forked from one that has imported
            everything, and calls `main`.
    """

    def __init__(self, folder, arguments, *, host=None, fresh=False):
        self.folder = folder
        self._pipe, other = PROCESSES.Pipe()
        words = [str(argument) for argument in arguments]
        self._worker = PROCESSES.Process(target=_work, args=(folder, words, host, fresh, other))
        self._worker.start()
        other.close()

    def ready(self):
        """Return where the command will run, as the leases of a study name it, and take note of its process."""
        told = dict(self._pipe.recv() for _ in range(2))
        self.pid = told["pid"]
        return told["place"]

    def go(self):
        """Let the command begin."""
        self._pipe.send("go")

    @property
    def alive(self):
        """Return whether it runs."""
        return self._worker.is_alive()

    @property
    def heeds_signals(self):
        """Return whether a signal ends it in good order by now; before, SIGTERM does nothing in a box."""
        try:
            lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        except OSError:
            return True
        (caught,) = [line.split()[1] for line in lines if line.startswith("SigCgt:")] or ["0"]
        return bool(int(caught, 16) & 1 << signal.SIGTERM - 1)

    def send(self, kind):
        """Send it a signal."""
        os.kill(self.pid, kind)

    def wait(self):
        """Wait for its end; return its exit code, or the signal that killed it as a negative number."""
        self._worker.join(timeout=PATIENCE)
        return self._worker.exitcode

    def said(self):
        """Return what it wrote to standard error."""
        return (self.folder / "err.txt").read_text()

    def close(self):
        """End it, if it still runs."""
        if self._worker.is_alive():
            os.kill(getattr(self, "pid", self._worker.pid), signal.SIGKILL)
        self.wait()
        self._pipe.close()


def why_no_boxes(folder):
    """Return why this machine allows no boxes; nothing if it does."""
    command = Command(folder, ["--version"], host="box")
    command.go()
    return "" if command.wait() == 0 else command.said().splitlines()[-1]
