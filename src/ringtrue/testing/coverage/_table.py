"""The table of all cases, question by question."""

from __future__ import annotations

from ringtrue.testing.coverage import blind, changed, judges, judges_labelled, risk, risk_models, stats, worst
from ringtrue.testing.coverage._case import Case

CASES: tuple[Case, ...] = (
    *risk.CASES,
    *risk_models.CASES,
    *changed.CASES,
    *blind.CASES,
    *worst.CASES,
    *judges_labelled.CASES,
    *judges.CASES,
    *stats.CASES,
)
