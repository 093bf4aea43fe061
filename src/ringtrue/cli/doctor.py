"""`ringtrue doctor`: what is this, what can be asked of it, what would it cost, and what is wrong with it?"""

from __future__ import annotations

import os
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING

import click

from ringtrue.cli._consent import journal_option
from ringtrue.cli._options import json_option
from ringtrue.cli._terminal import say
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.cli._diagnosis import Diagnosis

_SQLITE = b"SQLite format 3\0"
_KNOWN = (
    "tables, folders of images, studies, logs of evaluation tools, reports (.json), claims, spaces, rubrics and prices "
    "(.toml), model files and addresses"
)


@click.command("doctor")
@click.argument("target", metavar="THING")
@click.option("--price", metavar="AMOUNT", help="What one label costs, to print the money too.")
@journal_option
@json_option
def command(target: str, price: str | None, journal: str | None, as_json: bool) -> int:
    """Say what THING is, what is wrong with it, and what to type next. Nothing is bought, run or changed.

    THING is a file of items, a folder of images or of Parquet files, a study (its file, or postgresql://…#NAME), a
    database with studies (postgresql://…), the log of an evaluation tool, a report, a file of claims, of a space, of a
    rubric or of prices, a model file, or an address. An address gets one request, which sends no item.

    \b
    ringtrue doctor pool.csv
    ringtrue doctor 'parts/*.parquet' --price 0.40
    ringtrue doctor log.eval
    ringtrue doctor loans.ringtrue
    ringtrue doctor https://models.example/v1/models/mood:predict

    Exit code: 0 if it can be used, whatever else is wrong with it; 2 if it cannot.
    """
    from ringtrue.study import money

    each = None if price is None else money(price, "--price")
    found = _diagnosed(target, each) if journal is None else _in_journal(target, journal)
    say(as_json, {"thing": target, **found.to_json()}, *found.lines())
    return 0 if found.usable else 2


def _diagnosed(target: str, price: Decimal | None) -> Diagnosis:
    """Find out what a thing is, by its first bytes, its ending and its content; what is none of these is refused."""
    from ringtrue.journal import is_address as is_journal
    from ringtrue.models import is_address
    from ringtrue.pools import find_place

    if is_address(target):
        from ringtrue.cli._doctor_address import look_at_address

        return look_at_address(target)
    if is_journal(target):
        return _in_journal(target)
    place = find_place(target)
    if place.kind == "file" and not os.path.exists(place.path):
        return _study_of_name(target)
    if place.kind != "file":
        return _several(target, price)
    if not os.path.isfile(place.path):
        raise InvalidInput(f"{target}: is not a regular file: copy it into a file that can be read again")
    return _file(target, place.path, price)


def _in_journal(target: str, journal: str | None = None) -> Diagnosis:
    """Look at a study in a database, or at all that are in the one that an address without a name leads to."""
    from ringtrue.cli._doctor_study import look_at_journal, look_at_study
    from ringtrue.cli._place import Place
    from ringtrue.journal import address_and_name

    if journal is None and not address_and_name(target)[1]:
        return look_at_journal(target)
    return look_at_study(Place.of(target, journal))


def _study_of_name(target: str) -> Diagnosis:
    """Look at a study by its name without the ending; refuse what is not there."""
    from ringtrue.cli._doctor_study import look_at_study
    from ringtrue.cli._place import Place

    if target.strip() and Place.of(target).file.is_file():
        return look_at_study(Place.of(target))
    raise InvalidInput(f"{target}: no such file: check the path, relative ones start from {os.getcwd()}")


def _several(target: str, price: Decimal | None) -> Diagnosis:
    """Look at a folder, or at the files that a pattern names."""
    from ringtrue.cli._doctor_files import look_at_model_file
    from ringtrue.cli._doctor_pool import look_at_pool

    model = look_at_model_file(target) if os.path.isdir(target) else None
    return model or look_at_pool(target, price)


def _file(target: str, path: str, price: Decimal | None) -> Diagnosis:
    """Look at one file."""
    from ringtrue.cli._doctor_files import look_at_json, look_at_model_file, look_at_toml
    from ringtrue.cli._doctor_pool import look_at_pool
    from ringtrue.cli._doctor_study import look_at_study
    from ringtrue.cli._place import Place
    from ringtrue.pools._columns import SUFFIXES

    try:
        with open(path, "rb") as file:
            first = file.read(len(_SQLITE))
    except OSError as error:
        raise InvalidInput(f"{target}: cannot be read ({error.strerror}): check its permissions") from None
    if not first:
        raise InvalidInput(f"{target}: the file is empty: give one that holds something")
    stem, ending = os.path.splitext(path)
    if ending == ".html" and os.path.isfile(f"{stem}.json"):  # a page of a report, whose twin says what it is
        target, ending = f"{stem}.json", ".json"
    ending = ending.lower()
    if first == _SQLITE or ending == ".ringtrue":
        return look_at_study(Place.of(target))
    if ending == ".toml":
        return look_at_toml(target)
    found = None
    if ending in (".json", ".jsonl", ".ndjson", ".eval"):
        with suppress(*([InvalidInput] if ending in SUFFIXES else [])):  # as a table it is refused in other words
            found = look_at_json(target, price)
    if found is None and ending in SUFFIXES:
        return look_at_pool(target, price)
    found = found or look_at_model_file(target)
    if found is None:
        raise InvalidInput(f"{target}: is nothing that is known here: give one of {_KNOWN}")
    return found
