"""What documents say was measured: what the tables have, and beside it what held on data not used for tuning."""

import ast
import math
import re

import pytest

from docs.test_docs import DOCUMENTS, ROOT

BOASTS = re.compile(r"\b(beats|beat (?:it|them)|outperforms?|superior|state of the art|best in class)\b", re.IGNORECASE)
"""Words that rank without saying on what data, against what and by how much."""

CHANGED = ("docs/changed.md", "casestudies/api_shift/README.md")


def text_of(name):
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def row_of(name, first):
    """The cells of the one row of a Markdown table that begins with these words."""
    (line,) = (one for one in (ROOT / name).read_text(encoding="utf-8").splitlines() if one.startswith(f"| {first}"))
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize(
    "path", [*DOCUMENTS, *sorted((ROOT / "casestudies").glob("*/README.md"))], ids=lambda p: p.name
)
def test_no_document_ranks_without_numbers(path):
    assert not BOASTS.findall(path.read_text(encoding="utf-8"))


def test_no_docstring_ranks_without_numbers():
    found = {
        f"{path.relative_to(ROOT)}:{node.lineno}": words
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and (words := BOASTS.findall(node.value))
    }
    assert found == {}


def test_the_first_search_for_confident_errors_is_told_on_other_tasks_too():
    """Excess at 20 and 50, on photographs, and the ratio: each beside what was measured on the tasks tuned on."""
    text = text_of("casestudies/confident_errors/README.md")
    tuned, others = text.index("2.2 times the excess"), text.index("not used for tuning")
    assert tuned < others
    for pair in ("1.98", "1.71", "0.98 and 1.12 times", "0.66 and 0.90 times"):
        assert pair in text[others - 200 : others + 700], pair


@pytest.mark.parametrize(
    ("goal", "rival", "word"),
    [
        ("excess", "1.5 times adversarial distance", "The goal `excess` found {} and"),
        ("excess", "2 times random", "and {} times as many, but fewer errors"),
        ("errors", "1.5 times adversarial distance", "{} times as many as adversarial distance"),
        ("errors", "2 times random", "{} times as many as random draws"),
    ],
)
def test_the_search_for_confident_errors_is_told_by_its_reserved_tasks(goal, rival, word):
    text = text_of("docs/blind.md")
    told = measured_of_blind(text)
    verdict = (
        rf"`--goal {goal}`, geometric mean of the excess errors in 50, at least {re.escape(rival)}[^:]*: ([\d.]+) over"
    )
    assert word.format(re.search(verdict, text)[1]) in told


def measured_of_blind(text):
    """What the page says in words of its table."""
    return text[text.index("tasks that no constant was chosen on") : text.index("<!-- results")].replace("\n", " ")


def test_how_many_errors_a_hunt_finds_is_told_by_its_reserved_tasks():
    text = text_of("docs/blind.md")
    told, table = measured_of_blind(text), text[text.index("#### Reserved tasks") :]
    heads = ("**learning, `--goal errors`**", "lowest confidence", "most neighbours", "random |")
    rows = [re.search(rf"\| {re.escape(head)}.*", table)[0].split("|") for head in heads]
    ours, confidence, neighbours, chance = (round(float(row[4].split()[0])) for row in rows)
    assert f"found {ours} errors in 50 answers on average, where lowest confidence found {confidence}" in told
    assert f"neighbours {neighbours} and random draws {chance}." in told
    behind = re.findall(r"goal errors`, errors in \d+: at most 1 behind the best habit of each task: −([\d.]+)", table)
    assert f"by more than {max(behind[:2])} errors on average" in told


@pytest.mark.parametrize("name", CHANGED)
def test_silent_updates_are_told_without_those_smaller_than_the_error(name):
    """The quotients in words are those of the table, rounded: of all updates, and of those that exceed the error."""
    text = text_of(name)
    heads = row_of(CHANGED[1], "cases |")
    for first in ("silent update (20)", "silent update, shift above 1% (13)"):
        quotient = float(row_of(CHANGED[1], first)[heads.index("paired")].split()[0])
        assert re.search(rf"\b{quotient:.1f}\b", text.split("## Results")[0]), (first, quotient)
    assert "not used for tuning" in text


