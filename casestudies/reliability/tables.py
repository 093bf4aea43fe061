"""The results as Markdown tables, each number of the paper beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pages import markdown
from reliability.paper import NAMES, PAPER
from reliability.synthetic import CELLS

Row = Mapping[str, Any]
_SIGNIFICANT = 0.05


def paper_table(synthetic: Mapping[str, Row], images: Mapping[str, Row]) -> str:
    """Return the five rows; in the column V[λ] the standard deviation, which the paper prints there."""
    rows = []
    for name, printed in PAPER.items():
        rows.append([NAMES[name], "paper", *printed])
        rows.append(["", "here", *_numbers(name, {**synthetic, **images}[name])])
    heads = [
        "row",
        "",
        "train/test error",
        "r",
        "cell radius",
        "cells",
        "ACU",
        "E[λ]",
        "V[λ]",
        "Ub 97.5%",
        "s per cell",
    ]
    return markdown(heads, rows)


def _numbers(name: str, found: Row) -> list[str]:
    errors = "/".join(f"{wrong / many:.4f}" for many, wrong in (found["train"], found["test"]))
    if name in CELLS:
        cells = f"{CELLS[name]} × {CELLS[name]}"
        last = [f"{found[key]:.7f}" for key in ("acu", "estimate", "std", "upper")]
        return [
            errors,
            f"{found['separation']:.6f}",
            f"{1 / CELLS[name]:.3f}",
            cells,
            *last,
            _seconds(found["seconds"]),
        ]
    settings = found["settings"]
    last = [_with_error(found["acu"]), _with_error(found["estimate"]), "/", "/", _seconds(found["seconds"])]
    return [errors, f"{found['separation']:.4f}", f"{settings['side']:.3f}", f"top-{found['cells']}", *last]


def _seconds(seconds: float) -> str:
    return f"{seconds:.2g}" if seconds >= 1e-3 else f"{seconds:.6f}"


def _with_error(told: Sequence[float]) -> str:
    return f"{told[0]:.3f} ± {told[1]:.3f}"


def labels_table(synthetic: Mapping[str, Sequence[Row]], empty: Mapping[str, Row], images: Mapping[str, Row]) -> str:
    """Return what the held-out labels say of the bound, or of E where there is none."""
    rows = []
    for name, found in synthetic.items():
        first = found[0]
        refused = sum(one["chance"] < _SIGNIFICANT for one in found)
        beyond = sum(one["upper"] < one["low"] for one in found)
        rows.append([
            NAMES[name], f"Ub {first['upper']:.7f}", *_labels(first), f"{first['chance']:.1e}",
            f"{refused} of {len(found)}", f"{beyond} of {len(found)}", f"{empty[name]['share']:.0%}",
        ])  # fmt: skip
    for name, found in images.items():
        rows.append([NAMES[name], f"E {_with_error(found['estimate'])}", *_labels(found), "", "", "", ""])
    heads = ["row", "what the model says", "held-out failures", "exact 95% interval", "chance of so many, were it true"]
    heads += ["splits whose labels refuse Ub at 5%", "splits with Ub below the interval"]
    return markdown([*heads, "operation in cells without a point"], rows)


def _labels(found: Row) -> list[str]:
    many, wrong = found["test"]
    return [f"{wrong:,} of {many:,}", f"{found['low']:.4f} to {found['high']:.4f}"]


def resolution_table(found: Mapping[str, float]) -> str:
    """Return E by the number of cells along an axis."""
    base = found["250"]
    rows = [
        [f"{many} × {many}", f"{1 / int(many):.5f}", f"{value:.6f}", f"{value / base:.2f}"]
        for many, value in found.items()
    ]
    return markdown(["cells", "side", "E[λ]", "over that of 250 × 250"], rows)


def separation_table(synthetic: Mapping[str, Row], images: Mapping[str, Row]) -> str:
    """Return the paper's r beside the least half distance between points of different classes."""
    rows = []
    for name, printed in PAPER.items():
        found = {**synthetic, **images}[name]
        digits = 6 if name in CELLS else 4
        of = f"all {sum(found[part][0] for part in ('train', 'test')):,}" if name in CELLS else f"{found['test'][0]:,}"
        rows.append([
            NAMES[name], printed.separation, f"{found['separation']:.{digits}f}", f"{found['half']:.{digits}f}",
            f"{found['closer']:,}", of,
        ])  # fmt: skip
    heads = ["row", "the paper's r", "smallest half distance that is not below ε", "smallest of all"]
    return markdown([*heads, "points with another class nearer than 2 ε", "points"], rows)


def images_table(images: Mapping[str, Row]) -> str:
    """Return what a reader should know of the image rows before comparing them with anything."""
    rows = []
    for name, found in images.items():
        commonest, share = found["heavy_class"]
        rows.append([
            NAMES[name], str(found["axes"]), f"{found['radius']:.1f}", f"{found['pixels'] / 2:.3f}",
            f"{found['covered']:.1e}", f"{found['empty']:.0%}", f"{found['by_rule']:.0%}", f"{found['relabelled']:.0%}",
            f"{share:.0%} are {commonest}", f"{2 * found['judged']}",
            f"{_with_error(found['acu_program'])}, {_with_error(found['estimate_program'])}",
        ])  # fmt: skip
    heads = ["row", "latent axes", "radius in pixels", "half the separation in pixels"]
    heads += ["share of operation in the cells", "cells without an image"]
    heads += ["judged cells that are 1 by rule", "images that get another label when decoded", "class of heavy cells"]
    return markdown([*heads, "cells judged", "ACU, E with 10 in the place of e, as the program has it"], rows)
