"""The stops of the demo's tour: each question as a newcomer would ask it, and the commands that ask it of a model."""

from __future__ import annotations

from ringtrue.cli._demo_index import Stop
from ringtrue.cli._demo_questions import (
    CALLS,
    CONFIDENCE,
    DEVIATION,
    DROP,
    EVALUATIONS,
    HUNT,
    RIGHT,
    VOTE_LABELS,
    ask_blind,
    ask_changed,
    ask_judges,
    ask_worst,
)
from ringtrue.cli._demo_risk import CLAIM, ask_risk

STOPS = (
    Stop(
        "risk",
        "How often does it fail?",
        "Does the model misread at most 5% of these digits?",
        ask_risk,
        (
            f'ringtrue init often --pool items.csv --model predicted --claim "{CLAIM}" --budget 400',
            "ringtrue risk often --oracle mine:label",
            "ringtrue report often",
        ),
    ),
    Stop(
        "blind",
        "Where is it sure and yet wrong?",
        "Where the model is more than 90% sure, is it right as often as it says?",
        ask_blind,
        (
            "ringtrue blind hunt --pool images.npz --model mine:predict --input image --oracle mine:label "
            f"--confidence {CONFIDENCE} --budget {HUNT}",
            "ringtrue report hunt",
        ),
    ),
    Stop(
        "changed",
        "Did it change?",
        "The model is trained again, now with eights. Did its accuracy fall by no more than 1 percentage point?",
        ask_changed,
        (
            f'ringtrue changed swap --old answers.csv --model mine:predict --claim "{DROP}" --budget {CALLS}',
            "ringtrue report swap",
        ),
    ),
    Stop(
        "worst",
        "What upsets it most?",
        "Digits are turned by up to 15 degrees, shifted by up to half a pixel, blurred and made noisy. Whatever the "
        "mixture, do the new model's probabilities move by at most 0.5 on average? (0: they stay; 1: all go to other "
        "digits.)",
        ask_worst,
        (
            "ringtrue worst far --space space.toml --oracle mine:deviation --deviation given "
            f'--budget {EVALUATIONS} --claim "{DEVIATION}"',
            "ringtrue report far",
        ),
    ),
    Stop(
        "judges",
        "How good are these judges?",
        "Five small classifiers vote on every digit: even or odd? Is each of them right on at least 70% of the digits?",
        ask_judges,
        (
            f'ringtrue judges votes.csv --study panel --oracle mine:label --budget {VOTE_LABELS} --claim "{RIGHT}"',
            "ringtrue report panel",
        ),
    ),
)
