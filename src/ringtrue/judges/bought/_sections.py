"""What is told of a panel whose labels were bought: how often each judge is right, and what votes alone would say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import Context, Figure, Quoted, Section, Soft, Text, count, percent
from ringtrue.judges._estimates_table import estimates_section, shares_table
from ringtrue.judges._figures import draw_errors


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
