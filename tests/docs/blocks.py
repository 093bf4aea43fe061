"""Fenced blocks of a Markdown file: found, told apart, and run as a reader would run them."""

import contextlib
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ringtrue.cli._main import run
from support import PATIENCE

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_NO_RUN = re.compile(r"^no-run:\s*\S+")
_EXITS = re.compile(r"#\s*exits (\d+)\s*$")
_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\\\!]*\"")
"""Words in quotes of which a shell makes nothing else."""
_NEEDS_A_SHELL = re.compile(r"[|<>&;$*?`~(){}\n]")
_LEFT_TO_THE_READER = ("make", "pip", "git")


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, the rest of its first line, and what stands in it."""

    language: str
    rest: str
    body: str
    line: int

    @property
    def left_out(self):
        """Whether the block says that it is not run; saying so without a reason is an error."""
        if not self.rest:
            return False
        assert _NO_RUN.match(self.rest), f"line {self.line}: write ```{self.language} no-run: reason"
        return True


def blocks_of(text):
    """The fenced blocks of a Markdown text, in order."""
    for found in _FENCE.finditer(text):
        language, _, rest = found["info"].strip().partition(" ")
        yield Block(language, rest.strip(), found["body"], text[: found.start()].count("\n") + 1)


def run_python(block, namespace, name):
    """Run a python block in the namespace of its file; return what it printed."""
    code = compile("\n" * block.line + block.body, name, "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    return printed.getvalue()


def commands_of(block):
    """The commands of a console block, each with the output shown below it; `> ` carries a command on."""
    commands = []
    for line in block.body.splitlines():
        if line.startswith("$ "):
            commands.append(([line[2:]], []))
        elif not commands:
            raise AssertionError(f"line {block.line}: a console block begins with a `$ ` line")
        elif (line.startswith("> ") or line == ">") and not commands[-1][1]:
            commands[-1][0].append(line[2:])
        else:
            commands[-1][1].append(line)
    return [("\n".join(lines), "\n".join(shown)) for lines, shown in commands]


def run_command(command):
    """Run one command of a console block; return its output. None for those that a reader runs alone.

    `ringtrue` runs in this process where no shell is needed: to start Python takes longer than most commands.
    """
    if command.split()[0] in _LEFT_TO_THE_READER:
        return None
    exits = _EXITS.search(command)
    alone = command.startswith("ringtrue ") and not _NEEDS_A_SHELL.search(_QUOTED.sub("", command))
    code, output = _here(command) if alone else _shell(command)
    assert code == (int(exits[1]) if exits else 0), f"$ {command}\nexited {code}:\n{output}"
    return output


def _here(command):
    """Run `ringtrue` in this process, and forget what it imported from the folder."""
    said, path, modules = io.StringIO(), list(sys.path), set(sys.modules)
    importlib.invalidate_caches()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = run(shlex.split(command, comments=True)[1:])
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(os.getcwd()):
                del sys.modules[name]
    return code, said.getvalue()


def _shell(command):
    """Run a command as a reader does."""
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, "PATH": paths}
    )
    return done.returncode, done.stdout + done.stderr


def missing_lines(shown, output):
    """The lines shown that the real output does not have; `…` in a line stands for anything, alone for any lines."""
    real = [line.rstrip() for line in output.splitlines()]
    absent = []
    for line in shown.splitlines():
        form = ".*".join(re.escape(piece) for piece in line.rstrip().split("…"))
        if line.strip() and not any(re.fullmatch(form, one) for one in real):
            absent.append(line)
    return absent
