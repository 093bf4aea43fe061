"""Real panels with a known truth: LLM judges share mistakes, so votes keep a reserve and labels put them right."""

import csv
import gzip
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from ringtrue.core import ABSTAINED, Sketch
from ringtrue.judges import Reserve, _label_predictions, evaluate, fit_latent, labelled_estimates
from ringtrue.papers.algebraic_evaluation import error_correlations
from ringtrue.stats import generator

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
DATA = SHARED / "llmbar_judges" / "verdicts.csv"

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the LLMBar verdicts are not beside this checkout")


@pytest.fixture(scope="module")
def llmbar():
    """Names of judges, votes (items, judges) as places of labels, and the truth."""
    gold, said = {}, defaultdict(dict)
    with open(DATA, newline="") as file:
        for row in csv.DictReader(file):
            if row["subset"].startswith("LLMBar"):
                item = row["subset"], row["item"]
                gold[item] = int(row["gold"]) - 1
                said[f"{row['judge_model']}/{row['strategy']}"][item] = row["winner_noswap"]
    items, names = sorted(gold), sorted(said)
    places = {"1": 0, "2": 1}
    votes = np.array([[places.get(said[name].get(item, ""), ABSTAINED) for name in names] for item in items])
    assert votes.shape == (419, 65)
    return names, votes, np.array([gold[item] for item in items])


def panels(llmbar, number, seed):
    """Random panels of four to six judges."""
    names, votes, truth = llmbar
    rng = generator(seed, "panels")
    for _ in range(number):
        chosen = np.sort(rng.choice(len(names), int(rng.integers(4, 7)), replace=False))
        yield [names[place] for place in chosen], votes[:, chosen], truth


def sketch_of(judges, votes, truth, labelled):
    known = np.full(len(truth), ABSTAINED)
    known[labelled] = truth[labelled]
    sketch = Sketch([*judges, "gold"], ["first", "second"])
    for row in np.column_stack([votes, known]).tolist():
        sketch.count(tuple(row))
    return sketch


def accuracies(votes, truth):
    return np.array(
        [
            [np.mean(votes[(truth == label) & (votes[:, judge] != ABSTAINED), judge] == label) for label in (0, 1)]
            for judge in range(votes.shape[1])
        ]
    )


def test_errors_of_llm_judges_are_correlated_beyond_what_the_numbers_bear(llmbar):
    judges, votes, truth = next(panels(llmbar, 1, 0))
    sketch = sketch_of(judges, votes, truth, np.arange(len(truth)))
    assert float(error_correlations(sketch, "gold").largest()[3]) > 3 * evaluate(sketch.without("gold")).tolerance


def test_panels_that_are_off_keep_their_reserve_even_if_the_user_states_independence(llmbar):
    """Of six panels more than half are off by ten points or more, and all of these keep their reserve."""
    off = 0
    for judges, votes, truth in panels(llmbar, 6, 0):
        sketch = sketch_of(judges, votes, truth, np.arange(0)).without("gold")
        finding = evaluate(sketch, independent=True)
        found = fit_latent(sketch).evaluation
        if np.abs(found.accuracies - accuracies(votes, truth)).mean() > 0.1:
            off += 1
            assert finding.reserve is not Reserve.NONE, judges
    assert off > 3


@pytest.mark.parametrize("seed", range(3))
def test_labels_contradict_the_votes_and_put_the_numbers_right(llmbar, seed):
    for judges, votes, truth in panels(llmbar, 3, 10 + seed):
        labelled = generator(seed, "labels").choice(len(truth), 150, replace=False)
        finding = evaluate(sketch_of(judges, votes, truth, labelled), truth="gold")
        real = accuracies(votes, truth)
        alone = np.abs(finding.evaluation.accuracies - real).mean()
        helped = np.abs(np.array([[one.estimate for one in row] for row in finding.labelled.accuracy]) - real).mean()
        if alone > 0.15:
            assert finding.reserve is Reserve.CONTRADICTED, judges
            assert helped < alone / 2


def services(name):
    """The answers of commercial services and of an open model, as judges of two labels, and the truth."""
    with gzip.open(SHARED / "frugalml" / f"{name}.csv.gz", "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    rows = [rows[place] for place in generator(0, name).choice(len(rows), 3000, replace=False)]
    names = [column for column in rows[0] if column.startswith("pred_")]
    votes = np.array([[int(row[column]) for column in names] for row in rows])
    return names, votes, np.array([int(row["y"]) for row in rows])


@pytest.mark.parametrize("name", ["YELP", "SHOP", "LLMBar"])
def test_what_is_shown_without_reserve_holds_on_real_panels(llmbar, name, monkeypatch):
    """20 choices of 100 labels each; intervals of one choice go together, and three standard errors are allowed.

    The first two choices are evaluated as a whole: what is shown there is what all are held against.

    More than half of the intervals from votes alone miss on the same panels: it is not the panels that are easy.
    """
    if name == "LLMBar":
        judges, votes, truth = next(panels(llmbar, 1, 3))
    else:
        judges, votes, truth = services(name)
    size, missed = len(truth), []
    real = accuracies(votes, truth)
    fit = fit_latent(sketch_of(judges, votes, truth, []).without("gold"))
    monkeypatch.setattr(_label_predictions, "fit_latent", lambda votes: fit)  # the votes are the same each time
    for draw in range(20):
        labelled = generator(draw, f"labels {name}").choice(size, 100, replace=False)
        sketch = sketch_of(judges, votes, truth, labelled)
        held = [one for row in labelled_estimates(sketch, "gold", target="on this test").accuracy for one in row]
        missed.append(
            np.mean([not one.low - 1e-9 <= x <= one.high + 1e-9 for one, x in zip(held, real.ravel(), strict=True)])
        )
        if draw < 2:
            finding = evaluate(sketch, truth="gold")
            assert finding.unreserved == (finding.labelled, finding.labelled_here)
            assert [one for row in finding.labelled_here.accuracy for one in row] == held
    guesses = [one for row in finding.here.accuracy for one in row]
    alone = np.mean([not one.low <= x <= one.high for one, x in zip(guesses, real.ravel(), strict=True)])
    assert np.mean(missed) <= 0.05 + 3 * np.std(missed) / np.sqrt(20)
    assert alone > 0.5
