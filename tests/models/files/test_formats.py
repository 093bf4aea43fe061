"""Every format says what the library says that made the file: the same labels, probabilities and outputs, in order."""

import numpy as np
import pytest

from ringtrue.core import Vectors
from ringtrue.models import FileModel
from support import model_files

CLOSE = {"rtol": 0, "atol": 2e-6}  # the files compute in single precision


@pytest.mark.parametrize("make", model_files.EVERY, ids=lambda make: make.__name__)
def test_a_file_says_what_its_maker_says(make, tmp_path):
    made = make(tmp_path)
    model = FileModel(made.path, **made.settings)
    said = model.answer(made.batch)
    if made.values is not None:
        assert isinstance(said, Vectors)
        assert said.array.shape == made.values.shape
        assert np.allclose(said.array, made.values, rtol=1e-5, atol=1e-5)
        return
    assert said.labels == made.labels
    if made.probabilities is not None:
        assert np.allclose(said.probabilities, made.probabilities, **CLOSE)
        assert [said.classes[place] for place in said.probabilities.argmax(axis=1)] == made.labels
    assert (model.classes is None) == (make in (model_files.onnx_columns, model_files.torch_softmax))
