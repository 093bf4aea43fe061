"""The alarm is valid by enumeration and by simulation, quick, and names what moved."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import PanelAlarm, what_moved
from ringtrue.judges.stream._evidence import log_mixture_evidence, log_split_evidence, windows_due
from ringtrue.judges.stream._history import QUANTUM, History, views_of

PATTERNS = list(itertools.product((0, 1), repeat=3))


def vote_frequencies(prevalence, judges):
    """How often each pattern comes if the judges, given by their accuracies on both labels, err independently."""
    first = [
        math.prod(judge[0] if vote == 0 else 1 - judge[0] for judge, vote in zip(judges, pattern, strict=True))
        for pattern in PATTERNS
    ]
    second = [
        math.prod(judge[1] if vote == 1 else 1 - judge[1] for judge, vote in zip(judges, pattern, strict=True))
        for pattern in PATTERNS
    ]
    return prevalence * np.array(first) + (1 - prevalence) * np.array(second)


USUAL = vote_frequencies(0.3, [(0.8, 0.8)] * 3)
CHANGES = {
    "ann 75%": vote_frequencies(0.3, [(0.75, 0.75), (0.8, 0.8), (0.8, 0.8)]),
    "ann 60%": vote_frequencies(0.3, [(0.6, 0.6), (0.8, 0.8), (0.8, 0.8)]),
    "cyd 65%": vote_frequencies(0.3, [(0.8, 0.8), (0.8, 0.8), (0.65, 0.65)]),
    "prevalence 42%": vote_frequencies(0.42, [(0.8, 0.8)] * 3),
}


def panel(cells):
    return Sketch.from_cells(["ann", "bob", "cyd"], ["yes", "no"], [int(times) for times in cells])


def watched(reference, frequencies, events, rng, *, known=False, usual=0):
    """An alarm that has watched a stream, usual at first, until it was raised or the stream ended."""
    alarm = PanelAlarm(reference, known=known)
    first = rng.choice(8, size=usual, p=USUAL)
    for place in itertools.chain(first, rng.choice(8, size=events, p=frequencies)):
        if alarm.update(PATTERNS[place]):
            break
    return alarm


def compositions(total, cells):
    if cells == 1:
        return [(total,)]
    return [(first, *rest) for first in range(total + 1) for rest in compositions(total - first, cells - 1)]


def log_orders(counts):
    """Log of the number of orders in which counts can come, over the last axis."""
    return gammaln(counts.sum(axis=-1) + 1) - gammaln(counts + 1).sum(axis=-1)


# Validity by enumeration.


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 7), min_size=2, max_size=4), st.data())
def test_split_evidence_expects_at_most_one_given_any_pool(pool, data):
    pool = np.array(pool)
    total = int(pool.sum())
    if total < 2:
        return
    size = data.draw(st.integers(1, total - 1))
    since = np.array([each for each in compositions(size, len(pool)) if np.all(np.array(each) <= pool)])
    before = pool - since
    log_chance = log_orders(since) + log_orders(before) - log_orders(pool)
    assert np.exp(log_chance).sum() == pytest.approx(1)
    expected = np.exp(log_chance + log_split_evidence(before, since)).sum()
    assert expected <= 1 + 1e-9
    # The bet is spent on splits that can be: it would be useless if much of it were lost.
    assert expected >= 0.25


@pytest.mark.parametrize("frequency", [0.02, 0.3, 0.5])
def test_the_sum_over_windows_expects_at_most_one(frequency):
    """A reference of three items and 48 events of two patterns: all of them, with all the windows they have."""
    blocks = np.array(list(itertools.product(range(4), *[range(QUANTUM + 1)] * 3)))
    seconds = np.concatenate([blocks[:, :1], blocks[:, :1] + blocks[:, 1:].cumsum(axis=1)], axis=1)
    sizes = 3 + QUANTUM * np.arange(4)
    split = np.stack([np.diff(seconds, prepend=0), np.diff(sizes, prepend=0) - np.diff(seconds, prepend=0)], axis=-1)
    chances = log_orders(split) + split @ np.log([frequency, 1 - frequency])
    past = np.stack([seconds, sizes - seconds], axis=-1)
    total = np.zeros(len(blocks))
    windows = 0
    for events in (16, 32, 48):
        for start, log_weight in windows_due(events):
            before, now = past[:, start // QUANTUM], past[:, events // QUANTUM]
            total += np.exp(log_weight + log_split_evidence(before, now - before))
            windows += 1
    assert windows == 3
    assert np.exp(chances.sum(axis=1)).sum() == pytest.approx(1)
    assert np.exp(chances.sum(axis=1)) @ total <= 1


def test_the_weights_of_all_windows_sum_to_at_most_one():
    events = range(QUANTUM, 2**15, QUANTUM)
    windows = [(start, end, weight) for end in events for start, weight in windows_due(end)]
    assert len({(start, end) for start, end, _ in windows}) == len(windows)
    assert 0.5 < sum(math.exp(weight) for *_, weight in windows) <= 1


@pytest.mark.parametrize("frequencies", [(0.5, 0.5), (0.1, 0.2, 0.7), (0.01, 0.99)])
def test_known_evidence_is_a_martingale(frequencies):
    null = np.array(frequencies)
    for events in (1, 5, 12):
        counts = np.array(compositions(events, len(null)))
        chances = np.exp(log_orders(counts) + counts @ np.log(null))
        assert chances @ np.exp(log_mixture_evidence(counts, null)) == pytest.approx(1, abs=1e-9)


def test_patterns_that_the_known_reference_lacks_can_only_lower_the_evidence():
    null = np.array([0.6, 0.4, 0.01])  # the last was never seen and counts as seen once in a hundred
    counts = np.array(compositions(10, 2))
    chances = np.exp(log_orders(counts) + counts @ np.log(null[:2]))
    padded = np.concatenate([counts, np.zeros((len(counts), 1), dtype=int)], axis=1)
    assert chances @ np.exp(log_mixture_evidence(padded, null)) <= 1
    assert np.isfinite(log_mixture_evidence(np.array([0, 0, 10]), null))


# The class does what the functions say.


def test_the_alarm_sums_all_windows_that_are_due():
    rng = np.random.default_rng(8)
    reference = panel(rng.multinomial(700, USUAL))
    alarm = PanelAlarm(reference)
    cells = np.array(reference.cells())
    past = [np.zeros(8, dtype=np.int64)]
    total, seen = 0.0, np.zeros(8, dtype=np.int64)
    for event, place in enumerate(rng.choice(8, size=3000, p=USUAL), start=1):
        alarm.update(PATTERNS[place])
        seen[place] += 1
        if event % QUANTUM == 0:
            past.append(seen.copy())
            for start, weight in windows_due(event):
                before = past[start // QUANTUM]
                total += math.exp(weight + log_split_evidence(cells + before, seen - before))
    assert alarm.log_evidence == pytest.approx(math.log(0.01 + 0.99 * total), abs=1e-9)
    assert alarm.since == panel(seen)


def test_marks_are_few_and_all_that_windows_need_are_there():
    history = History(panel([1] * 8), views_of(3, 2))
    for _ in range(2000):
        history.add(0, QUANTUM)
        history.mark()
        assert all(start in history for start, _ in windows_due(history.events))
    assert len(history.marks) < 60


@pytest.mark.parametrize("known", [True, False])
def test_the_stream_may_come_in_any_portions_of_equal_events(known):
    reference = panel([100] * 8)
    one, many = PanelAlarm(reference, known=known), PanelAlarm(reference, known=known)
    for pattern, times in [(PATTERNS[3], 40), (PATTERNS[5], 7), (PATTERNS[3], 100), (PATTERNS[0], 33)]:
        one.update(pattern, times)
        for _ in range(times):
            many.update(pattern)
    assert one.log_evidence == many.log_evidence
    assert (one.alarmed_at, one.path, one.since) == (many.alarmed_at, many.path, many.since)


def test_a_flood_of_equal_events_is_counted_whole():
    alarm = PanelAlarm(panel([10**6] * 8))
    assert alarm.update(PATTERNS[0], 10**12)
    assert alarm.events == alarm.since.size == 10**12
    assert alarm.alarmed_at < 10**4


def test_an_alarm_stays_and_its_memory_is_bounded():
    rng = np.random.default_rng(1)
    reference = panel(rng.multinomial(5000, USUAL))
    alarm = watched(reference, CHANGES["ann 60%"], 3000, rng)
    raised, changed = alarm.alarmed_at, alarm.changed_at
    assert raised is not None
    for place in rng.choice(8, size=20_000, p=USUAL):
        assert alarm.update(PATTERNS[place])
    assert (alarm.alarmed_at, alarm.changed_at) == (raised, changed)
    assert alarm.since_change.size == alarm.events - changed
    assert alarm.since_change.size + alarm.before_change.size == alarm.events + reference.size
    assert len(alarm.path) <= 514
    assert alarm.path[0][0] == 0
    assert alarm.path[-1] == (alarm.events, alarm.log_evidence)


@pytest.mark.parametrize("known", [True, False])
def test_a_pattern_that_was_never_seen_is_finite_evidence(known):
    alarm = PanelAlarm(panel([500, 0, 0, 0, 0, 0, 0, 500]), known=known)
    alarm.update((0, 1, 0), QUANTUM)
    alarm.update((0, 0, -1), QUANTUM)
    assert math.isfinite(alarm.log_evidence)
    assert alarm.alarmed_at is not None


def test_votes_may_be_given_by_name():
    alarm, same = PanelAlarm(panel([5] * 8)), PanelAlarm(panel([5] * 8))
    alarm.update({"ann": "yes", "cyd": "no"}, times=48)
    same.update((0, -1, 1), times=48)
    assert alarm.log_evidence == same.log_evidence
    assert dict(alarm.since) == {(0, -1, 1): 48}


# Validity and power by simulation.


def blocks_of(rng, frequencies, events, runs):
    """Counts so far after every 16 events: (events / 16 + 1, runs, patterns)."""
    each = rng.multinomial(QUANTUM, frequencies, size=(events // QUANTUM, runs))
    return np.concatenate([np.zeros((1, runs, len(frequencies)), dtype=np.int64), each.cumsum(axis=0)])


def raised_against_reference(references, past):
    """Which of many streams at once raise the alarm at 95%, by the sum over all windows."""
    total = np.full(past.shape[1], -np.inf)
    for block in range(1, len(past)):
        due = list(windows_due(block * QUANTUM))
        if due:
            before = past[[start // QUANTUM for start, _ in due]]
            each = log_split_evidence(references + before, past[block] - before)
            total = np.logaddexp(total, np.logaddexp.reduce(each + np.array([[weight] for _, weight in due])))
    return np.logaddexp(math.log(0.01), math.log(0.99) + total) >= math.log(20)


def raised_against_known(frequencies, past):
    """The same against known frequencies, looked at every 128 events: fewer looks than the alarm has."""
    raised = np.zeros(past.shape[1], dtype=bool)
    for block in range(8, len(past), 8):
        starts = np.arange(0, block, 8)
        kept = starts[(starts == 0) | (block - starts < 4 * (starts & -starts))]
        places = kept // 8
        each = log_mixture_evidence(past[block] - past[kept], frequencies)
        shares = each - np.log((places + 1.0) * (places + 2.0))[:, None]
        raised |= np.logaddexp(-math.log(block // 8 + 1), np.logaddexp.reduce(shares)) >= math.log(20)
    return raised


def test_the_simulation_of_known_frequencies_is_the_class():
    rng = np.random.default_rng(21)
    past = blocks_of(rng, USUAL, 2048, 1)
    alarm = PanelAlarm(panel(np.round(USUAL * 10**12)), known=True)
    for block in np.diff(past[:, 0], axis=0):
        for place in np.repeat(np.arange(8), block):
            alarm.update(PATTERNS[place])
    starts = np.arange(0, 128, 8)
    kept = starts[(starts == 0) | (128 - starts < 4 * (starts & -starts))]
    each = log_mixture_evidence(past[128, 0] - past[kept, 0], np.round(USUAL * 10**12) / 10**12)
    expected = np.logaddexp(-math.log(17), np.logaddexp.reduce(each - np.log((kept / 8 + 1) * (kept / 8 + 2))))
    assert alarm.log_evidence == pytest.approx(expected, abs=1e-6)


def test_false_alarms_with_a_known_reference_are_rare_over_a_long_run():
    """400 streams of 20,000 events: 5% and twice the Monte Carlo error of 1.1% allow 28. Seen: 7."""
    past = blocks_of(np.random.default_rng(31), USUAL, 20_000, 400)
    raised = raised_against_known(USUAL, past)
    assert 1 <= raised.sum() <= 28


@pytest.mark.parametrize("size", [200, pytest.param(2000, marks=pytest.mark.slow), 10_000])
def test_false_alarms_with_a_sampled_reference_are_rare_over_a_long_run(size):
    """100 streams of 20,000 events each with a reference of its own: 5% and twice the error of 2.2% allow 9."""
    rng = np.random.default_rng(size)
    past = blocks_of(rng, USUAL, 20_000, 100)
    assert raised_against_reference(rng.multinomial(size, USUAL, size=100), past).sum() <= 9


def test_taking_a_sample_for_the_truth_raises_false_alarms():
    """Why the size of the reference matters: the same streams against 2,000 items taken as known."""
    rng = np.random.default_rng(5)
    past = blocks_of(rng, USUAL, 6000, 40)
    references = rng.multinomial(2000, USUAL, size=40)
    taken = [raised_against_known(np.maximum(each, 1) / 2000, past[:, [run]])[0] for run, each in enumerate(references)]
    assert np.mean(taken) > 0.3
    assert raised_against_reference(references, past).mean() <= 0.1


@pytest.mark.parametrize(
    ("change", "known", "usual", "most"),
    [
        ("ann 60%", True, 0, 400),
        ("ann 60%", False, 0, 700),
        ("ann 60%", True, 3000, 700),
        ("ann 60%", False, 3000, 1200),
        ("prevalence 42%", True, 0, 900),
        ("prevalence 42%", False, 0, 1600),
    ],
)
def test_a_change_is_seen_soon(change, known, usual, most):
    """The median of seven streams; a change after 3,000 usual events takes about half as long again."""
    delays = []
    for seed in range(7):
        rng = np.random.default_rng(seed)
        reference = panel(np.round(USUAL * 10**12) if known else rng.multinomial(10_000, USUAL))
        alarm = watched(reference, CHANGES[change], 2 * most, rng, known=known, usual=usual)
        delays.append((alarm.alarmed_at or math.inf) - usual)
    assert 0 < np.median(delays) <= most


def test_a_longer_reference_sees_smaller_changes():
    rng = np.random.default_rng(17)
    past = blocks_of(rng, CHANGES["ann 75%"], 6000, 40)
    found = [raised_against_reference(rng.multinomial(n, USUAL, size=40), past).mean() for n in (500, 10_000, 100_000)]
    assert found[0] < 0.2 < found[1] < found[2]
    assert found[2] > 0.8


# More judges, more labels, gaps.


def many_votes(rng, items, judges, labels, accuracy, shares, missing):
    truth = rng.choice(labels, size=items, p=shares)[:, None]
    wrong = (truth + rng.integers(1, labels, size=(items, judges))) % labels
    votes = np.where(rng.random((items, judges)) < accuracy, truth, wrong)
    votes[rng.random((items, judges)) < missing] = -1
    return [tuple(row) for row in votes.tolist()]


@pytest.mark.parametrize(
    ("judges", "labels", "missing"), [(2, 2, 0.0), (5, 2, 0.0), (7, 2, 0.1), (18, 2, 0.7), (3, 3, 0.1)]
)
def test_panels_of_all_kinds_are_watched(judges, labels, missing):
    rng = np.random.default_rng(judges)
    names = [f"j{place}" for place in range(judges)]
    usual, moved = np.full(judges, 0.8), np.array([0.8] * (judges - 1) + [0.5])
    shares = np.full(labels, 1 / labels)
    reference = Sketch(names, range(labels))
    for pattern in many_votes(rng, 3000, judges, labels, usual, shares, missing):
        reference.count(pattern)
    alarm = PanelAlarm(reference)
    for pattern in many_votes(rng, 400, judges, labels, usual, shares, missing):
        assert not alarm.update(pattern)
    for pattern in many_votes(rng, 1500, judges, labels, moved, shares, missing):
        if alarm.update(pattern):
            break
    assert alarm.alarmed_at is not None
    found = alarm.explain()
    if judges > 2:
        assert found.culprits == (names[-1],)
    else:
        assert "three judges" in found.reason
        assert found.rates[0].what == "j0 and j1 agree"


def test_views_sort_every_pattern_into_cells_and_share_one_weight():
    for judges, labels in [(2, 2), (3, 2), (4, 2), (5, 2), (7, 2), (3, 3), (4, 3), (17, 2)]:
        views = views_of(judges, labels)
        assert views.whole + sum(view.weight for view in views.others) == pytest.approx(1)
        rng = np.random.default_rng(judges)
        for pattern in rng.integers(-1, labels, size=(20, judges)).tolist():
            for view in views.others:
                cells = view.of(tuple(pattern))
                assert len(cells) == view.count
                assert all(0 <= cell < view.cells for cell in cells)


def test_a_judge_is_seen_beside_what_most_others_say():
    view = views_of(5, 2).others[0]
    # The votes plus one times three, plus the label of most others, or 2 where there is none.
    assert view.of((0, 0, 1, 1, -1)) == [3 + 1, 3 + 1, 6 + 0, 6 + 0, 0 + 2]


# What moved.


@pytest.mark.parametrize(
    ("change", "culprit"), [("ann 60%", "ann"), ("cyd 65%", "cyd"), ("prevalence 42%", "prevalence")]
)
def test_the_explanation_names_what_moved(change, culprit):
    right = 0
    for seed in range(6):
        rng = np.random.default_rng(100 + seed)
        reference = panel(rng.multinomial(8000, USUAL))
        alarm = watched(reference, CHANGES[change], 5000, rng, usual=800)
        assert alarm.alarmed_at is not None
        right += alarm.explain().culprits == (culprit,)
    assert right >= 5


def test_what_moved_recovers_the_size_of_the_change():
    before, since = panel(np.round(USUAL * 10**6)), panel(np.round(CHANGES["cyd 65%"] * 10**6))
    found = what_moved(before, since)
    parts = {part.name: part for part in found.parts}
    assert found.culprits == ("cyd",)
    assert parts["cyd"].before == pytest.approx((0.8, 0.8), abs=1e-3)
    assert parts["cyd"].since == pytest.approx((0.65, 0.65), abs=1e-3)
    assert parts["cyd"].z > 30
    assert all(parts[name].z < 1 for name in ("ann", "bob", "prevalence"))
    assert str(found) == (
        "judge cyd moved: accuracy on yes 80% -> 65%, on no 80% -> 65%; no other judge moved clearly, nor did the "
        "prevalence (only if the judges share nothing but the truth)"
    )


def test_a_shift_of_the_prevalence_is_laid_to_no_judge():
    found = what_moved(panel(np.round(USUAL * 10**6)), panel(np.round(CHANGES["prevalence 42%"] * 10**6)))
    reserve = "(only if the judges share nothing but the truth)"
    assert str(found) == f"prevalence moved: yes 30% -> 42%; no judge moved clearly {reserve}"


def test_two_parts_can_move_at_once():
    both = vote_frequencies(0.4, [(0.8, 0.8), (0.65, 0.7), (0.8, 0.8)])
    found = what_moved(panel(np.round(USUAL * 10**5)), panel(np.round(both * 10**5)))
    assert found.culprits == ("prevalence", "bob")
    assert "no other judge moved clearly" in str(found)


def test_where_nothing_moved_nothing_is_named():
    named = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        found = what_moved(panel(rng.multinomial(5000, USUAL)), panel(rng.multinomial(1000, USUAL)))
        named += bool(found.culprits)
    assert named <= 1  # one in a hundred by design
    assert str(found) == "no single judge and no prevalence moved clearly; seen: no share of votes moved clearly"


def test_dependent_judges_are_compared_by_what_is_seen():
    before, since = panel([40, 2, 1, 7, 9, 6, 5, 30]), panel([10, 2, 1, 7, 39, 6, 5, 30])
    found = what_moved(before, since)
    assert found.parts == ()
    assert found.rates[0].z == pytest.approx(-0.3 / math.sqrt(0.35 * 0.65 * (1 / 100 + 1 / 100)))
    assert found.reason.startswith("three judges who err independently do not vote like this")
    assert str(found).endswith(
        "seen: ann votes yes 50% -> 20%, ann and bob agree 77% -> 47%, ann and cyd agree 77% -> 47%"
    )
    assert json.dumps(found.to_json())


def test_four_judges_who_do_not_err_independently_are_found_out():
    twins = np.zeros((2, 2, 2, 2))
    for pattern, share in zip(PATTERNS, USUAL, strict=True):
        twins[(*pattern, pattern[2])] = share  # dan says what cyd says, but for one item in ten
    mixed = 0.9 * twins + 0.1 * twins.sum(axis=3, keepdims=True) / 2
    before = Sketch.from_cells("abcd", ["yes", "no"], np.round(mixed.ravel() * 3000).astype(int).tolist())
    found = what_moved(before, before)
    assert found.reason.startswith("judges who err independently do not vote like this: G-squared")


# The rest of the surface.


def test_a_pair_that_copies_is_found_out_in_a_panel_with_gaps():
    rng = np.random.default_rng(2)
    sketch = Sketch("abcdefg", ["yes", "no"])
    for pattern in many_votes(rng, 3000, 7, 2, np.full(7, 0.8), [0.5, 0.5], 0.1):
        sketch.count((*pattern[:6], pattern[0] if rng.random() < 0.5 else pattern[6]))
    found = what_moved(sketch, sketch)
    assert "a and g agree more than that explains" in found.reason


def test_it_reads_as_a_sentence_and_serialises():
    alarm = PanelAlarm(panel([50] * 8))
    alarm.update((0, 0, 0), 16)
    assert str(alarm) == "no alarm: 16 events, evidence 0.01 of 20 needed (95%, valid while you watch)"
    alarm.update((0, 0, 0), 184)
    assert str(alarm).startswith("ALARM after 32 events: votes have changed, by the looks of it since event 0")
    entry = json.loads(json.dumps(alarm.to_json(), allow_nan=False))
    assert (entry["events"], entry["alarmed_at"]) == (200, 32)
    assert alarm.threshold == pytest.approx(math.log(20))


def test_it_draws_on_the_axes_it_is_given():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    alarm = PanelAlarm(panel([50] * 8))
    alarm.update((0, 0, 0), 200)
    alarm.draw(axes)
    assert axes.get_xlabel() == "events"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "evidence of a change",
        "alarm at 20",
        "raised after 32",
    ]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: PanelAlarm(panel([0] * 8)), "reference holds no item"),
        (lambda: PanelAlarm(panel([1] * 8), level=95), "level=95"),
        (lambda: PanelAlarm(panel([10**12] * 8)), "take a sample"),
        (lambda: PanelAlarm(panel([1] * 8)).update((0, 1)), r"pattern=\(0, 1\)"),
        (lambda: PanelAlarm(panel([1] * 8)).update((0, 1, 2)), "from 0 to 1"),
        (lambda: PanelAlarm(panel([1] * 8)).update({"dan": "yes"}), "judge='dan'"),
        (lambda: PanelAlarm(panel([1] * 8)).update((0, 1, 1), times=-1), "times=-1"),
        (lambda: what_moved(panel([1] * 8), Sketch(["ann"], ["yes", "no"])), "same judges"),
    ],
)
def test_errors_name_the_value_and_the_remedy(call, said):
    with pytest.raises(InvalidInput, match=said) as error:
        call()
    assert "\n" not in str(error.value)
