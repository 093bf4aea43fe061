"""The benchmark of the desk: it measures what it says, in a browser where there is one. What it finds is not judged."""

import re
import shutil

import pytest

import bench_desk

pytest.importorskip("uvicorn", reason="the desk is not installed: pip install 'ringtrue[desk]'")


def lines_of(capsys, monkeypatch, folder):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(bench_desk, "CLEAR", 1)
    monkeypatch.setattr(bench_desk, "TURNS", 1)
    code = bench_desk.main((40, 80), measured=(2, 2), raters=2, each=2)
    told = capsys.readouterr().out.splitlines()
    assert code == any(line.endswith("BROKEN") for line in told)
    assert not list(folder.iterdir()), "all is gone in the end"
    return told


def ratios(told):
    """What each ratio is of."""
    found = [re.fullmatch(r"(.*): \d+\.\d\d \(.*", line) for line in told]
    return [one[1].partition(",")[0] for one in found if one]


RATES = ["first item", "answers of 2 raters over one", "answers of one rater over bare commits",
         "answers of 2 over bare commits"]  # fmt: skip


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed: apt-get install chromium")
def test_presses_and_requests_are_measured_at_each_size(capsys, monkeypatch, tmp_path):
    pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")
    told = lines_of(capsys, monkeypatch, tmp_path)
    assert ratios(told) == ["painted", "saved", "ask", "tell", *RATES]
    assert [line.partition(",")[0] for line in told if "first item after" in line] == ["40 rows", "80 rows"]


def test_without_a_browser_requests_are_measured_all_the_same(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(bench_desk.shutil, "which", lambda _: None)
    told = lines_of(capsys, monkeypatch, tmp_path)
    assert told[0] == "presses are not measured: chromium is not installed"
    assert ratios(told) == ["ask", "tell", *RATES]
