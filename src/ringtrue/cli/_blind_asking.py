"""What a hunt does beside asking the oracle: it asks the model around the items, and keeps what a report shows."""

from __future__ import annotations

from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext

from ringtrue.cli._output import error_line, tell
from ringtrue.cli._verb import Asked
from ringtrue.core import InvalidInput


def prepare(asked: Asked) -> None:
    """Ask the model about the pool and around the items; a new study that cannot be prepared is taken away again."""
    from ringtrue.cli._progress import Preparing

    study, question = asked.study, asked.question
    try:
        with Preparing() as advance, _executor(asked) as executor:
            study.prepare(question=question.name, executor=executor, advance=advance)
        if len(study.questions) == 1:
            question.check_budget(study.scores(question.name), study.status().budget_labels)
    except InvalidInput:
        if asked.is_new:
            study.close()
            asked.path.unlink(missing_ok=True)
        raise


def _executor(asked: Asked) -> Executor | nullcontext[None]:
    """Return the workers that ask the model: processes, or threads where another machine does the work."""
    processes, model = asked.given.get("processes", 1), asked.study.things.model
    if processes == 1:
        return nullcontext()
    return ThreadPoolExecutor(processes) if model is not None and model.remote else ProcessPoolExecutor(processes)


def keep(asked: Asked) -> None:
    """Keep what a report shows. What has been paid for is told even where the model fails on a picture."""
    from ringtrue.cli._progress import Preparing
    from ringtrue.report import keep_shown

    try:
        with Preparing() as advance:
            keep_shown(asked.study, question=asked.question.name, most=asked.given.get("gallery", 12), advance=advance)
    except Exception as error:
        if "field" not in asked.study.kept:
            raise
        tell(f"the report will lack its gallery ({error_line(error)})", err=True)
