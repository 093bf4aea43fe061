"""The benchmark of hunts: tasks apart, runs that go on, and its arithmetic."""

import json

import numpy as np
import pytest

import bench_blind_cost
import bench_blind_next
import bench_blind_rate
import blind_tasks
from bench_blind import PARTS, SHORT, main
from bench_blind_rate import ALONE, WAYS, widths
from bench_blind_rate import main as rates
from blind_pools import _measured_part
from blind_runs import SEARCHES, Pool, _hunted, contents
from blind_runs import Run as Hunt
from blind_tables import by_task, gaps, geometric, report
from blind_tasks import FRESH, RESERVED, SEEN, TUNING, Trained
from confident_errors.tasks import TASKS as CASE_STUDY
from kept_lines import forget, lines_of
from ringtrue.blind._rate import Answered

MAKERS = (
    "adult",
    "crowds",
    "held_out",
    "images",
    "mushrooms",
    "pocketed",
    "service",
    "steps",
    "straight",
    "waves",
    "working",
)


def shifting(shifted):
    """What a shift does to an image, as bytes, whoever wrote it."""
    image = np.random.default_rng(0).random((1, 8, 8, 3)).astype(np.float32)
    return np.round(image if shifted is None else shifted(image), 4).tobytes()


def split_in(ones, others):
    return frozenset((frozenset(ones), frozenset(others)))


def likeness(task, monkeypatch):
    """What a task is made from: those that agree in it are one task, whatever the model and the name.

    Images by their data, the classes told apart and what is done to those that the model is asked about.
    """
    made, seen = task.made, []
    for name in MAKERS:
        monkeypatch.setattr(blind_tasks, name, lambda *given, name=name, **more: seen.append((name, given, more)))
    for make in (made.items,) if isinstance(made, Trained) else made.answers:
        make(*[0] * isinstance(made, Trained))
    if seen[0][0] == "images":
        ((_, (data, ones, others), _),) = seen
        return {("images", data, split_in(ones, others), shifting(made.shifted))}
    critical = made.critical if isinstance(made, Trained) else None
    return {(name, given, tuple(more.items()), critical) for name, given, more in seen}


def of_case_study(task):
    return ("images", task.data, split_in(task.critical, task.other), shifting(task.shifted))


def test_no_task_is_both_tuned_on_and_reserved(monkeypatch):
    assert not TUNING.keys() & RESERVED.keys()
    assert not SEEN.keys() & FRESH.keys()
    assert min(len(TUNING), len(FRESH)) >= 8
    assert set(SHORT) <= RESERVED.keys()
    assert set(PARTS["tuning"]) == set(TUNING)
    tuned = {of_case_study(task) for task in CASE_STUDY}
    tuned = tuned.union(*(likeness(task, monkeypatch) for task in TUNING.values()))
    assert [name for name, task in RESERVED.items() if tuned & likeness(task, monkeypatch)] == []
    # F_shift of the case study with other models once stood among the reserved tasks.
    assert likeness(TUNING["garments-washed"], monkeypatch) <= {of_case_study(task) for task in CASE_STUDY}
    seen = set().union(*(likeness(task, monkeypatch) for task in SEEN.values()))
    assert not any(seen & likeness(task, monkeypatch) for task in FRESH.values())


def pool(n=120, distances=True):
    rng = np.random.default_rng(0)
    confidence = 0.6 + 0.4 * rng.random(n)
    known = {
        "label": np.ones(n, dtype=np.int64), "confidence": confidence, "neighbours": rng.random(n),
        "nearness": rng.standard_normal(n), "space": rng.standard_normal((n, 3)), "scope": np.full(n, n),
    }  # fmt: skip
    if distances:
        known["distance"] = rng.random(n) + 0.1
    return Pool(known, rng.random(n) < 1 - confidence)


