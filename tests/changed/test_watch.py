"""A watch: whom it asks, when it raises an alarm, and how seldom it does so of an unchanged model."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import kstest

from ringtrue.changed import Watch
from ringtrue.changed.watch import Alarm, Strangeness, nearest
from ringtrue.changed.watch._alarm import _gains
from ringtrue.core import InvalidInput, Verdict, View
from ringtrue.stats import generator
from ringtrue.study import Study
from support.shifts import frame, pool


def watched(questions=20, baseline=100, year=365, **options):
    return Alarm(questions=questions, baseline=baseline, year=year, seed=3, **options)


def answers(alarm, run, *, noise, moved=0.0, after=0, calls=200, questions=20):
    """Tell an alarm of a model that gives odd answers, by item at other rates, and changes some items for good."""
    rng = generator(run, "watched model")
    odd, changes = rng.exponential(noise, questions), rng.random(questions) < moved
    for call in range(calls):
        item = int(rng.integers(questions))
        usual = "after" if changes[item] and call >= after else "before"
        alarm.take(item, str(rng.integers(3)) if rng.random() < odd[item] else usual)
        if alarm.raised_at is not None:
            return
    return


def test_shares_of_an_unchanged_model_are_uniform():
    """Whatever the noise of each item; 3,000 shares and a Kolmogorov-Smirnov test that errs once in a thousand."""
    rng, shares = np.random.default_rng(2), []
    for noise in (0.0, 0.1, 0.5):
        seen, odd = Strangeness(10), rng.exponential(noise, 10) if noise else np.zeros(10)
        for _ in range(1_000):
            item = int(rng.integers(10))
            answer = int(rng.integers(1, 5)) if rng.random() < odd[item] else 0
            shares.append(seen.take(item, answer, float(rng.random())))
    assert kstest(shares, "uniform").pvalue > 0.001


def test_the_share_of_a_strange_answer_counts_those_as_strange():
    seen = Strangeness(2)
    for _ in range(4):
        assert seen.take(0, "a", 1.0) == 1.0
    assert seen.take(1, "x", 0.5) == 0.5  # nobody disagrees with the only answer to a question
    assert seen.take(0, "b", 1.0) == pytest.approx(1 / 6)
    assert seen.take(0, "b", 0.5) == pytest.approx(1 / 7)  # one of four others agrees with either of the two


@pytest.mark.parametrize("pairs", [1, 7, 200])
def test_bets_are_fair(pairs):
    """The mean of each bet over a uniform share is one: what it pays below its width and above, by their parts."""
    shares = (np.arange(280_000) + 0.5) / 280_000
    paid = np.mean([np.exp(_gains(float(share), pairs)) for share in shares[::40]], axis=0)
    np.testing.assert_allclose(paid, 1.0, atol=0.02)


def test_an_unchanged_model_seldom_raises_an_alarm():
    """100 years of each of two noises, at most one in twenty, and three standard errors: 22 of 200 are too many."""
    raised = 0
    for run, noise in ((run, noise) for run in range(100) for noise in (0.02, 0.2)):
        alarm = watched(baseline=60, year=150)
        answers(alarm, run, noise=noise, calls=60 + 150)
        raised += alarm.raised_at is not None
    assert raised <= 200 * 0.05 + 3 * math.sqrt(200 * 0.05 * 0.95)


@pytest.mark.parametrize(("noise", "most"), [(0.0, 12), (0.05, 25)])
def test_a_change_of_half_the_sentinels_is_found_within_weeks(noise, most):
    found = []
    for run in range(20):
        alarm = watched()
        answers(alarm, run, noise=noise, moved=0.5, after=160, calls=400)
        found.append(math.inf if alarm.raised_at is None else alarm.raised_at - 160)
    assert np.median(found) <= most


def test_evidence_of_a_change_late_in_the_year_is_as_good():
    """Bets that begin every day are not worn out by months in which nothing happened."""
    delays = {}
    for after in (130, 400):
        found = []
        for run in range(15):
            alarm = watched()
            answers(alarm, run, noise=0.02, moved=0.6, after=after, calls=after + 60)
            found.append(60 if alarm.raised_at is None else alarm.raised_at - after)
        delays[after] = np.median(found)
    assert delays[400] <= delays[130] + 4


def test_a_year_has_its_own_stake():
    """The last call of a year bets with all of it, and the first of the next with a part of a new one."""
    alarm = watched(questions=1, baseline=1, year=10)
    for _ in range(11):
        alarm.take(0, "same")
    before = alarm.log_evidence
    alarm.take(0, "same")
    assert abs(alarm.log_evidence) < 0.1 < abs(before)


def test_evidence_of_an_unchanged_model_is_one_on_average():
    """4,000 watches of 12 calls; the evidence of few calls is not yet so skewed that a mean says nothing."""
    found = []
    for run in range(4_000):
        alarm = Alarm(questions=3, baseline=6, year=12, seed=run)
        answers(alarm, run, noise=0.3, calls=18, questions=3)
        found.append(math.exp(alarm.log_evidence))
    assert np.mean(found) == pytest.approx(1.0, abs=4 * np.std(found) / math.sqrt(4_000))
    assert np.std(found) > 0.05


def test_a_model_without_noise_is_proved_changed_by_one_answer():
    alarm = watched(questions=2, baseline=0, steady=True)
    alarm.expect(0, "a")
    alarm.expect(1, "b")
    for item, answer in ((0, "a"), (1, "b"), (1, "b")):
        alarm.take(item, answer)
        assert alarm.raised_at is None
    alarm.take(0, "c")
    assert alarm.raised_at == 4
    assert alarm.log_evidence == math.inf


def test_each_old_answer_has_its_turn_and_the_least_sure_come_first():
    rng = np.random.default_rng(1)
    old, sure = rng.integers(0, 3, 300), rng.random(300)
    chosen = nearest(old, sure, 30, seed=0)
    assert Counter(old[chosen].tolist()) == {0: 10, 1: 10, 2: 10}
    for answer in range(3):
        here = sure[old == answer]
        assert sorted(sure[chosen][old[chosen] == answer]) == sorted(here)[:10]


def test_what_is_not_known_of_confidence_is_chosen_by_chance():
    old, sure = np.zeros(200, dtype=int), np.full(200, np.nan)
    sure[7] = 0.99
    first, other = (nearest(old, sure, 20, seed=seed).tolist() for seed in (0, 1))
    assert first[0] == other[0] == 7
    assert set(first) != set(other)
    assert len(set(first)) == 20
    assert len(nearest(old, sure, 1_000, seed=0)) == 200


def test_sentinels_are_asked_by_chance_and_again():
    policy = Watch(list(range(5)), "old").policy
    asked = [policy.propose(View(4, step, 100, set(range(5)), []), 1)[0].row for step in range(500)]
    assert min(Counter(asked).values()) > 60  # 100 expected, 9 a standard deviation
    batch = policy.propose(View(4, 0, 100, set(), []), 5)
    assert [draw.row for draw in batch] == asked[: len(batch)]


def proposed(policy, steps, size):
    return [policy.propose(View(4, step, size, set(), []), 1)[0].row for step in range(steps)]


def test_a_steady_model_is_asked_about_a_sentinel_and_about_another_item_in_turn():
    sentinels = [7, 2, 40]
    watch = Watch(sentinels, "old", noise=0, fresh=True)
    asked = proposed(watch.policy, 2 * 3 * 97, 100)
    others = asked[1::2]
    assert set(asked[::2]) == set(sentinels)
    for start in range(0, 3 * 97, 97):  # each comes once before any comes again, in another order each time
        assert sorted(others[start : start + 97]) == [row for row in range(100) if row not in sentinels]
    assert others[:97] != others[97:194]
    batch = watch.policy.propose(View(4, 10, 100, set(), []), 4)
    assert [draw.row for draw in batch] == asked[10 : 10 + len(batch)]
    assert proposed(Watch([0, 1], "old", noise=0, fresh=True).policy, 9, 2).count(0) > 0, "a pool of sentinels alone"


def test_without_confidences_each_call_is_about_an_item_by_chance():
    """Of a steady model about one that is new, else about any, each time anew."""
    items = pool(changed=0)
    steady, varying = (Watch.of(items, old="old", noise=noise) for noise in (0, None))
    assert (steady.rows, steady.fresh, varying.rows, varying.fresh) == ([], True, [], True)
    size = items.size
    assert sorted(proposed(steady.policy, size, size)) == list(range(size))
    times = Counter(proposed(varying.policy, 40 * size, size))
    assert len(times) == size
    assert np.var(list(times.values())) == pytest.approx(40, rel=0.4)  # as chance gives, and not as turns would


def test_with_noise_and_confidences_only_sentinels_are_asked():
    watch = Watch.of(pool(), old="old", confidence="sure")
    assert (len(watch.rows), watch.fresh) == (20, False)
    assert set(proposed(watch.policy, 300, 4_000)) == set(watch.rows)
    assert len(Watch.of(pool(), old="old", confidence="sure", noise=0).rows) == 100


def test_an_unchanged_model_seldom_raises_an_alarm_where_items_are_asked_by_chance():
    """100 years; every fifth item answers otherwise now and then, and one in fifty always does."""
    raised = 0
    for run in range(100):
        rng = generator(run, "watched by chance")
        odd = np.where(rng.random(300) < 0.2, 0.3, 0.0)
        odd[rng.random(300) < 0.02] = 1.0
        alarm = Alarm(questions=1, baseline=60, year=150, seed=run)
        for _ in range(60 + 150):
            alarm.take(0, bool(rng.random() >= odd[int(rng.integers(300))]))
        raised += alarm.raised_at is not None
    assert raised <= 100 * 0.05 + 3 * math.sqrt(100 * 0.05 * 0.95)


@pytest.mark.parametrize("noise", [0, None])
def test_a_model_without_confidences_is_watched_in_a_study(tmp_path, noise):
    """It asks more often than the pool has items, finds nothing where nothing changed, and goes on after a stop."""
    items = pool(changed=0)
    watch = Watch.of(items, old="old", noise=noise, baseline=30)
    with Study.create(tmp_path / "s", pool=items, model="new", question=watch, batch=20) as study:
        study.run(most=50)
    with Study.open(tmp_path / "s", pool=items, model="new") as study:
        found = study.run(most=items.size)
        assert study.question().config() == watch.config()
    assert (found.answers, found.verdict) == (items.size + 50, Verdict.NOT_YET_KNOWN)
    assert "calls to items by chance; none differs" in str(found)
    told = found.to_json()
    assert (told["watched"], told["fresh"], told["sentinels"], told["others"]) == (0, True, [], [])
    assert "may spare all items that were asked about" in " ".join(told["assumptions"])


def test_a_change_that_spares_all_sentinels_is_proved_by_another_item(tmp_path):
    table = frame()
    spared = set(Watch.of(pool(), old="old", confidence="sure", noise=0, sentinels=10).rows)
    table["new"] = [old if row in spared else "other" for row, old in enumerate(table["old"])]
    from ringtrue.pools import read_pool

    items = read_pool(table, id="id")
    with Study.create(
        tmp_path / "s", pool=items, model="new", question=question(items, noise=0, sentinels=10)
    ) as study:
        found = study.run(most=5)
        page = found.to_json()
    assert found.raised_at == 2, "the first call is about a sentinel, the second about another item"
    assert [one["other"] for one in page["others"]] == [1]
    assert "1 differs from before" in str(found)


def test_a_study_of_an_earlier_version_goes_on_as_it_began():
    """Then a watch had sentinels alone, by chance where there were no confidences, and its journal says no more."""
    for noise in (None, 0):
        earlier = {
            "kind": "watch",
            "policy": "sentinels",
            "rows": [5, 3, 9],
            "old": "old",
            "baseline": 100,
            "year": 365,
        }
        again = Watch.from_config(earlier | ({} if noise is None else {"noise": noise}))
        assert (again.rows, again.fresh, again.noise) == ([5, 3, 9], False, noise)
        assert proposed(again.policy, 12, 4_000) == [3, 5, 9, 5, 3, 5, 3, 5, 3, 3, 5, 5]


def question(items, **options):
    return Watch.of(items, old="old", confidence="sure", **options)


def test_a_study_asks_one_call_at_a_time_and_goes_on(tmp_path):
    items = pool(changed=0.5)
    with Study.create(
        tmp_path / "s", pool=items, model="new", question=question(items, noise=0, sentinels=5), batch=20
    ) as study:
        found = study.run(most=1)
        assert found.answers == 1
    with Study.open(tmp_path / "s", pool=items, model="new") as study:
        for _ in range(20):
            found = study.run(most=1)
        assert found.verdict is Verdict.RINGS_FALSE
        assert "a proof" in str(found)
        assert found.raised_at == len(study.records)  # and nothing is asked after the alarm


def test_first_calls_are_asked_in_one_run_and_not_more(tmp_path):
    items = pool(changed=0)
    with Study.create(
        tmp_path / "s", pool=items, model="new", question=question(items, baseline=37), batch=20
    ) as study:
        assert study.run(most=37).answers == 37
        assert study.run(most=0).answers == 37
        found = study.run(most=3)
    assert (found.answers, found.calls) == (40, 3)
    assert found.verdict is Verdict.NOT_YET_KNOWN
    told = found.to_json()
    assert told["false_alarms_a_year"] == 0.05
    assert sum(one["before"] for one in told["sentinels"]) == 37
    assert "at most 5% of years" in told["sentence"]


def test_the_model_is_not_asked_about_other_items(tmp_path):
    table, asked = frame(), []

    def model(rows):
        asked.extend(row["text"] for row in rows)
        return ["c0" for _ in rows]

    from ringtrue.pools import read_pool

    items = read_pool(table, id="id")
    watch = question(items, sentinels=4, baseline=15)
    with Study.create(tmp_path / "s", pool=items, model=model, question=watch, batch=5) as study:
        study.run(most=20)
    assert set(asked) <= {table["text"][row] for row in watch.rows}
    assert len(asked) == 20


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"old": "nothing"}, "old='nothing' is not a column"),
        ({"confidence": "nothing"}, "confidence='nothing' is not a column"),
        ({"sentinels": 0}, "sentinels=0 must be at least 1"),
        ({"sentinels": 5, "confidence": None}, "sentinels=5 are chosen by the old confidences, and none is known"),
        ({"noise": 0.1}, "noise=0.1 must be 0 or left out"),
        ({"baseline": 0}, "baseline=0 must be at least 1"),
        ({"year": 0}, "year=0 must be at least 1"),
    ],
)
def test_errors_name_the_rule(options, says):
    with pytest.raises(InvalidInput, match=says):
        Watch.of(pool(), **{"old": "old", "confidence": "sure", **options})


def test_items_by_chance_beside_sentinels_need_a_model_without_noise():
    with pytest.raises(InvalidInput, match="fresh=True beside sentinels is for a model without noise"):
        Watch([1, 2], "old", fresh=True)
    with pytest.raises(InvalidInput, match="rows is empty"):
        Watch([], "old")


def test_a_claim_is_refused(tmp_path):
    items = pool()
    with (
        Study.create(tmp_path / "s", pool=items, model="new", question=question(items, noise=0)) as study,
        pytest.raises(InvalidInput, match="is not decided by a watch"),
    ):
        study.run(until="change <= 1%")
