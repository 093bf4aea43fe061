"""The page about risk with its figures drawn: small, harmless, the same every time, and so in a real browser."""

import json

import numpy as np
import pytest

from report.maps import PROFILES, STRATA, map_finding, profile_of, stratum, study_document, with_more
from report.pages import assert_harmless
from report.test_browser import CHROMIUM, browse
from report.test_hostile import CORPUS
from ringtrue.core import cell
from ringtrue.report import render

LIMIT = 400_000
"""As for a comparison: three maps take what three matrices, two paths and slices take there."""


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return study_document(tmp_path_factory.mktemp("study"))


def page_of(made):
    text = render(made)
    assert len(text.encode()) < LIMIT
    assert "<image" not in text
    return text, assert_harmless(text)


def test_the_figures_and_what_they_are_read_aloud_as(plain):
    made = with_more(plain, map_finding(("speed", "load"), cells=40), strata=STRATA, profiles=PROFILES)
    text, page = page_of(made)
    assert render(json.loads(json.dumps(made))) == text, "the same document gives the same bytes"
    aloud = [found["aria-label"] for tag, found in page.elements if tag == "figure"]
    assert all(found["role"] == "img" for tag, found in page.elements if tag == "figure")
    drawings = text.split("<svg")[1:]
    expected = [
        ("after each answer", ["answers"]),
        ("interval of its failure rate", ["unsure", "30 of 100 failed, 15% of the pool"]),
        ("under each profile", ["fog", "refused", "interval at the top"]),
        ("Three maps", ["where inputs come from", "where the model is fragile", "speed", "load"]),
        ("cells of several sizes", ["The map follows the size of its cells", "cells per axis"]),
        ("each of the first 12 cells", ["no label", "share of the risk (%)"]),
    ]
    for heard, drawing, (said, seen) in zip(aloud, drawings, expected, strict=True):
        assert said in heard
        for word in seen:
            assert word in drawing
        assert "<metadata" not in drawing


@pytest.mark.parametrize("start", range(0, len(CORPUS), 24))
@pytest.mark.usefixtures("unlaid")
def test_words_in_figures_stay_words(plain, start):
    words = CORPUS[start : start + 24]
    strata = [stratum(word, 1 / len(words), 0.1) for word in words]
    profiles = [profile_of(word, 0.1) for word in words]
    _, page = page_of(with_more(plain, strata=strata, profiles=profiles))
    assert sum(tag == "svg" for tag, _ in page.elements) == 3


@pytest.mark.usefixtures("unlaid")
def test_noise_and_long_lists_stay_a_small_page(plain):
    noise = np.random.default_rng(0).exponential(size=(125, 125)) ** 3
    found = map_finding(("&" * 500, "<" * 500))
    found["maps"].update(profile=noise.tolist(), fragility=(noise / noise.max()).tolist(), product=noise.T.tolist())
    for one in found["ranked"]:
        one["items"] = ['"' * 200] * 1_000
    _, page = page_of(with_more(plain, found))
    assert "and 997 more" in page.text


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
def test_a_real_browser_shows_the_map_and_runs_nothing(plain, tmp_path):
    word = "</text><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    found = map_finding((word, "x2"), cells=40)
    found["ranked"][0]["items"] = [word]
    page = tmp_path / "risk.html"
    page.write_text(render(with_more(plain, found, strata=[stratum(word, 1.0, 0.1)])), encoding="utf-8")
    picture = tmp_path / "page.png"
    shown = browse(tmp_path, page.as_uri(), "--dump-dom", f"--screenshot={picture}", "--window-size=1000,5000")
    parsed = assert_harmless(shown)
    assert "<title>study: rings false</title>" in shown
    assert shown.count("<svg") == 5
    assert parsed.cells.count(cell(word)) == 3, "a column, an item and a stratum"
    assert picture.stat().st_size > 60_000
