"""No finding says "1 labels": in what is told, a number has its noun from `count`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import ringtrue

PLURAL = re.compile(r"^ (?:(?!for |of )[a-z-]+ )?[a-z-]+[a-rt-z]s\b")
"""A plural right behind a number, or after one word that goes with it."""

WRITTEN = re.compile(r"[,d]|\.0f")
"""How whole numbers are written in an f-string."""


def told(tree):
    """The f-strings of a module that are not part of an error."""
    errors = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Raise) for part in ast.walk(node)}
    return [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) and id(node) not in errors]


def bare_counts(sentence):
    """The whole numbers in an f-string, lengths or written as such, that stand before a noun in the plural."""
    for value, after in zip(sentence.values, sentence.values[1:], strict=False):
        if not isinstance(value, ast.FormattedValue) or not isinstance(after, ast.Constant):
            continue
        form = "" if value.format_spec is None else ast.literal_eval(ast.unparse(value.format_spec).removeprefix("f"))
        said = ast.unparse(value.value)
        if said.startswith("count(") or said.isupper():  # a constant is not one
            continue
        if PLURAL.match(str(after.value)) and (WRITTEN.search(form) or "len(" in said):
            yield said + str(after.value)[:20]


def test_numbers_in_findings_agree_with_their_nouns():
    root = Path(ringtrue.__file__).parent
    found = {
        file.relative_to(root).as_posix(): said
        for file in sorted(root.rglob("*.py"))
        if "testing" not in file.parts
        if (said := [one for text in told(ast.parse(file.read_text("utf-8"))) for one in bare_counts(text)])
    }
    assert not found, "\n".join(f"{name}: {said}" for name, said in found.items())
