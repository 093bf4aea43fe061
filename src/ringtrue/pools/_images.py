"""A pool whose images lie in files: a column of file names that is read as a column of pictures."""

from __future__ import annotations

import hashlib
import io
import os
import threading
import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Pool, count
from ringtrue.pools._memory import check_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp")

_FILTERS = threading.Lock()
"""Held while warnings are errors, since Python has one list of filters for all threads."""


class ImagePool(Pool):
    """The items of a pool, with the image files that one column names in place of their names.

    Images are read when they are asked for, so that a pool of any size fits in memory. Each is an array of bytes, of
    the shape (height, width) if it is grey and (height, width, 3) if it is not. File names are relative to `folder`.
    """

    def __init__(self, pool: Pool, column: str, folder: str | os.PathLike[str] = ".") -> None:
        if column not in pool.columns:
            raise InvalidInput(
                f"column={column!r} is not a column of {pool.name}: name one of {', '.join(pool.columns)}"
            )
        self._pool, self._column, self._folder = pool, column, os.fspath(folder)
        self.name, self.size, self.columns, self.id_column = pool.name, pool.size, pool.columns, pool.id_column

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the table and of the bytes of every image."""
        total = hashlib.sha256(self._pool.fingerprint.encode())
        for batch in self._pool.chunks(1_000):
            for item, name in zip(batch.ids, batch.columns[self._column].tolist(), strict=True):
                total.update(hashlib.sha256(self._file(item, name)[1]).digest())
        return total.hexdigest()

    def take(self, rows: Sequence[int]) -> Batch:
        """Return these rows, in this order."""
        return self._read(self._pool.take(rows))

    def chunks(self, size: int) -> Iterator[Batch]:
        """Give the whole pool in order, `size` rows at a time."""
        for batch in self._pool.chunks(size):
            yield self._read(batch)

    def _read(self, batch: Batch) -> Batch:
        names = batch.columns[self._column].tolist()
        images: list[NDArray[np.uint8]] = []
        for item, name in zip(batch.ids, names, strict=True):
            images.append(self._image(item, name))
            if len(images) == 1:  # all must have its size
                remedy = "give smaller images, or ask about fewer at a time"
                check_memory(
                    f"{count(len(names), 'image')} like that of item {item!r} would take",
                    2 * len(names) * images[0].nbytes,
                    remedy,
                )
        for item, image in zip(batch.ids, images, strict=True):
            if image.shape != images[0].shape:
                raise InvalidInput(
                    f"item {item!r} has an image of shape {image.shape}, item {batch.ids[0]!r} of {images[0].shape}: "
                    "bring all images to one size, all grey or all in colour"
                )
        return Batch(batch.ids, {**batch.columns, self._column: np.stack(images)})

    def _image(self, item: str, name: Any) -> NDArray[np.uint8]:
        from PIL import Image, UnidentifiedImageError

        path, data = self._file(item, name)
        try:
            with _FILTERS, warnings.catch_warnings():
                warnings.simplefilter("error", Image.DecompressionBombWarning)
                opened = Image.open(io.BytesIO(data))  # which reads the header alone
            with opened as image:
                return np.asarray(image.convert("L" if image.mode in ("1", "L", "I;16") else "RGB"))
        except (Image.DecompressionBombError, Image.DecompressionBombWarning):
            most = Image.MAX_IMAGE_PIXELS or 0
            raise InvalidInput(
                f"item {item!r}: the image {path} says that it has more than {most:,} pixels: give a smaller one"
            ) from None
        except UnidentifiedImageError:
            raise _unreadable(item, path, "no image") from None
        except Exception as error:  # a decoder may raise anything at bytes that another program wrote
            raise _unreadable(item, path, error) from None

    def _file(self, item: str, name: Any) -> tuple[str, bytes]:
        """Return where the image of an item lies, and its bytes."""
        if not isinstance(name, str) or not name.strip():
            raise InvalidInput(
                f"item {item!r} names no image in column {self._column!r}: fill it in, or remove the item"
            )
        path = os.path.join(self._folder, name)
        try:
            with open(path, "rb") as file:
                return path, file.read()
        except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
            raise _unreadable(item, path, error) from None


def _unreadable(item: str, path: str, error: object) -> InvalidInput:
    why = " ".join(str(getattr(error, "strerror", None) or error).split()) or type(error).__name__
    return InvalidInput(f"item {item!r}: {path} cannot be read ({why}): check the file")


def holds_image_files(pool: Pool, column: str) -> bool:
    """Return whether a column names image files, judged by its first cell."""
    cell = pool.take([0]).columns[column].tolist()[0] if column in pool.columns else None
    return isinstance(cell, str) and cell.lower().endswith(SUFFIXES)