@pytest.mark.parametrize("search", SEARCHES)
def test_every_search_asks_its_budget_and_says_what_it_found(search):
    errors, admitted, seconds = _hunted(Hunt("task", 0, search), pool(), 0)
    assert 0 <= errors[0] <= errors[1] <= 50
    assert 0 < admitted[0] < admitted[1]
    assert seconds >= 0


def test_a_search_by_distance_is_left_out_where_there_is_none():
    assert _hunted(Hunt("task", 0, "adversarial-distance"), pool(distances=False), 0) is None


def test_only_so_many_items_are_measured(monkeypatch):
    monkeypatch.setattr("blind_pools.MEASURED", 50)
    every = pool()
    known = {**every.scores, **dict.fromkeys(("cluster", "bin", "bin_items", "clusters"), np.zeros(120))}
    part, rows = _measured_part(known, 0)
    assert len(rows) == 50
    assert part["confidence"].tolist() == every.scores["confidence"][rows].tolist()


def line(task, search, seed, errors, admitted):
    return {
        "task": task, "search": search, "seed": seed, "errors": [errors], "admitted": [admitted], "seconds": 0.002,
        **({"code": "a"} if search in ("errors", "excess") else {}),
    }  # fmt: skip


@pytest.fixture
def lines():
    """On one task both goals find 8 and 20 errors where 2 and 6 are admitted, the habits half as many."""
    found = []
    for seed in range(4):
        for search in ("errors", "excess"):
            found.append(line("shop", search, seed, [8 + seed % 2, 20], [2.0, 6.0]))
        for habit in ("lowest-confidence", "adversarial-distance", "neighbours", "random"):
            found.append(line("shop", habit, seed, [4, 10], [3.0, 7.0]))
    return found


def test_the_gap_is_that_to_the_best_habit_on_the_same_pools(lines):
    better = [line("shop", "neighbours", seed, [9, 10], [3.0, 7.0]) for seed in range(4)]
    found = by_task([one for one in lines if one["search"] != "neighbours"] + better)
    ahead, error = gaps(found, "errors", 0)["shop"]
    assert ahead.tolist() == [-0.5, 10]
    assert error == pytest.approx([np.std([-1, 0, -1, 0], ddof=1) / 2, 0])
    assert geometric(found, "random", 0, ["shop"]) == pytest.approx(1)


def test_the_report_says_what_holds(lines):
    text, good = report(lines)
    assert good
    assert "BROKEN" not in text
    assert (
        "| **learning, `--goal errors`** | 1 | 8.5 ± 0.3 | 20.0 ± 0.0 | 6.5 ± 0.3 | 14.0 ± 0.0 | 6.5 | 14.0 | 2.0 |"
        in text
    )
    worse = [line("shop", "errors", seed, [2, 5], [2.0, 5.0]) for seed in range(4)]
    text, good = report([one for one in lines if one["search"] != "errors"] + worse)
    assert not good
    assert "`--goal errors`, errors in 50: at most 1 behind the best habit of each task: −5.0 ± 0.0 on shop" in text
    text, _ = report([*lines, {**lines[0], "code": "b"}])
    assert "by 2 versions of its code" in text


def test_searches_on_different_pools_are_not_compared_unseen(lines):
    same = [{**one, "pools": f"of seed {one['seed']}"} for one in lines]
    assert "different pools" not in report(same)[0]
    text, _ = report([*same[:-1], {**same[-1], "pools": "made another way"}])
    assert "Searches hunted in different pools here: measure them again, with --again: shop." in text
    assert contents([pool()]) == contents([pool()]) != contents([pool(119)])


def test_what_is_kept_is_told_and_forgotten(tmp_path, capsys, lines):
    path = tmp_path / "blind.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines) + '{"task": "sh', encoding="utf-8")
    assert main(["--table", str(path)]) == 0
    assert "#### Reserved tasks" in capsys.readouterr().out
    forget(path, lambda line: line["search"] in ("errors", "random") and line["task"] == "shop")
    assert {one["search"] for one in lines_of(path)} == {
        "excess", "lowest-confidence", "adversarial-distance", "neighbours",
    }  # fmt: skip


