"""`ringtrue amend`: an answer is corrected from the terminal, and what it was is kept."""

import json

from ringtrue import Study
from support import make_study


def test_amend_says_what_it_was_and_what_it_is(tmp_path, cli):
    with make_study(tmp_path, budget=10) as study:
        [query] = study.ask(rater="ann")
        study.tell(query, "cat", rater="ann")
        path = tmp_path / "study.ringtrue"
    done = cli("amend", path, "0", "dog", "--rater", "ann", "--reason", "slipped")
    assert (done.code, done.out) == (0, f"study:0 ({query.item.id}): cat before, dog now\n")
    told = json.loads(cli("amend", path, "study:0", "?", "--rater", "ann", "--json").out)
    assert told == {"query": "study:0", "item": query.item.id, "was": "dog", "answer": None}
    with Study.open(path) as again:
        assert again.records[0].earlier == ("cat", "dog")


def test_amend_refuses_in_one_line(tmp_path, cli):
    with make_study(tmp_path, budget=10) as study:
        [query] = study.ask(rater="ann")
        study.tell(query, "cat", rater="ann")
    path = tmp_path / "study.ringtrue"
    for wrong, why in (
        (("0", "dog", "--rater", "bob"), "rater='bob' did not answer query=study:0, 'ann' did"),
        (("7", "dog"), "query='study:7' was never asked in study 'study': give one of study:0 to study:0"),
    ):
        done = cli("amend", path, *wrong)
        assert done.code == 2
        assert why in done.err
        assert done.err.count("\n") == 1
