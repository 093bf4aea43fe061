"""Which file is which: every format is one row, known by its ending and by its first bytes, and both must agree."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringtrue.core import InvalidInput, count


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of model file.

    Parameters
    ----------
    name
        What people call it.
    module
        The module of this folder that opens it, in the child process.
    endings
        How such files end; none for a folder.
    package, extra
        The package that opens it, and the extra of ringtrue that installs it.
    repeats
        Whether nothing in such a file can make its answers differ from one call to the next.
    """

    name: str
    module: str
    endings: tuple[str, ...]
    package: str
    extra: str
    repeats: bool = False


ONNX = Format("ONNX", "_onnx", (".onnx",), "onnxruntime", "onnx")
SKOPS = Format("skops", "_skops", (".skops",), "skops", "skops")
XGBOOST = Format("XGBoost", "_xgboost", (".ubj", ".json"), "xgboost", "xgboost", repeats=True)
LIGHTGBM = Format("LightGBM", "_lightgbm", (".txt", ".lgb"), "lightgbm", "lightgbm", repeats=True)
TORCH = Format("torch.export", "_torch_export", (".pt2",), "torch", "torch")
HUGGING_FACE = Format("Hugging Face", "_hugging_face", (), "transformers", "transformers")
FORMATS = (ONNX, SKOPS, XGBOOST, LIGHTGBM, TORCH, HUGGING_FACE)

_SHARED = (".json", ".txt")
"""Endings that other files have as well: such a name means a model only where there is a file."""

_CODE = {
    "a pickle": "which can run any code as it is opened: export the model to ONNX or skops",
    "a TorchScript archive": "which holds code: export the model with torch.export.save to .pt2, or to ONNX",
    "an AOTInductor package": "which holds machine code: export the model with torch.export.save, or to ONNX",
    "a file of torch.save": "which is a pickle: export the model with torch.export.save to .pt2, or to ONNX",
    "a compressed file, as joblib writes them": "which can hold a pickle: export the model to ONNX or skops",
}
"""What is never opened, with the reason and the remedy."""

_REFUSED = (".pkl", ".pickle", ".joblib", ".pt", ".pth", ".bin")
_PACKED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x9c", b"\x78\xda", b"BZh", b"\xfd7zXZ", b"\x04\x22\x4d\x18")
_MOST_UNPACKED, _MOST_TIMES = 64 << 20, 100
"""A zip may unpack to so many bytes, or to so many times its own size."""


def is_model_file(text: str) -> bool:
    """Return whether a text names a model file: by its ending or, where other files end so too, as there is one.

    >>> is_model_file("credit.onnx"), is_model_file("predicted"), is_model_file("desk:predict")
    (True, False, False)
    """
    ending = os.path.splitext(text)[1].lower()
    if any(ending in one.endings for one in FORMATS) or ending in _REFUSED:
        return ending not in _SHARED or os.path.isfile(text)
    return bool(text) and os.path.isfile(os.path.join(text, "config.json"))


def format_of(path: Path) -> Format:
    """Return the format of a model file; one that holds code, or is not what its ending says, is refused."""
    shown, ending = str(path), path.suffix.lower()
    try:
        found = _looks_like(path)
    except FileNotFoundError:
        raise InvalidInput(f"{shown}: no such file: check the path, relative ones start from {os.getcwd()!r}") from None
    except OSError as error:
        raise InvalidInput(f"{shown}: cannot be read ({error.strerror or error}): check the path") from None
    if isinstance(found, str):
        raise InvalidInput(f"{shown}: is {found}")
    if ending in found.endings or not found.endings:
        return found
    endings = " or ".join(found.endings)
    meant = next((f"ends like {one.name}, but " for one in FORMATS if ending in one.endings), "")
    raise InvalidInput(f"{shown}: {meant}is {found.name} by its first bytes: let it end in {endings}")


def _looks_like(path: Path) -> Format | str:
    """Return the format that the first bytes tell, or in words what else it is and what to do."""
    if path.is_dir():
        if (path / "config.json").is_file():
            return HUGGING_FACE
        return "a folder without config.json: give the folder that save_pretrained wrote, or a file"
    with path.open("rb") as file:
        head = file.read(4096)
    if not head:
        return "empty: export the model again"
    if head.startswith(b"PK\x03\x04"):
        return _looks_zipped(path)
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return _code("a pickle")
    if head.startswith(_PACKED):
        return _code("a compressed file, as joblib writes them")
    if head.lstrip().startswith(b"{") and b"learner" in head[:200]:
        return XGBOOST
    if head.startswith(b"tree") and b"version=" in head[:40]:
        return LIGHTGBM
    if head.startswith(b"\x08"):  # the first field of every exporter: the version of the format
        return ONNX
    known = ", ".join(f"{one.name} ({', '.join(one.endings) or 'a folder'})" for one in FORMATS)
    if path.suffix.lower() in _REFUSED:
        return _code("a pickle") + f"; known are {known}"
    return f"by its first bytes none of {known}: export the model again"


def _looks_zipped(path: Path) -> Format | str:
    try:
        names = [info.filename for info in entries(path)]
    except InvalidInput as error:
        return str(error)
    inside = {name.partition("/")[2] for name in names}
    if "schema.json" in names:
        return SKOPS
    if any(name.startswith("data/aotinductor/") for name in inside):
        return _code("an AOTInductor package")
    if any(name.startswith("code/") for name in inside):
        return _code("a TorchScript archive")
    if "archive_format" in inside:
        return TORCH
    return _code("a file of torch.save") if "data.pkl" in inside else "a zip archive without a model: export it again"


def _code(what: str) -> str:
    return f"{what}, {_CODE[what]}"


def entries(path: Path) -> Sequence[zipfile.ZipInfo]:
    """Return what a zip holds; one that is damaged, or unpacks to far more than it is, is refused."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise InvalidInput("a damaged zip archive: export the model again") from None
    unpacked = sum(info.file_size for info in found)
    if unpacked > max(_MOST_UNPACKED, _MOST_TIMES * path.stat().st_size):
        raise InvalidInput(
            f"a zip archive that unpacks to {count(unpacked, 'byte')}, more than {_MOST_TIMES} times its size: "
            "export the model without compression"
        )
    return found


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a file, or of a folder: of the names and the bytes of all files in it."""
    whole = hashlib.sha256()
    if not path.is_dir():
        _add(whole, path)
        return whole.hexdigest()
    for file in sorted(one for one in path.rglob("*") if one.is_file()):
        own = hashlib.sha256()
        _add(own, file)
        whole.update(f"{file.relative_to(path).as_posix()}\n{own.hexdigest()}\n".encode())
    return whole.hexdigest()


def _add(whole: Any, path: Path) -> None:
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            whole.update(piece)