def test_widths_shrink_to_nothing_when_all_is_known():
    answers = [Answered(float(place % 3 == 0), float(place % 3 == 0), True) for place in range(30)]
    found = widths(answers, 30, [10, 20, 30])
    assert found[0] > found[1] > found[2] == pytest.approx(0)
    assert "no scores" in ALONE


def test_rates_are_kept_and_told_by_use(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("bench_blind_rate.pools_of", lambda task, seed: [pool(100 + seed)])
    path = tmp_path / "rates.jsonl"
    given = ["--tasks", "table-steps", "table-straight", "--seeds", "2", "--answers", "20", "40", "--out", str(path)]
    assert rates(given) == 0
    told = capsys.readouterr().out
    assert "1 reserved tasks, 2 models of each" in told
    assert told.count("| all at random, with the scores |") == 2
    assert len(lines_of(path)) == 2 * 2 * len(WAYS)
    assert rates(given) == 0
    assert capsys.readouterr().out == told
    assert len(lines_of(path)) == 2 * 2 * len(WAYS)


def test_a_pool_with_fewer_items_than_answers_is_left_out(monkeypatch, capsys):
    monkeypatch.setattr("bench_blind_rate.pools_of", lambda task, seed: [pool(100 if task == "shop" else 30)])
    assert rates(["--tasks", "shop", "table-steps", "--seeds", "1", "--answers", "40"]) == 0
    assert "1 reserved tasks" in capsys.readouterr().out


def test_every_answer_of_a_hunt_is_timed_and_told(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{bench_blind_cost.BEGIN}\n{bench_blind_cost.END}\nafter", encoding="utf-8")
    monkeypatch.setattr(bench_blind_cost, "PAGE", page)
    assert len(bench_blind_cost.costs(300, "excess", 0.5, 20)) == 20
    assert bench_blind_cost.main(["--items", "300", "--answers", "70", "--write"]) == 0
    told = capsys.readouterr().out
    assert told.count("| 300 | `--goal ") == len(bench_blind_cost.HUNTS)
    assert "answers 61 to 70" in told
    assert told.strip() in page.read_text(encoding="utf-8")


def test_what_is_foretold_of_the_next_picks_is_set_beside_what_they_find(monkeypatch):
    monkeypatch.setattr("bench_blind_next.pools_of", lambda task, seed: [pool()])
    admitted, foretold, at_once, later = bench_blind_next.compared("task", 0, "errors", 20)
    assert 0 < admitted < 20
    assert 0 < foretold < 20
    assert 0 <= at_once <= 20
    assert 0 <= later <= 20
    assert np.isnan(bench_blind_next.compared("task", 0, "errors", 70)).all()


def test_what_random_draws_cost_is_told_by_the_table():
    """The page's sentences quote the first table, that of the reserved tasks."""
    page = bench_blind_rate.PAGE.read_text(encoding="utf-8")
    told, table = page.split("### What random draws tell, and cost")[1].split(bench_blind_rate.BEGIN)
    rows = {}
    for line in table.split("tuning tasks")[0].splitlines():
        if any(line.startswith(f"| {way} |") for way in WAYS):
            name, *cells = line.strip("| ").split(" | ")
            rows[name] = [float(cell.split()[0]) for cell in cells]
    told = " ".join(told.split())
    fifth, half, most, scores, alone = (rows[way] for way in WAYS)
    assert f"is {fifth[0]:.0f} points wide after 50 answers" in told
    assert f"{half[0]:.0f} with a half, {most[0]:.0f} with four fifths, and {scores[0]:.0f} where all are" in told
    assert f"{alone[0]:.0f} where all are random" in told
    assert half[3] / alone[3] == pytest.approx(2, abs=0.2)
    narrower = [round(100 * (1 - ours / plain)) for ours, plain in zip(scores[:3], alone[:3], strict=True)]
    assert "{} % narrower after 50 answers, {} % after 100 and {} % after 200".format(*narrower) in told
