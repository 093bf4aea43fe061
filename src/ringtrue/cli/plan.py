"""`ringtrue plan`: how many labels a claim needs, before any is bought."""

from __future__ import annotations

from typing import Any

import click

from ringtrue.cli._options import json_option
from ringtrue.cli._terminal import say
from ringtrue.core import InvalidInput, parse_share


@click.command("plan")
@click.argument("claim", metavar="CLAIM")
@click.option(
    "--rate", "rates", multiple=True, metavar="RATE", help="A failure rate to plan for, such as 1%; repeatable."
)
@click.option("--pool", metavar="FILE", help="The pool the labels are for: its size bounds the worst case.")
@click.option("--size", type=click.IntRange(min=1), metavar="N", help="The size of the pool, without its file.")
@click.option("--price", metavar="AMOUNT", help="What one label costs, to print the money too.")
@click.option(
    "--budget", type=click.IntRange(min=0), metavar="N", help="Labels you have: prints the chance that they do."
)
@json_option
def command(claim: str, as_json: bool, **given: Any) -> int:
    """Say how many labels CLAIM needs: the fewest possible, the expected number and the worst case.

    \b
    ringtrue plan "error <= 5% at 95%"
    ringtrue plan "error <= 1% at 99%" --rate 0.2% --size 20000 --price 0.40
    """
    from ringtrue.core import Claim
    from ringtrue.stats import plan_rate
    from ringtrue.study import money

    wanted, pool, size, price = Claim.parse(claim), given["pool"], given["size"], given["price"]
    if pool is not None and size is not None:
        raise InvalidInput("--pool and --size both tell the size of the pool: give one of them")
    if pool is not None:
        from ringtrue.pools import read_pool

        size = read_pool(pool).size
    assumed = [_rate(rate) for rate in given["rates"]] or None
    each = None if price is None else money(price, "--price")
    plan = plan_rate(wanted.limit, level=wanted.level, rates=assumed, population=size, budget=given["budget"])
    result = {"claim": str(wanted), **plan.to_json()}
    lines = [f"claim: {wanted}", *str(plan).splitlines()]
    if each is not None:
        fewest = plan.fewest_watched
        result["price"] = str(each)
        if fewest is not None:
            result["fewest_cost"] = str(each * fewest)
            lines.append(f"at {each} a label: at least {each * fewest} if nothing fails")
    say(as_json, result, *lines)
    return 0


def _rate(text: str) -> float:
    """Return the rate of `--rate`, from 0 to 1."""
    rate = parse_share(text, f"--rate={text!r}")
    if not 0 <= rate <= 1:
        raise InvalidInput(f"--rate={text!r} must lie between 0 and 100%: write it like 5% or 0.05")
    return rate