def cell_of(table, first, place):
    """A cell of the first row that begins so, without its standard error."""
    return re.search(rf"\| {re.escape(first)}.*", table)[0].split("|")[place].split("±")[0].strip()


def test_changes_are_told_by_the_reserved_pairs():
    """The stated error, and how many calls a watch takes: the sentences quote the reserved column."""
    text = text_of("docs/changed.md")
    table, told = (
        text.split("<!-- end of results -->")[0],
        text[text.index("- **The stated error.**") :].replace("\n  ", " "),
    )
    one, looks = (
        [cell_of(table, f"two labels, {what}", place) for place in (3, 2)] for what in ("at 1%", "at all looks")
    )
    assert f"at 1% kept it in {one[0]}" in told
    assert f"held in {looks[0]}; on the tuning pairs in {one[1]} and {looks[1]}" in told

    def calls(heading, *begins):
        below = table[table.index(f"alarm: {heading}") :]
        return [cell_of(below, begin, 3) for begin in begins]

    turns, alone = "steady model, **sentinels and other items in turn**", "steady model, twenty sentinels alone"
    ours, some, fresh = "noisy model, **sentinels**", "model, twenty random items", "model, a random item each time"
    swapped = calls(
        "service swapped", turns, ours, *(f"{n} {who}" for who in (some, fresh) for n in ("steady", "noisy"))
    )
    assert "after {} calls without noise and {} with it; twenty random items need {} and {}".format(*swapped) in told
    assert "and another random item at each call {} and {}.".format(*swapped[4:]) in told
    near = calls("5% of answers updated, that", turns, ours, f"steady {fresh}", f"noisy {fresh}")
    assert "after {} and {} calls, against {} and {} with a random item".format(*near) in told
    even = [calls(f"{share} of answers updated, spread", turns, alone, f"steady {fresh}") for share in ("5%", "1%")]
    assert (
        "after {} calls, by twenty sentinels alone after {} and by a random item each time after {}".format(*even[0])
        in told
    )
    assert "one of 1% after {}, {} and {}.".format(*even[1]) in told
    sooner = re.search(r"of 30 \(\d\) \| (\d) of 20 \((\d)\)", table[table.index("finds more (beyond") :])
    assert "sooner in {}, by more than two standard errors in {}.".format(*sooner.groups()) in told

    def within(heading, begin):
        """The share of the runs with an alarm within the year."""
        row = re.search(rf"\| {re.escape(begin)}.*", table[table.index(f"alarm: {heading}") :])[0]
        return re.search(r"\((\d+%)\)", row.split("|")[3])[1]

    chance, few = f"noisy {fresh}", f"noisy {some}"
    missed = within("service swapped", chance), within("service swapped", few)
    assert f"finds a swap after {swapped[5]} calls and in {missed[0]} of the runs" in told
    assert f"twenty random items need {swapped[3]} and find {missed[1]}." in told
    least = [within("5% of answers updated, spread", begin) for begin in (ours, chance)]
    assert "in {} of the runs by sentinels and in {} without confidences".format(*least) in told
    assert f"within the year in {within('1% of answers updated, spread', turns)} of the runs or more" in text


def test_what_looking_often_costs_is_told_by_the_reserved_pairs():
    text = text_of("docs/changed.md")
    table, told = text.split("<!-- end of results -->")
    price = [
        cell_of(table, f"{labels} labels, times the calls of a rule for one look, at 1%", 3)
        for labels in ("two", "more")
    ]
    alone = cell_of(table, "two labels, at all looks by a rule for one look", 3)
    assert f"held at all of them in {alone}." in told
    assert "takes {} times the calls of that rule until it stops at 1%, and {} times".format(*price) in told
    assert f"at all looks in {float(alone.rstrip('%')):.0f}% of the runs there" in table
    assert f"it costs {float(price[0]):.1f} times the calls" in table


