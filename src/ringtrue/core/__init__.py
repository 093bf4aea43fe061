"""The nouns: protocols and value types. No input or output, no numerics."""

from ringtrue.core._answers import Labels, Vectors, label_of, same_label
from ringtrue.core._canonical import Json, canonical_json, digest, is_missing, label_text, plain
from ringtrue.core._claim import Claim, Verdict, parse_share
from ringtrue.core._errors import (
    InvalidInput,
    JournalConflict,
    JournalUnusable,
    PlanChanged,
    ResponderStopped,
    RingtrueError,
)
from ringtrue.core._finding import Finding, Interval
from ringtrue.core._items import Batch, Draw, Item, Query, Record, Reply, Responder
from ringtrue.core._protocols import (
    Estimator,
    Event,
    Journal,
    Knows,
    Model,
    Oracle,
    Policy,
    Pool,
    Prepares,
    Question,
    Requires,
    Space,
    View,
)
from ringtrue.core._sketch import ABSTAINED, Pattern, Sketch
from ringtrue.core._text import count, figure_text, percent, points, tenths

__all__ = [
    "ABSTAINED",
    "Batch",
    "Claim",
    "Draw",
    "Estimator",
    "Event",
    "Finding",
    "Interval",
    "InvalidInput",
    "Item",
    "Journal",
    "JournalConflict",
    "JournalUnusable",
    "Json",
    "Knows",
    "Labels",
    "Model",
    "Oracle",
    "Pattern",
    "PlanChanged",
    "Policy",
    "Pool",
    "Prepares",
    "Query",
    "Question",
    "Record",
    "Reply",
    "Requires",
    "Responder",
    "ResponderStopped",
    "RingtrueError",
    "Sketch",
    "Space",
    "Vectors",
    "Verdict",
    "View",
    "canonical_json",
    "count",
    "digest",
    "figure_text",
    "is_missing",
    "label_of",
    "label_text",
    "parse_share",
    "percent",
    "plain",
    "points",
    "same_label",
    "tenths",
]
