"""No finding says "1 labels": in what is told, a number has its noun from `count`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import ringtrue

NOUNS = re.compile(
    r"^ (?:[a-z-]+ )?(answer|call|cell|draw|evaluation|item|judge|label|output|point|row|querie|replie|task|vote)s\b"
)


def told(tree):
    """The f-strings of a module that are not part of an error."""
    errors = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Raise) for part in ast.walk(node)}
    return [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) and id(node) not in errors]


def bare_counts(sentence):
    """The numbers in an f-string that are lengths or written with commas, and stand before a noun in the plural."""
    for value, after in zip(sentence.values, sentence.values[1:], strict=False):
        if not isinstance(value, ast.FormattedValue) or not isinstance(after, ast.Constant):
            continue
        form = "" if value.format_spec is None else ast.unparse(value.format_spec)
        if NOUNS.match(str(after.value)) and ("," in form or "len(" in ast.unparse(value.value)):
            yield ast.unparse(value.value) + str(after.value)[:20]


def test_numbers_in_findings_agree_with_their_nouns():
    root = Path(ringtrue.__file__).parent
    found = {
        file.relative_to(root).as_posix(): said
        for file in sorted(root.rglob("*.py"))
        if "testing" not in file.parts
        if (said := [one for text in told(ast.parse(file.read_text("utf-8"))) for one in bare_counts(text)])
    }
    assert not found, "\n".join(f"{name}: {said}" for name, said in found.items())
