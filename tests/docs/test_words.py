"""Troubleshooting shows errors as users see them, the glossary has every noun, and the design every shared option."""

import re

import pytest

from docs import blocks
from docs.test_docs import ROOT
from ringtrue.cli._main import Verbs


def entries():
    """By title, the blocks of each entry of the page on troubleshooting."""
    text = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    parts = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0]: list(blocks.blocks_of(part)) for part in parts}


ENTRIES = entries()


def test_there_are_entries():
    assert len(ENTRIES) >= 20


@pytest.mark.parametrize("title", ENTRIES)
def test_every_entry_provokes_the_error_that_it_shows(title):
    """`test_docs.py` runs the commands and compares what they print; here, each entry shows an error."""
    commands = [pair for block in ENTRIES[title] for pair in blocks.commands_of(block)]
    assert all(block.language == "console" and not block.left_out for block in ENTRIES[title])
    refused = [shown for command, shown in commands if re.search(r"# exits 2$", command)]
    assert refused, "no command of the entry is refused"
    for shown in refused:
        error = shown.splitlines()[-1]
        assert re.match(r"ringtrue( \w+)?: \S", error), "the last line shown is not an error"
        assert len(error.replace("…", "").split()) >= 6, "too little of the error is shown"


def test_the_glossary_has_every_noun_in_order():
    text, design = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("glossary.md", "design.md"))
    glossary = re.findall(r"^- \*\*(.+?)\*\*", text, re.MULTILINE)
    nouns = re.findall(r"\*\*(\w+)\*\*:", design.partition("## The nouns")[2].partition("\n## ")[0])
    assert len(nouns) >= 14
    assert set(nouns) <= set(glossary)
    assert glossary == sorted(glossary, key=str.lower)


def test_the_design_has_every_option_that_verbs_share():
    """Options that two verbs or more have; `init`, which makes studies for `risk`, does not count as another."""
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8").partition("## The command line")[2]
    head, _, *rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    verbs = [re.search(r"`(\w+)", cell)[1] for cell in head[1:]]
    told = {}
    for options, *marks in rows:
        assert {mark.strip() for mark in marks} <= {"", "x"}
        having = {verb for verb, mark in zip(verbs, marks, strict=True) if mark.strip()}
        told |= dict.fromkeys(re.findall(r"`(--[\w-]+)`", options), having)
    real = {}
    for verb in verbs:
        for option in Verbs().get_command(None, verb).params:
            if option.opts[0].startswith("--") and not getattr(option, "hidden", False):
                real.setdefault(option.opts[0], set()).add(verb)
    asking = {option: having - {"init"} for option, having in real.items()}
    shared = {option for option, having in asking.items() if len(having) > 1} - {"--truth"}  # a column, or all labels
    assert told == {option: real[option] for option in shared}