def test_ways_to_choose_labels_are_told_by_the_reserved_pools():
    text = text_of("docs/risk.md")
    table = text[text.index("results: written by bench_risk_methods") :]
    told = text[text.index("### The methods beside each other") : text.index("<!-- results")].replace("\n  ", " ")

    def cell(method, place):
        return [float(one) for one in re.search(rf"\| `{method}` .*", table)[0].split("|")[place].split("±")]

    def percents(method, place):
        mean, error = cell(method, place)
        return f"{abs(100 * mean - 100):.0f}% ± {100 * error:.0f}"

    saved = sorted(round(100 - 100 * cell("even, fixed", place)[0]) for place in (6, 7, 8))
    assert f"an upper bound {saved[0]} to {saved[-1]}% lower than if it is watched" in told
    lower = [percents("fixed-strata", place) for place in (6, 7, 8)]
    assert "{} lower than that of even draws after 100 labels, {} after 200 and {} after 400".format(*lower) in told
    assert f"interval is {percents('fixed-strata', 9)} narrower" in told
    above = sorted(round(100 * cell("stratified, fixed", place)[0] - 100) for place in (6, 7, 8))
    assert f"whose bound is {above[0]} to {above[-1]}% above" in told
    assert f"with {percents('stratified', 10)} fewer labels than even draws" in told
    assert (
        f"{percents('stratified', 6)} higher after 100 labels and {percents('stratified', 8)} lower after 400" in told
    )


def test_on_which_reserved_pools_doubt_costs_is_told_by_their_table():
    text = text_of("docs/risk.md")
    told = text[text.index("### The methods beside each other") : text.index("<!-- results")]
    table = text[text.index("**Reserved pools.**") : text.index("<!-- end of results")]
    rows = {
        cells[1].strip(): cells
        for cells in (
            row.split("|") for row in re.findall(r"\| \w[^|]* \| 40 .*?(?= \|\n| \| \w[^|]* \| 40 |$)", table)
        )
    }

    def shares(task, place):
        return rows[task][place].split(";")[1].split(",")[2].strip()

    for task in ("FERPLUS, 0.1% fail", "SHOP, 0.5% fail", "YELP, 1% fail", "FERPLUS, 5% fail"):
        assert f"({shares(task, 6)} against {shares(task, 5)})" in told, task
    ratios = {
        task: [float(one.split("±")[0]) for one in cells[10].split(";")[0].split(", ")] for task, cells in rows.items()
    }
    saves = [
        100 - 100 * one
        for task in ("YELP, 1% fail", "FERPLUS, 5% fail", "digits of scikit-learn")
        for one in ratios[task]
    ]
    assert f"saves {min(saves):.0f} to {max(saves):.0f}% where 1% or more fail" in told
    costs = [100 * one - 100 for task in ("YELP, none fail", "FERPLUS, 0.1% fail") for one in ratios[task]]
    assert f"costs {min(costs):.0f} to {max(costs):.0f}% where none or one in a thousand fails" in told


def test_how_much_doubt_saves_is_told_by_the_table_beside_it():
    """A sixth, in the geometric mean over the failure rates from 0.3% on."""
    text = (ROOT / "docs/risk.md").read_text(encoding="utf-8")
    table = text[text.index("`stratified` took a sixth fewer") : text.index("bench_doubt.py")]
    rows = [float(one) for one in re.findall(r"^\| (?!0%|0\.1%)[\d.]+% \|[^|]*\| ([\d.]+) ±", table, re.MULTILINE)]
    assert len(rows) == 5
    assert 1 - math.prod(rows) ** (1 / 5) == pytest.approx(1 / 6, abs=0.02)
