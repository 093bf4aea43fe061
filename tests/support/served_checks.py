"""Holds what a served model answers against its case, whether the server is real or a recording."""

import numpy as np
import pytest

from ringtrue.core import Labels, RingtrueError, Vectors
from ringtrue.models import HttpModel


def check_case(case, url):
    """Ask about a case at an address, and compare; returns the model."""
    model = HttpModel(url + case.path, labels=case.names)
    if case.error:
        with pytest.raises(RingtrueError) as caught:
            model.answer(case.batch())
        assert "\n" not in str(caught.value)
        assert all(words in str(caught.value) for words in case.error), caught.value
        return model
    answer = model.answer(case.batch())
    if case.outputs is not None:
        assert isinstance(answer, Vectors)
        wanted = np.array(case.outputs) if case.outputs else None
        assert wanted is None or np.abs(answer.array - wanted).max() < 1e-9
        return model
    assert isinstance(answer, Labels)
    assert list(answer.labels) == case.labels
    if case.classes is None:
        assert answer.probabilities is None
    else:
        assert list(answer.classes) == case.classes
        assert np.abs(answer.probabilities.sum(axis=1) - 1).max() < 1e-6
        likely = [case.classes[place] for place in answer.probabilities.argmax(axis=1)]
        assert likely == [str(label) for label in case.labels]
    return model
