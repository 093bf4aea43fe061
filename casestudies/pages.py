"""What every case study writes: tables, figures, and its results into its README."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

BEGIN, END = "<!-- results: written by run.py --write -->", "<!-- end of results -->"


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose columns of numbers stand to the right."""
    numbers = [all(row[place][:1] in "≤>+-−0123456789" for row in rows) for place in range(len(heads))]
    rules = ["---:" if number else "---" for number in numbers]
    lines = [" | ".join(heads), "|".join(rules), *(" | ".join(row) for row in rows)]
    return "\n".join(f"|{line}|" if place == 1 else f"| {line} |" for place, line in enumerate(lines))


def write(text: str, readme: Path) -> None:
    """Put the results between the marks of the README."""
    before, rest = readme.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    readme.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def save(figure: Figure, file: Path) -> None:
    """Write an SVG file; the same figure gives the same bytes."""
    with mpl.rc_context({"svg.hashsalt": file.stem, "svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
