"""The command `ringtrue`: finds the verb, and turns whatever goes wrong into one line and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module

import click

from ringtrue.core import RingtrueError

# Help texts stand here so that `ringtrue --help` loads none of the verbs, nor what they need.
VERBS = {
    "demo": "A tour in one minute: offline, with a real model, a simulated oracle and a real crash.",
    "init": "Make a study: a pool, a model, a budget. Asks nothing yet.",
    "plan": "How many labels a claim needs, before any is bought.",
    "risk": "How often does the model fail on this pool?",
    "status": "What a study has asked, answered and spent, and what it shows so far.",
    "report": "Write a study's report, or check one that somebody gave you.",
    "check": "The gate for CI: do the claims in a file ring true?",
}

INTERRUPTED = 130
USAGE = 2


class Verbs(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"ringtrue.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ringtrue", message="ringtrue %(version)s")
def ringtrue() -> None:
    """What you may claim about a model you can only query, with the fewest expensive answers.

    Exit codes: 0 rings true or done, 1 rings false, 2 usage or a broken input, 3 not yet known.
    """


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line on these arguments and return the exit code."""
    try:
        code = ringtrue.main(arguments, prog_name="ringtrue", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return USAGE
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted: every recorded answer is kept; run the same command again to go on", err=True)
        return INTERRUPTED
    except RingtrueError as error:
        click.echo(f"ringtrue: {error}", err=True)
        return USAGE
    except Exception as error:
        # Not 1: a gate in CI must never read a crash as "rings false".
        if os.environ.get("RINGTRUE_TRACEBACK"):
            traceback.print_exc()
        what = " ".join(f"{type(error).__name__}: {error}".split())
        click.echo(f"ringtrue: unexpected {what} (set RINGTRUE_TRACEBACK=1 to see where)", err=True)
        return USAGE
    return code if isinstance(code, int) else 0
