"""The command `ringtrue`: finds the verb, and turns whatever goes wrong into one line and an exit code."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from ringtrue.cli._terminal import check, error_line, listen, tell, tell_json
from ringtrue.core import InvalidInput, RingtrueError, RingtrueWarning, harmless, meant, without_secrets

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# Help texts stand here so that `ringtrue --help` loads none of the verbs, nor what they need.
VERBS = {
    "demo": "A tour of all five questions in one minute: offline, with a real model and a real crash.",
    "doctor": "What is this file, study or address, what can be asked of it, and what is wrong with it?",
    "init": "Make a study: a pool, a model, a budget. Asks nothing yet.",
    "plan": "How many labels a claim needs, before any is bought.",
    "risk": "How often does the model fail on this pool?",
    "changed": "Did the model change, how, and how few calls does it take to know?",
    "worst": "Where does the model deviate worst from the gold standard?",
    "blind": "Where is the model confidently wrong, and how common is that?",
    "judges": "How good are these judges when the truth is not known?",
    "vote": "Have language models vote on the items, by a rubric; each call is paid once.",
    "desk": "Let people label in the browser, and watch the claim being decided.",
    "status": "What a study has asked, answered and spent, and what it shows so far.",
    "report": "Write a study's report, or check one that you were given.",
    "check": "The gate for CI: do the claims in a file ring true?",
    "amend": "Correct an answer; what it was is kept.",
    "release": "Give back what is out with a process or a person who is gone.",
    "copy": "Copy a study soundly, also while a run is under way.",
    "recover": "Save what is sound of a damaged study into a new one.",
    "move": "Move a study into PostgreSQL, or from there into a file.",
}

_KEEPING = {"status", "amend", "release", "copy", "recover", "move"}
"""Verbs so short that one module holds them; every other has a module of its name, with a `command`."""

_ENTRY_POINTS = "ringtrue.verbs"
"""Under which another package names its verbs, as in `grades = "ringtrue_grades.verb:command"`."""

USAGE = 2
"""Also the code of a crash: a gate in CI must never read one as "rings true" (0) or "rings false" (1)."""

INTERRUPTED = 130

_PASSWORD = re.compile(r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]+:/+)[^/@\s]*:\S*@")
"""A user and a password in an address of any kind, also after a path was made of it, which leaves one slash."""


class Verbs(click.Group):
    """A group whose commands are imported when they are called: those of this package, then those of others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*VERBS, *_verbs_of_others()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in VERBS:
            home, name = ("_keeping", cmd_name) if cmd_name in _KEEPING else (cmd_name, "command")
            command: click.Command = getattr(import_module(f"ringtrue.cli.{home}"), name)
            return command
        others = _verbs_of_others()
        if cmd_name not in others:
            known = [*VERBS, *others]
            raise click.UsageError(
                f"there is no verb {cmd_name!r}{meant(cmd_name, known)} verbs: {', '.join(known)}", ctx
            )
        return _load(others[cmd_name])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))
        if others := _verbs_of_others():
            with formatter.section("Commands of other packages"):
                formatter.write_dl([(harmless(name), harmless(_about(found))) for name, found in others.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer verbs by their names alone: click would import them all, and stop at the first that is broken."""
        found = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        return [*map(CompletionItem, found), *click.Command.shell_complete(self, ctx, incomplete)]


def _verbs_of_others() -> dict[str, list[EntryPoint]]:
    """Return what other installed packages offer as verbs, by name, without importing it; ours cannot be replaced."""
    from importlib.metadata import entry_points  # takes longer than the rest of this module

    found: dict[str, list[EntryPoint]] = {}
    for one in sorted(entry_points(group=_ENTRY_POINTS), key=lambda one: (one.name, _package(one))):
        if one.name not in VERBS:
            found.setdefault(one.name, []).append(one)
    return found


def _load(offered: Sequence[EntryPoint]) -> click.Command:
    """Import a verb of another package; whatever is wrong with it is that package's alone."""
    if len(offered) > 1:
        packages = ", ".join(map(_package, offered))
        raise InvalidInput(f"the verb {offered[0].name!r} is offered by several packages ({packages}): keep one")
    (found,) = offered
    try:
        command = found.load()
    except Exception as error:
        if os.environ.get("RINGTRUE_TRACEBACK"):
            _tell_lines(traceback.format_exc())
        raise InvalidInput(
            f"the verb {found.name!r} of the package {_package(found)} cannot be loaded ({error_line(error)}): "
            "update the package, or uninstall it"
        ) from None
    if not isinstance(command, click.Command):
        raise InvalidInput(
            f"the verb {found.name!r} of the package {_package(found)} is a {type(command).__name__}: "
            f"{found.value} must be a click.Command"
        )
    return command


def _about(offered: Sequence[EntryPoint]) -> str:
    """Return what the packages that offer a verb say of themselves, and their names."""
    metadata = [one.dist.metadata for one in offered if one.dist is not None]
    summaries = [about["Summary"] for about in metadata if "Summary" in about]
    return " ".join([*summaries[:1], f"({', '.join(map(_package, offered))})"])


def _package(found: EntryPoint) -> str:
    """Return the name under which the package of an entry point is installed."""
    return found.value if found.dist is None else found.dist.name


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ringtrue", message="ringtrue %(version)s")
def ringtrue() -> None:
    """What you may claim about a model you can only query, with few expensive answers.

    New here? `ringtrue demo` shows all five questions in a minute. Then: plan, init, risk, report, check.

    Exit codes: 0 rings true or done, 1 rings false, 2 usage or a broken input, 3 not yet known, 130 interrupted.
    """


def main() -> None:
    """Run the command line and exit."""
    if "_RINGTRUE_COMPLETE" in os.environ:  # a shell asks for completions: click's own business
        ringtrue.main(prog_name="ringtrue")
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter must not turn a verdict into a crash.
        with suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        listen()
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before the verb began, or after it was done
        code = INTERRUPTED
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run the command line on these arguments and return the exit code."""

    def show(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any) -> None:
        """Print a warning of ours in one line; any other with the place that it comes from."""
        if issubclass(category, RingtrueWarning):
            tell(f"warning: {message}", err=True)
        else:
            _tell_lines(warnings.formatwarning(message, category, filename, lineno))

    with warnings.catch_warnings():
        warnings.simplefilter("always", RingtrueWarning)
        warnings.showwarning = show
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    nul = next((argument for argument in arguments if "\0" in argument), None)
    if nul is not None:  # no shell can give one, but a program that calls this may
        return _complain(arguments, f"ringtrue: the argument {nul[:60]!r} holds a NUL character: leave it out")
    try:
        code = _invoke(list(arguments) or ["--help"])
        if not isinstance(code, int):
            raise TypeError(f"the verb returned {code!r}, not an exit code")
        return code
    except click.exceptions.Exit as done:
        return done.exit_code if arguments else USAGE
    except click.ClickException as error:
        return _complain(arguments, _usage(error))
    except RingtrueError as error:
        return _complain(arguments, f"ringtrue: {error}")
    except (KeyboardInterrupt, click.Abort):
        if sys.stderr is not None and sys.stderr.isatty():
            tell(err=True)  # the terminal has just written ^C
        line = "interrupted: every recorded answer is kept; run the same command again to go on"
        return _complain(arguments, line, INTERRUPTED)
    except BrokenPipeError:
        with suppress(OSError, ValueError, AttributeError):  # else Python complains once more while it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _complain((), "ringtrue: the output is no longer read: what was recorded is kept")
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            return _unexpected(arguments, error)
        name = f"{os.fsdecode(error.filename or '')!s:.57}..."
        return _complain(arguments, f"ringtrue: the file's name {name!r} is too long for this machine: shorten it")
    except BaseException as error:  # SystemExit too: an oracle that calls sys.exit(0) has proved nothing
        return _unexpected(arguments, error)


def _invoke(arguments: list[str]) -> Any:
    """Run the verb. What fails because it was interrupted is an interrupt: DuckDB then tells of a broken query."""
    try:
        # Not click's own `main`: it exits with 1 when the output is no longer read.
        with ringtrue.make_context("ringtrue", arguments) as context:
            return ringtrue.invoke(context)
    except (click.exceptions.Exit, BrokenPipeError):
        raise
    except Exception:
        check()
        raise


def _unexpected(arguments: Sequence[str], error: BaseException) -> int:
    """Tell of an error that this program does not foresee."""
    if os.environ.get("RINGTRUE_TRACEBACK"):
        _tell_lines(traceback.format_exc())
    return _complain(arguments, f"ringtrue: unexpected {error_line(error)} (set RINGTRUE_TRACEBACK=1 to see where)")


def _tell_lines(text: str) -> None:
    """Write some lines of Python's own to standard error."""
    for line in text.rstrip("\n").split("\n"):
        tell(line, err=True)


def _complain(arguments: Sequence[str], line: str, code: int = USAGE) -> int:
    """Write one line to people and, where JSON was asked for, one object to the program."""
    line = _PASSWORD.sub(r"\1…@", line)
    tell(line, err=True)
    if "--json" in arguments:
        with suppress(OSError):
            tell_json({"error": without_secrets(line), "exit_code": code})
    return code


def _usage(error: click.ClickException) -> str:
    """Return a complaint about the arguments, on one line, with what the missing one is for."""
    context = getattr(error, "ctx", None)
    where = "ringtrue" if context is None else context.command_path
    message = " ".join(error.format_message().split())
    if isinstance(error, click.MissingParameter) and error.param is not None:
        option = isinstance(error.param, click.Option)
        name = error.param.opts[0] if option else error.param.metavar
        message = f"{name} is missing: {getattr(error.param, 'help', None) or 'give it after the verb.'}"
    stop = "" if message.endswith(".") else "."
    return f"{where}: {message}{stop} See `{where} --help`."
