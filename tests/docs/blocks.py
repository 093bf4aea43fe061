"""Fenced blocks of a Markdown file: found, told apart, and run as a reader would run them."""

import contextlib
import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from support import PATIENCE

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_NO_RUN = re.compile(r"^no-run:\s*\S+")
_EXITS = re.compile(r"#\s*exits (\d+)\s*$")
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
    """Run one command of a console block; return its output. None for those that a reader runs alone."""
    if command.split()[0] in _LEFT_TO_THE_READER:
        return None
    exits = _EXITS.search(command)
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, "PATH": paths}
    )
    output = done.stdout + done.stderr
    assert done.returncode == (int(exits[1]) if exits else 0), f"$ {command}\nexited {done.returncode}:\n{output}"
    return output


def missing_lines(shown, output):
    """The lines shown that the real output does not have; `…` in a line stands for anything, alone for any lines."""
    real = [line.rstrip() for line in output.splitlines()]
    absent = []
    for line in shown.splitlines():
        form = ".*".join(re.escape(piece) for piece in line.rstrip().split("…"))
        if line.strip() and not any(re.fullmatch(form, one) for one in real):
            absent.append(line)
    return absent
