"""What is told of a panel whose labels were bought: how often each judge is right, and what votes alone would say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import Claim, Context, Figure, Quoted, Section, Soft, Text, count, figure_text, from_limit, percent
from ringtrue.judges._figures import estimates_section, shares_table


def judges_sections(context: Context) -> list[Section]:
    """Return what is told of bought labels."""
    finding = context.finding
    table, planned = finding["estimates"], finding["planned"]
    looked = "Each holds by itself, although the user may have looked after every label."
    if planned:
        after = f"after the {count(planned['answers'], 'label')} that were fixed beforehand"
        looked = f"Each holds by itself, at one look, {after}."
    price = [finding["price"]["sentence"]] if finding["price"] else []
    words: list[Text] = [Soft(f"The price of watching: {one}.") for one in price]
    figure = Figure(
        lambda axes: draw_errors(axes, finding),
        size=(5.0, 1.4 + 0.45 * len(finding["judges"])),
        aloud="The share of wrong votes of each judge with its interval, and the claim drawn in",
        caption=f"How often each judge is wrong{', against the claim (dashed)' if finding['claim'] else ''}.",
        claim=True,
    )
    answered = finding["answers"] + finding["unanswerable"]
    if not answered:
        words.append("Nothing is answered yet, so there is nothing to draw.")
    return [
        estimates_section("How often each judge is right", table, looked=looked),
        Section(words=words, figure=figure if answered else None, brief=price),
        _votes_alone(finding),
    ]


def _votes_alone(finding: Mapping[str, Any]) -> Section:
    """Return what the votes would have said without labels, and whether the labels contradict it."""
    words: list[Text] = []
    if test := finding["contradiction"]:
        verb = "contradict" if test["contradicted"] else "do not contradict"
        hardest = f"The labels {verb} the numbers from votes alone. Put to the hardest test: "
        stated = f", said to be {percent(test['stated'])} without labels (p = {test['p']:.2g})."
        words.append((hardest, Quoted(test["what"]), stated))
    alone, title = finding["unlabelled"], "What the votes alone would have said"
    if not alone:
        return Section(title, [*words, "Votes alone give no numbers for this panel."], detail=True)
    caption = (
        f"Point estimates for comparison, by {alone['method']}. They rest on judges who err independently; the table "
        "at the top does not."
    )
    return Section(title, words, table=shares_table(alone, caption), detail=True)


def draw_errors(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw each judge's error with its interval, and the claim."""
    judged, planned = finding["judges"], finding["planned"]
    errors, rows = [one["error"] for one in judged], list(range(len(judged)))
    middle = [100 * one["estimate"] for one in errors]
    below = [100 * (one["estimate"] - one["low"]) for one in errors]
    above = [100 * (one["high"] - one["estimate"]) for one in errors]
    looking = f"looked at once, after {count(planned['answers'], 'label')}" if planned else "valid while you watch"
    label = f"{percent(errors[0]['level'])} interval, {looking}"
    axes.errorbar(middle, rows, xerr=[below, above], fmt="o", markersize=4, capsize=2, label=label)
    if finding["claim"] is not None:
        claim = Claim.parse(finding["claim"])
        axes.axvline(100 * claim.limit, color="black", linestyle="--", linewidth=1, label=f"claim: {claim}")
        _draw_bounds(axes, judged, claim.limit)
    axes.set_yticks(rows, [figure_text(one["judge"]) for one in judged])
    axes.set_ylim(len(judged) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel("wrong votes (%)")
    # Above the axes, because intervals fill any corner.
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False, fontsize=8, ncols=2)


def _draw_bounds(axes: Any, judged: list[Mapping[str, Any]], limit: float) -> None:
    """Mark the bound that decides of each judge; words say how far it is from the limit, which may be a hair."""
    for row, one in enumerate(judged):
        if one["bound"] is None:
            continue
        failed = one["failed_at"] is not None
        bound, sign = (one["bound"]["low"], "at least") if failed else (one["bound"]["high"], "at most")
        axes.plot(100 * bound, row + 0.22, "^", color="black", markersize=5, zorder=3)
        number = percent(bound, toward="below" if failed else "above")
        axes.annotate(
            f"{sign} {number},\n{from_limit(bound, limit)}",
            (1.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8,
        )
    axes.plot([], [], "^", color="black", markersize=5, label="bound that decides")
