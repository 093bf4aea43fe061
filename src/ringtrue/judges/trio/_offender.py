"""Which judges cannot be explained by independent errors, in words."""

from __future__ import annotations

from ringtrue.judges.trio._invariants import Invariants, Status


def explain_failure(facts: Invariants, status: Status, judges: tuple[str, ...], labels: tuple[str, ...]) -> str:
    """Why there is no solution to choose, naming the pair or the judge that breaks it."""
    one, two, three = judges
    named = ((one, two, three), (one, three, two), (two, three, one))  # a pair, and who is left
    negative = [names for names, pair in zip(named, facts.pairs, strict=True) if pair < 0]
    unrelated = [names for names, pair in zip(named, facts.pairs, strict=True) if pair == 0]
    if not facts.items:
        return "no item has been counted"
    if len(unrelated) == 3:
        if status == "unidentified":
            return "no two judges are related: only one label is there, or the judges guess"
        return "no two judges are related, yet the three together are"
    if len(unrelated) == 2:
        alone = next(judge for judge in judges if all(judge in names[:2] for names in unrelated))
        if status == "unidentified":
            return f"{alone} is related to no other judge, and two judges are too few"
        return f"{alone} is related to no other judge, yet to what the other two say together"
    if unrelated:
        left, right, other = unrelated[0]
        return f"{left} and {right} are not related, yet both are related to {other}"
    if status == "empty":
        return "the two solutions meet where no judge is better than chance, yet the judges are related"
    if len(negative) == 3:
        return f"{one}, {two} and {three} disagree, each with each other, more than by chance"
    if len(negative) == 1:
        left, right, other = negative[0]
        return f"{left} and {right} disagree more than by chance, yet both agree with {other}"
    return _broken_slice(facts, judges, labels)


def _broken_slice(facts: Invariants, judges: tuple[str, ...], labels: tuple[str, ...]) -> str:
    """Of the votes that turn round how the other two judges are related, the one that turns it round most."""
    against = {
        (place, vote): -table if pair > 0 else table
        for place, pair in enumerate(reversed(facts.pairs))
        for vote, table in enumerate(facts.slices[place])
    }
    place, vote = max(against, key=against.__getitem__)
    left, right = (judge for judge in judges if judge != judges[place])
    overall, within = ("agree", "disagree") if facts.pairs[2 - place] > 0 else ("disagree", "agree")
    return (
        f"{left} and {right} {overall} more than by chance over all items, but {within} more than by chance where "
        f"{judges[place]} votes {labels[vote]!r}"
    )
