"""MASA step by step: its updates are the paper's, its choices are those of a scan, and odd pools do not upset it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringtrue.changed.masa import Masa, Partition, _masa, error_bound, new_matrix, scores
from ringtrue.core import InvalidInput


def parts_of(sizes, labels=None):
    """A partition with these sizes; each part a label of its own unless said otherwise."""
    sizes = np.array(sizes)
    label = np.arange(len(sizes)) if labels is None else np.array(labels)
    return Partition(np.repeat(np.arange(len(sizes)), sizes), label, sizes)


def run(masa, answer_of, steps):
    """The parts that are chosen when `answer_of(part, n)` is the n-th answer of a part."""
    asked, chosen = [0] * masa.partition.parts, []
    for _ in range(steps):
        part = masa.next()
        masa.tell(part, answer_of(part, asked[part]))
        asked[part] += 1
        chosen.append(part)
    return chosen


@given(st.lists(st.integers(0, 4), min_size=2, max_size=60))
def test_the_score_is_the_papers_recursion_and_the_share_of_pairs_that_differ(answers):
    masa = Masa(parts_of([100]))
    seen, mean, squared, n = [0] * 5, np.zeros(5), 0.0, 0
    for answer in answers:
        masa.tell(0, answer)
        n += 1
        mean += ((np.arange(5) == answer) - mean) / n
        if n > 1:
            squared += 2 / n * (1 - seen[answer] / (n - 1) - squared)
        seen[answer] += 1
    pairs = [one != other for i, one in enumerate(answers) for other in answers[:i]]
    assert masa.score[0] ** 2 == pytest.approx(squared, abs=1e-12)
    assert masa.score[0] ** 2 == pytest.approx(np.mean(pairs), abs=1e-12)
    assert masa.counts(5)[0] / n == pytest.approx(mean, abs=1e-12)
    assert scores(masa.counts(5)) == pytest.approx(masa.score, abs=1e-12)


@pytest.mark.parametrize("exploration", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("replace", [True, False])
def test_choices_are_those_of_a_scan_over_all_parts(exploration, replace):
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 25, 40)
    draws = rng.integers(0, rng.integers(1, 5, 40)[:, None], size=(40, 400))
    shares = sizes / sizes.sum()
    masa = Masa(parts_of(sizes), exploration=exploration, replace=replace)
    total = 350
    chosen = run(masa, lambda part, n: int(draws[part, n]), total)
    asked, expected = np.zeros(40, dtype=int), []
    for _ in range(total):
        index = np.full(40, -1.0)
        for part in range(40):
            n = asked[part]
            if not replace and n == sizes[part]:
                continue
            if n < 2:
                index[part] = 100 * (2 - n) + shares[part]
            else:
                same = (draws[part, :n, None] == draws[part, None, :n]).sum() - n
                index[part] = shares[part] / n * (np.sqrt(1 - same / (n * (n - 1))) + exploration * n**-0.25)
        best = int(np.argmax(index))
        # Where rounding could decide, either is right.
        assert index[chosen[len(expected)]] == pytest.approx(index[best], rel=1e-12)
        expected.append(chosen[len(expected)])
        asked[expected[-1]] += 1
    assert masa.asked.sum() == total


def test_a_decision_works_out_one_index_however_many_parts_there_are(monkeypatch):
    roots = []
    monkeypatch.setattr(_masa, "sqrt", lambda value: roots.append(value) or value**0.5)
    rng = np.random.default_rng(1)
    for parts in (4, 400):
        masa = Masa(parts_of([50] * parts))
        run(masa, lambda part, n: int(rng.integers(2)), 2 * parts)
        roots.clear()
        run(masa, lambda part, n: int(rng.integers(2)), 500)
        assert len(roots) <= 3 * 500
        assert len(masa._heap) <= parts  # so that a step of the heap costs the logarithm of it


def test_answers_told_out_of_turn_do_not_pile_up():
    rng = np.random.default_rng(2)
    masa = Masa(parts_of([5, 6, 7, 8]))
    for _ in range(2_000):
        masa.tell(int(rng.integers(4)), int(rng.integers(3)))
    assert len(masa._heap) <= 16
    fresh = Masa(parts_of([5, 6, 7, 8]))
    for part, counts in enumerate(masa.counts(3)):
        for answer, number in enumerate(counts):
            for _ in range(number):
                fresh.tell(part, answer)
    assert fresh.next() == masa.next() == masa.batch(1)[0]


def test_two_answers_of_each_part_come_first_from_large_to_small():
    masa = Masa(parts_of([3, 9, 6]))
    assert run(masa, lambda part, n: 0, 6) == [1, 2, 0, 1, 2, 0]


def test_with_fewer_answers_than_parts_the_rest_is_as_its_label_and_then_as_before():
    partition = parts_of([4, 3, 2, 1], labels=[0, 0, 1, 1])
    old = np.array([[0.5, 0.2], [0.1, 0.2]])
    masa = Masa(partition)
    assert masa.shift(old) == pytest.approx(np.zeros((2, 2)), abs=1e-15)  # nothing asked: as before
    masa.tell(0, 1)
    assert masa.shift(old) + old == pytest.approx(np.array([[0, 0.7], [0.1, 0.2]]))
    masa.tell(2, 0)
    assert masa.shift(old) + old == pytest.approx(np.array([[0, 0.7], [0.3, 0]]))


def test_the_rows_of_a_shift_sum_to_nothing():
    rng = np.random.default_rng(3)
    for asked in (1, 5, 200):
        sizes = rng.integers(1, 30, 6)
        old = rng.random((3, 5))
        old *= (sizes.reshape(3, 2).sum(axis=1) / sizes.sum() / old.sum(axis=1))[:, None]
        masa = Masa(parts_of(sizes, labels=[0, 0, 1, 1, 2, 2]))
        run(masa, lambda part, n: int(rng.integers(5)), asked)
        assert masa.shift(old).sum(axis=1) == pytest.approx(np.zeros(3), abs=1e-14)


def test_without_replacement_no_item_is_asked_twice_and_in_the_end_all_is_known():
    rng = np.random.default_rng(4)
    sizes = [1, 2, 7, 30]
    answers = [rng.permutation(rng.integers(0, 3, size)) for size in sizes]
    masa = Masa(parts_of(sizes), replace=False)
    run(masa, lambda part, n: int(answers[part][n]), 40)
    assert masa.next() is None
    assert masa.batch(5) == []
    assert masa.asked.tolist() == sizes
    truth = np.array([np.bincount(codes, minlength=3) for codes in answers]) / 40
    assert new_matrix(masa.partition, masa.counts(3), np.full((4, 3), 1 / 12)) == pytest.approx(truth)
    assert masa.bound() == 0
    with pytest.raises(InvalidInput, match="part=2 has no items left"):
        masa.tell(2, 0)


def test_an_item_that_cannot_be_asked_leaves_its_part_smaller():
    masa = Masa(parts_of([2, 3]), replace=False)
    masa.lose(1)
    masa.lose(0)
    assert run(masa, lambda part, n: 0, 3) == [1, 0, 1]
    assert masa.next() is None


@pytest.mark.parametrize("replace", [True, False])
def test_a_batch_of_one_is_the_next_and_a_long_one_spreads(replace):
    rng = np.random.default_rng(5)
    masa = Masa(parts_of([40, 30, 20, 10]), replace=replace)
    for _ in range(60):
        assert masa.batch(1) == [masa.next()]
        masa.tell(masa.next(), int(rng.random() < 0.3))
    together = masa.batch(8)
    assert masa.batch(8) == together, "a batch changes nothing"
    assert [masa.batch(1, together[:number])[0] for number in range(8)] == together
    assert len(set(together)) > 1


def test_the_bound_is_the_papers_and_shrinks():
    partition = parts_of([6, 4])
    asked, score = np.array([16, 81]), np.array([0.5, 0.0])
    spread = 0.6 * (0.5 + 1 / 2) + 0.4 * (0 + 1 / 3)
    assert error_bound(partition, asked, score, constant=2.0) == pytest.approx(np.sqrt(2 / 97) * spread)
    half = error_bound(partition, asked, score, constant=2.0, exploration=0.5)
    assert half == pytest.approx(np.sqrt(2 / 97) * (0.6 * 0.75 + 0.4 / 6))
    assert Masa(partition).bound() == np.inf
    rng = np.random.default_rng(6)
    masa, bounds = Masa(parts_of([500, 300]), replace=False), []
    for _ in range(8):
        run(masa, lambda part, n: int(rng.random() < 0.2), 100)
        bounds.append(masa.bound())
    assert all(after < before for before, after in pairwise(bounds))
    assert bounds[-1] == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Masa(parts_of([1]), exploration=-1), "exploration=-1 must be"),
        (lambda: Masa(parts_of([1]), exploration=float("nan")), "exploration=nan must be"),
        (lambda: Masa(parts_of([1])).tell(1, 0), r"part=1 must lie in \[0, 1\)"),
        (lambda: Masa(parts_of([1])).tell(-1, 0), "part=-1 must lie"),
    ],
)
def test_bad_input_is_one_clear_line(call, words):
    with pytest.raises(InvalidInput, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
