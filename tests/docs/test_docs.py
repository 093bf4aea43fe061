"""The documents keep their word: blocks run, outputs are real, links lead somewhere, named tests exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from docs import blocks
from ringtrue.cli._main import VERBS

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = {"python", "console", "text", "toml", "yaml", "make"}

every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)

LONG = {"CONTRIBUTING.md", "judges.md", "language_models.md", "models.md", "troubleshooting.md", "worst.md"}
"""Documents whose blocks take many seconds: they load heavy libraries, or run dozens of commands."""

RUN = [pytest.param(path, marks=[pytest.mark.slow] if path.name in LONG else [], id=path.name) for path in DOCUMENTS]


@pytest.mark.usefixtures("unlaid")
@pytest.mark.parametrize("path", RUN)
def test_every_block_runs_and_prints_what_is_shown(path, tmp_path, monkeypatch):
    """Blocks run in order in one folder, python blocks in one namespace; a text block shows what the last printed."""
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    printed = None
    for block in blocks.blocks_of(path.read_text(encoding="utf-8")):
        where = f"{path.name}:{block.line}"
        assert block.language in LANGUAGES, f"{where}: name the language of the block, one of {sorted(LANGUAGES)}"
        if block.left_out:
            printed = None
        elif block.language == "python":
            printed = blocks.run_python(block, namespace, where)
        elif block.language == "console":
            printed = None
            for command, shown in blocks.commands_of(block):
                output = blocks.run_command(command)
                if output is not None:
                    assert not blocks.missing_lines(shown, output), f"{where}: $ {command}\nreally prints:\n{output}"
        elif block.language == "text" and printed is not None:
            assert not blocks.missing_lines(block.body, printed), f"{where}: really printed:\n{printed}"
            printed = None


@every_document
def test_relative_links_resolve(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        linked = (path.parent / name).resolve() if name else path
        assert linked.exists(), f"{path.name} links to {target}, which does not exist"
        if anchor:
            assert anchor in anchors(linked), f"{path.name} links to {target}: no such heading"


def anchors(path):
    """The anchors of a document's headings, as they are made from their words."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_document
def test_no_path_of_a_machine(path):
    found = re.findall(r"(?<![\w.])/(?:home|root|work|tmp|Users|opt|mnt|var)/\S*", path.read_text(encoding="utf-8"))
    assert not found, f"{path.name} names paths of a machine: {found}"


@every_document
def test_named_tests_and_files_exist(path):
    text = path.read_text(encoding="utf-8")
    for name in set(re.findall(r"\b(?:tests|src|benchmarks)/[\w/.-]*\w", text)):
        assert (ROOT / name).exists(), f"{path.name} names {name}, which does not exist"
    for file, test in re.findall(r"\b(tests/[\w/]+\.py)::([\w:]*\w)", text):
        assert test in names_in(ROOT / file), f"{path.name} names {file}::{test}, which does not exist"


@cache
def names_in(path):
    """The functions and classes of a file of tests, and the methods of the classes, as pytest names them."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}::{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
    return names


def test_every_guarantee_names_a_test():
    text = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8").partition("## What is not promised")[0]
    promises = re.split(r"^### \d+\. ", text, flags=re.MULTILINE)[1:]
    assert len(promises) >= 10
    for promise in promises:
        title, _, body = promise.partition("\n")
        assert re.search(r"tests/[\w/]+\.py::\w+", body), f"no test is named for: {title}"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_shown(verb):
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/tutorial.md")]
    assert any(f"ringtrue {verb}" in text for text in texts), f"neither README nor tutorial shows `ringtrue {verb}`"


@pytest.mark.parametrize(
    ("shown", "output", "absent"),
    [
        ("one\n…\nthree", "one\ntwo\nthree", []),
        ("took … seconds", "took 12 seconds", []),
        ("one", "someone", ["one"]),
        ("4 … left", "5 labels left", ["4 … left"]),
    ],
)
def test_a_shown_line_must_be_a_real_one(shown, output, absent):
    assert blocks.missing_lines(shown, output) == absent


def test_leaving_out_needs_a_reason():
    (fine,) = blocks.blocks_of("```python no-run: needs a cluster\nx\n```\n")
    assert fine.left_out
    (bare,) = blocks.blocks_of("```python no-run\nx\n```\n")
    with pytest.raises(AssertionError, match="reason"):
        assert bare.left_out


def test_exit_codes_and_continued_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (block,) = blocks.blocks_of("```console\n$ cat > a <<'END'\n> one\n> END\n$ false  # exits 1\n$ cat a\none\n```\n")
    (write, _), (fail, _), (read, shown) = blocks.commands_of(block)
    assert blocks.run_command(write) == ""
    assert blocks.run_command(fail) == ""
    assert not blocks.missing_lines(shown, blocks.run_command(read))
    with pytest.raises(AssertionError, match="exited 1"):
        blocks.run_command("false")
