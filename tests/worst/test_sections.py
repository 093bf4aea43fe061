"""What a terminal shows of a search, beside its sentence."""

import json

from ringtrue.core import Context, terminal_lines
from ringtrue.worst import Real, SearchSpace, Worst
from support.worst_findings import worst_finding

LINE = SearchSpace([Real("x", 0, 1)])


def shown(finding):
    return terminal_lines(Worst.sections(Context(json.loads(json.dumps(finding, allow_nan=False)))))


def test_the_region_other_peaks_and_the_worst_average_are_told():
    finding = worst_finding(4, ("yield", "purity"))
    finding["peaks"][0]["at_worst"], finding["peaks"][1]["at_worst"] = True, False
    finding["peaks"][1]["task"] = "purity"
    finding["robust"] = {**finding["peaks"][0], "predicted": 1.2345, "spread": {"x0": 0.05}}
    finding["verdict"] = "not yet known"
    spans = "x0 0.2 to 0.6, rate1 0.02512 to 0.1585, layers2 5 to 7, solvent3 water"
    where = ", ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in finding["worst"]["point"].items()
    )
    assert shown(finding) == [
        "around it, 3.21% of the space is at 1.29 or more by the surrogate; 4 of 5 points tried in it are; "
        f"each by itself: {spans}",
        "another peak of purity, predicted: 1.23 ± 0.04 at x0=-0.6, rate1=0.000631, layers2=2, solvent3=water "
        "(measured nearest to it: 1.1)",
        f"largest average over input noise, predicted: 1.234 ± 0.04 at {where}",
    ]


def test_a_refuted_claim_ends_with_what_random_evaluations_say_and_one_that_is_open_has_it_in_its_sentence():
    finding = worst_finding(2)
    finding["region"].update(tried=0, volume=1e-9)
    finding["peaks"] = []
    region = "around it, less than 0.0001% of the space is at 1.29 or more by the surrogate; each by itself: "
    finding["verdict"] = "rings false"
    above, around = shown(finding)
    assert above == (
        "without any surrogate: at most 26% of the space deviates more than 1.5 (95%, 10 random evaluations)"
    )
    assert around.startswith(region)
    finding["verdict"] = "not yet known"
    assert shown(finding) == [around]


def test_one_peak_that_is_not_the_worst_is_told_in_the_terminal_alone():
    finding = worst_finding(2)
    finding["peaks"] = [{**finding["peaks"][1], "at_worst": False}]
    assert [line.split(":")[0] for line in shown(finding)][-1] == "another peak, predicted"
    assert "Peaks" not in [section.title for section in Worst.sections(Context(finding))]


def test_before_the_first_answer_and_before_a_surrogate_nothing_is_added():
    empty = Worst(LINE, evaluations=9, claim="deviation <= 1").estimator(size=0, claim=None).finding()
    assert shown(empty.to_json()) == []
    assert shown(worst_finding(2, answered=8)) == []
