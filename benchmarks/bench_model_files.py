"""How fast model files answer through their process: rows a second in batches, over the library called directly.

Prints a ratio per format and exits 1 when one of those with a bound breaks it:
  FileModel over the library   rows a second of FileModel.answer in batches of 1,000, over a call of the library in this
                               process that makes the same of the same columns: the inputs, the labels and the
                               probabilities; at least 0.8
Seconds are those of the processor, of both processes. They do not work at the same time, so that on an idle machine
these are the seconds that pass; on a busy one each change of process waits for its turn, which says nothing about the
file. The ratio by the clock stands beside it, without a bound. The files hold models of a usual size: 200 trees of
depth 6, or a network with 2 hidden layers of 256. Turns alternate between both sides, and each side has one thread. A
format whose package is not installed is left out, which is said.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ringtrue.core import Batch
from ringtrue.models import FileModel

ROWS, COLUMNS, CLASSES = 1000, 20, 3
BOUND = 0.8
IN_A_ROW = 10  # batches of one turn: a scan of a pool asks for one after the other
NAMES = [f"x{place}" for place in range(COLUMNS)]
WORDS = ["good", "fine", "bad", "poor", "great", "awful", "it", "was", "very", "not"]
Direct = Callable[[Batch], Any]


def known(rows: int) -> tuple[Any, Any]:
    """Return numbers and one of three classes per row."""
    numbers = np.random.default_rng(rows).normal(size=(rows, COLUMNS))
    return numbers, (numbers[:, 0] > 0).astype(int) + (numbers[:, 1] > 0)


def matrix(batch: Batch, kind: Any) -> Any:
    """Return the columns of a batch side by side, as a user would for a library."""
    return np.column_stack([batch.columns[name] for name in NAMES]).astype(kind)


def labelled(table: Any) -> tuple[list[int], Any]:
    """Return the labels of probabilities, with them."""
    return table.argmax(axis=1).tolist(), table


def onnx(folder: Path, size: int) -> tuple[Path, Direct, dict[str, Any]]:
    import onnxruntime
    import skl2onnx
    from sklearn.ensemble import RandomForestClassifier

    numbers, codes = known(2000)
    estimator = RandomForestClassifier(size, max_depth=6, random_state=0).fit(numbers, codes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = skl2onnx.to_onnx(estimator, numbers[:1].astype(np.float32), options={id(estimator): {"zipmap": False}})
    (folder / "m.onnx").write_bytes(made.SerializeToString())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(folder / "m.onnx", options, providers=["CPUExecutionProvider"])
    return folder / "m.onnx", lambda batch: session.run(None, {"X": matrix(batch, np.float32)}), {}


def skops(folder: Path, size: int) -> tuple[Path, Direct, dict[str, Any]]:
    import skops.io
    from sklearn.ensemble import RandomForestClassifier

    estimator = RandomForestClassifier(size, max_depth=6, random_state=0).fit(*known(2000))
    skops.io.dump(estimator, folder / "m.skops")

    def direct(batch: Batch) -> Any:
        table = matrix(batch, np.float64)
        return estimator.predict(table).tolist(), estimator.predict_proba(table)

    return folder / "m.skops", direct, {"trusted": ["sklearn.tree._tree.Tree"]}


def xgboost(folder: Path, size: int) -> tuple[Path, Direct, dict[str, Any]]:
    import xgboost

    numbers, codes = known(2000)
    settings = {"objective": "multi:softprob", "num_class": CLASSES, "max_depth": 6, "nthread": 1}
    booster = xgboost.train(settings, xgboost.DMatrix(numbers, label=codes, feature_names=NAMES), size)
    booster.save_model(folder / "m.ubj")

    def direct(batch: Batch) -> Any:
        data = xgboost.DMatrix(matrix(batch, np.float32), feature_names=NAMES, nthread=1)
        return labelled(booster.predict(data))

    return folder / "m.ubj", direct, {}


def lightgbm(folder: Path, size: int) -> tuple[Path, Direct, dict[str, Any]]:
    import lightgbm

    numbers, codes = known(2000)
    settings = {"objective": "multiclass", "num_class": CLASSES, "max_depth": 6, "verbosity": -1, "num_threads": 1}
    booster = lightgbm.train(settings, lightgbm.Dataset(numbers, label=codes, feature_name=NAMES), size)
    booster.save_model(folder / "m.txt")
    return folder / "m.txt", lambda batch: labelled(booster.predict(matrix(batch, np.float64), num_threads=1)), {}


def torch(folder: Path, size: int) -> tuple[Path, Direct, dict[str, Any]]:
    import torch

    nn, width = torch.nn, 256 if size > 10 else 8
    network = nn.Sequential(
        nn.Linear(COLUMNS, width),
        nn.ReLU(),
        nn.Linear(width, width),
        nn.ReLU(),
        nn.Linear(width, CLASSES),
        nn.Softmax(-1),
    ).eval()
    shapes = ({0: torch.export.Dim("items")},)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(
            torch.export.export(network, (torch.zeros(2, COLUMNS),), dynamic_shapes=shapes), folder / "m.pt2"
        )
        module = torch.export.load(folder / "m.pt2").module()
    torch.set_num_threads(1)

    def direct(batch: Batch) -> Any:
        with torch.inference_mode():
            return labelled(module(torch.from_numpy(matrix(batch, np.float32))).numpy())

    return folder / "m.pt2", direct, {}


def hugging_face(folder: Path, size: int) -> tuple[Path, Direct, dict[str, Any]]:
    import tokenizers
    import torch
    import transformers

    vocabulary = {word: place for place, word in enumerate(["[PAD]", "[UNK]", *WORDS])}
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]")
    width = 64 if size > 10 else 8
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=width, num_hidden_layers=2, num_attention_heads=2, num_labels=CLASSES,
        intermediate_size=width, max_position_embeddings=32,
    )  # fmt: skip
    network = transformers.BertForSequenceClassification._from_config(config, attn_implementation="eager").eval()
    network.save_pretrained(folder / "m")
    tokenizer.save_pretrained(folder / "m")
    torch.set_num_threads(1)

    def direct(batch: Batch) -> Any:
        texts, found = batch.columns["text"].tolist(), []
        with torch.inference_mode():
            for start in range(0, len(texts), 64):
                tokens = tokenizer(texts[start : start + 64], padding=True, truncation=True, return_tensors="pt")
                found.append(torch.softmax(network(**tokens).logits, -1))
        return labelled(torch.cat(found).numpy())

    return folder / "m", direct, {}


FORMATS = {"ONNX": onnx, "skops": skops, "XGBoost": xgboost, "LightGBM": lightgbm, "torch.export": torch,
           "Hugging Face": hugging_face}  # fmt: skip


def batch_of(name: str, rows: int) -> Batch:
    """Return a batch of numbers, or of texts."""
    ids = [str(row) for row in range(rows)]
    if name == "Hugging Face":
        draw = np.random.default_rng(0)
        texts = [" ".join(draw.choice(WORDS, size=draw.integers(4, 24))) for _ in range(rows)]
        return Batch(ids, {"text": np.array(texts, dtype=object)})
    numbers, _ = known(rows)
    return Batch(ids, {column: numbers[:, place].copy() for place, column in enumerate(NAMES)})


def processor(pid: int) -> float:
    """Return the seconds of the processor that this process and another have used."""
    words = Path(f"/proc/{pid}/schedstat").read_text().split()
    return time.process_time() + int(words[0]) / 1e9


def measured(call: Callable[[], Any], pid: int) -> tuple[float, float]:
    """Return the seconds that a call takes, of the processor and by the clock, as in a scan: several in a row."""
    start, used = time.perf_counter(), processor(pid)
    for _ in range(IN_A_ROW):
        call()
    return (processor(pid) - used) / IN_A_ROW, (time.perf_counter() - start) / IN_A_ROW


def compared(direct: Direct, model: FileModel, batch: Batch, turns: int) -> list[float]:
    """Return the median seconds of a batch: of the processor by the library and by the file, then by the clock."""
    pid = model._worker._living[0].pid
    direct(batch)
    model.answer(batch)
    times = [(*measured(lambda: direct(batch), pid), *measured(lambda: model.answer(batch), pid)) for _ in range(turns)]
    library, by_clock, ours, ours_by_clock = (statistics.median(column) for column in zip(*times, strict=True))
    return [library, ours, by_clock, ours_by_clock]


def main(rows: int = ROWS, *, turns: int = 7, size: int = 200) -> int:
    """Measure so many turns with batches of so many rows, of models with so many trees."""
    broken = 0
    with threadpool_limits(1):
        for name, make in FORMATS.items():
            with tempfile.TemporaryDirectory() as place:
                try:
                    path, direct, settings = make(Path(place), size)
                except ImportError as error:
                    print(f"{name}: left out, {error.name} is not installed")
                    continue
                found = compared(direct, FileModel(path, **settings), batch_of(name, rows), turns)
            library, ours, by_clock, ours_by_clock = found
            kept = library / ours >= BOUND
            broken += not kept
            print(
                f"{name}: {library / ours:.2f} (bound >= {BOUND:g}) {'kept' if kept else 'BROKEN'}; "
                f"{rows / ours:,.0f} rows a second, {1e3 * (ours - library):.2f} ms beside {1e3 * library:.2f} ms of "
                f"the library; by the clock {by_clock / ours_by_clock:.2f}"
            )
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
