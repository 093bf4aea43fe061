"""A folder of a text classifier as `save_pretrained` writes it: safetensors, a tokenizer, and no code of its own."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ringtrue.core import InvalidInput
from ringtrue.models.files._loaded import About, Cells, Opening, Said, Taken

_TOGETHER = 64
"""Texts in one pass through the network."""


class _Classifier:
    def __init__(self, network: Any, tokenizer: Any) -> None:
        self._network, self._tokenizer = network, tokenizer
        config = network.config
        if config.problem_type == "multi_label_classification":
            raise InvalidInput("gives several labels per text: use a model that gives one")
        is_regressor = config.problem_type == "regression" or config.num_labels == 1
        versions = [f"{name} {importlib.metadata.version(name)}" for name in ("transformers", "torch")]
        names = [config.id2label[number] for number in range(config.num_labels)]
        self.about = About(
            library=", ".join(versions),
            inputs=[Taken("text", "text", (None,))],
            classes=None if is_regressor else names,
            gives="vectors" if is_regressor else "labels",
        )

    def answer(self, inputs: Sequence[Cells]) -> Said:
        """Return the label of each text with the probabilities of all, or the outputs of a regressor."""
        import torch

        texts = ["" if text is None else str(text) for text in inputs[0]]
        found = []
        with torch.inference_mode():
            for start in range(0, len(texts), _TOGETHER):
                some = texts[start : start + _TOGETHER]
                tokens = self._tokenizer(some, padding=True, truncation=True, return_tensors="pt")
                scores = self._network(**tokens).logits.float()
                found.append(scores if self.about.classes is None else torch.softmax(scores, dim=-1))
        return Said(table=torch.cat(found).numpy())


def load(opening: Opening) -> _Classifier:
    """Open the folder of a text classifier, and nothing that is not in it."""
    folder = Path(opening.path)
    _check(folder)
    import torch
    import transformers

    torch.set_num_threads(1)  # the same sums in the same order everywhere
    here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **here)
    network = transformers.AutoModelForSequenceClassification.from_pretrained(
        str(folder), use_safetensors=True, attn_implementation="eager", **here
    )
    return _Classifier(network.eval(), tokenizer)


def _check(folder: Path) -> None:
    """Refuse what would run code, look elsewhere, or is not a text classifier."""
    for name in ("config.json", "tokenizer_config.json"):
        if "auto_map" in _read(folder / name):
            raise InvalidInput(
                f"names code of its own (auto_map in {name}), which is not run: use an architecture of "
                "transformers, or a function of yours, module:function"
            )
    if (folder / "adapter_config.json").exists():
        raise InvalidInput("is an adapter, which needs a model from elsewhere: merge it into that, and save the whole")
    config = _read(folder / "config.json")
    if "quantization_config" in config:
        raise InvalidInput("is quantised by another package: save it in full precision")
    if not any(str(name).endswith("ForSequenceClassification") for name in config.get("architectures") or ()):
        shown = ", ".join(map(str, config.get("architectures") or ["none"]))
        raise InvalidInput(f"has the architecture {shown}: only text classifiers (…ForSequenceClassification) are run")
    if not any(folder.glob("model*.safetensors")):
        pickled = next(folder.glob("*.bin"), None) or next(folder.glob("*.pt"), None)
        why = f"keeps its weights as a pickle ({pickled.name})" if pickled else "holds no model.safetensors"
        raise InvalidInput(f"{why}: save it with save_pretrained(folder, safe_serialization=True)")
    if not any((folder / name).is_file() for name in ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model")):
        raise InvalidInput("holds no tokenizer: save it there too, with tokenizer.save_pretrained(folder)")


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise InvalidInput(f"has a {path.name} that is not JSON: save it again") from None
    return found if isinstance(found, dict) else {}
