"""Words of the user that try to be markup: in names, columns, ids, labels, cells and raters they stay words."""

import csv
import json

import pytest

from report.pages import assert_harmless
from ringtrue.core import Reply, cell, line
from ringtrue.report import document, render, verify
from ringtrue.risk import Risk
from ringtrue.study import Study
from support import make_pool

pytestmark = pytest.mark.usefixtures("unlaid")

CORPUS = [
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "--><script>alert(1)</script><!--",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)' autofocus='",
    "`onload=alert(1)`",
    "javascript:alert(1)",
    "<a href=javascript:alert(1)>x</a>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe srcdoc='<script>1</script>'>",
    "<object data=x><embed src=x>",
    "<link rel=stylesheet href=//x.example>",
    "<base href=//x.example>",
    "<meta http-equiv=refresh content=0;//x>",
    "<style>@import'//x.example'</style>",
    "<math><mi xlink:href=javascript:1>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;",
    "{{7*7}}",
    "{% raw %}{{ made }}{% endraw %}",
    "{{ ''.__class__.__mro__ }}",
    "${7*7} #{7*7} <%= 7*7 %>",
    "%s %d {0} {made}",
    "$\\frac{1}{2}$ \\input{/etc/passwd}",
    "\u202egnp.exe",
    "\u2066isolated\u2069",
    "ze\u200bro\ufeffwidth",
    "\u0085\u2028\u2029",
    "＜script＞alert(1)＜/script＞",
    "<scr\u0131pt>",
    "Z\u0351\u036b\u0343\u036a\u0302\u036ba\u0361l\u0320go",
    "نص عربي 123",
    "👩‍👩‍👧",
    "=HYPERLINK(1)",
    "\\u003cscript\\u003e",
    "<" * 50,
    "x" * 100_000,
    '"' * 5_000,
]
NAMES = [text for text in CORPUS if "/" not in text and len(text) < 100 and text.isprintable()]


def hostile_study(folder, word, name="s"):
    """A study whose every word is `word`: column, label, rater and cell."""
    folder.mkdir(exist_ok=True)
    pool = folder / "pool.csv"
    with open(pool, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "predicted", word, "more"])
        rows.writerows([[f"{word}#{place}", f"said {word}", word, f"{word} {place}"] for place in range(3)])

    class Rater:
        def answer(self, queries):
            return [Reply(f"truth {word}", rater=word) for _ in queries]

    study = Study.create(folder / f"{name}.ringtrue", pool=pool, model="predicted", question=Risk())
    study.run(Rater())
    return study


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("word", CORPUS, ids=range(len(CORPUS)))
def test_words_stay_words(tmp_path, word):
    with hostile_study(tmp_path, word) as study:
        made = json.loads(json.dumps(document(study)))
    text = render(made)
    page = assert_harmless(text)
    assert len(text.encode()) < 300_000
    assert cell(f"said {word}") in page.cells
    assert cell(f"truth {word}") in page.cells
    assert cell(f"{word}#0") in page.cells
    assert line(word) in page.text, "the rater"
    if len(json.dumps(word)) < 400:
        assert cell(word) in page.cells, "the column"
        assert cell(f"{word} 2") in page.cells
    assert verify(made).agrees


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("word", NAMES, ids=range(len(NAMES)))
def test_names_of_files_stay_words(tmp_path, word):
    make_pool(tmp_path / f"{word}.csv", size=5, failing=1)
    with Study.create(
        tmp_path / f"{word}.ringtrue", pool=tmp_path / f"{word}.csv", model="predicted", question=Risk("error <= 9%")
    ) as study:
        study.run("truth")
        made = document(study)
    page = assert_harmless(render(made))
    titles = [place for place, (tag, _) in enumerate(page.elements) if tag == "title"]
    assert len(titles) == 1
    assert page.text.count(line(word)) >= 3, "the title, the study and the pool"


def test_a_model_and_a_policy_with_hostile_names(tmp_path):
    word = "</td><script>alert(1)</script>"
    pool = make_pool(tmp_path / "pool.csv", size=5, failing=1)

    def judge(rows):
        return [row["predicted"] for row in rows]

    judge.__name__ = word
    with Study.create(tmp_path / "s", pool=pool, model=judge, question=Risk()) as study:
        study.run("truth")
        made = document(study)
    assert word in assert_harmless(render(made)).text


def test_a_document_from_elsewhere_is_escaped_too(tmp_path):
    """Whoever renders a twin that somebody sent must not run what is written in it."""
    with hostile_study(tmp_path, "fine") as study:
        made = json.loads(json.dumps(document(study)))
    word = "<script>alert(1)</script>"
    finding = made["computed"]["finding"]
    finding["sentence"] = finding["verdict"] = finding["interval"]["method"] = word
    finding["assumptions"] = [word]
    made["hashes"] = dict.fromkeys(("plan", "answers", "items"), word)
    made["ringtrue"] = made["written"] = made["computed"]["spending"]["money"] = word
    made["study"]["pool"]["fingerprint"] = made["study"]["model"]["fingerprint"] = word
    page = assert_harmless(render(made))
    assert page.text.count(word) >= 8


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain", "plain"),
        (3, "3"),
        (0.25, "0.25"),
        (True, "True"),
        (None, "–"),
        ("", "–"),
        (float("nan"), "–"),
        ("a\u202eb", "a\\u202eb"),
        ("a\x00b\n", "a\\x00b\\n"),
        ("\ud800", "\\ud800"),
        ([1, "x"], '[1, "x"]'),
        ({"a": None}, '{"a": null}'),
        ("👩‍👧", "👩‍👧"),
        ("y" * 41, "y" * 39 + "…"),
        ("y" * 40, "y" * 40),
        ("\u202e" * 40, ("\\u202e" * 14)[:79] + "…"),
    ],
)
def test_what_a_cell_shows(value, shown):
    assert cell(value) == shown
