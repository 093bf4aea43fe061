"""A pool whose images lie in files: a column of file names that is read as a column of pictures."""

from __future__ import annotations

import hashlib
import io
import os
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Pool, count
from ringtrue.pools._cells import filled
from ringtrue.pools._fingerprint import marks_of
from ringtrue.pools._memory import check_memory
from ringtrue.pools._table import TablePool

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp")

_AT_ONCE = 256
"""Rows, and so images, that are read together where one column alone is looked at."""

_FILTERS = threading.Lock()
"""Held while warnings are errors, since Python has one list of filters for all threads."""


class ImagePool(Pool):
    """The items of a pool, with the image files that one column names in place of their names.

    Images are read when they are asked for, so that a pool of any size fits in memory. Each is an array of bytes, of
    the shape (height, width) if it is grey and (height, width, 3) if it is not. File names are relative to `folder`.
    Oracles are not shown the columns that are `hidden`.
    """

    def __init__(
        self, pool: Pool, column: str, folder: str | os.PathLike[str] = ".", *, hidden: tuple[str, ...] = ()
    ) -> None:
        if column not in pool.columns:
            raise InvalidInput(
                f"column={column!r} is not a column of {pool.name}: name one of {', '.join(pool.columns)}"
            )
        self._pool, self._column, self._folder = pool, column, os.fspath(folder)
        self.name, self.size, self.columns, self.id_column = pool.name, pool.size, pool.columns, pool.id_column
        self.hidden = (*pool.hidden, *hidden)

    @property
    def named(self) -> Pool:
        """The items with the names of their files in place of the images."""
        return self._pool

    def over(self, pool: Pool) -> ImagePool:
        """Return these images beside other columns: those of a pool in which the same column names the same files."""
        return ImagePool(pool, self._column, self._folder, hidden=self.hidden)

    @cached_property
    def _hashes(self) -> list[bytes]:
        """The SHA-256 of the bytes of every image."""
        return [
            hashlib.sha256(self._file(item, name)[1]).digest()
            for batch in self._pool.chunks(1_000)
            for item, name in zip(batch.ids, batch.columns[self._column].tolist(), strict=True)
        ]

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the table and of the bytes of every image."""
        return hashlib.sha256(self._pool.fingerprint.encode() + b"".join(self._hashes)).hexdigest()

    def marks(self, size: int) -> Mapping[str, Any] | None:
        """Return small hashes of groups of the first `size` rows and their images, if the table is in memory."""
        if not isinstance(self._pool, TablePool):
            return None
        hashes = filled([found.hex() for found in self._hashes])
        return marks_of({**self._pool.take(range(self.size)).columns, self._column: hashes}, size)._asdict()

    def scan(self, column: str) -> Iterator[NDArray[Any]]:
        """Give the cells of one column, in order; no image is read for another than theirs."""
        source = self if column == self._column else self._pool
        for batch in source.chunks(_AT_ONCE):
            yield batch.columns[column]

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
        path, data = self._file(item, name)
        with _decoding(item, path), _opened(io.BytesIO(data)) as image:
            return np.asarray(image.convert("L" if image.mode in ("1", "L", "I;16") else "RGB"))

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


def check_image(item: str, path: str) -> None:
    """Refuse a file that cannot be read or is not an image, by its header alone."""
    with _decoding(item, path), open(path, "rb") as file, _opened(file):
        pass


def _opened(file: IO[bytes]) -> Image:
    """Open an image, of which the header alone is read; one that says that it is huge is an error."""
    from PIL import Image

    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        return Image.open(file)


@contextmanager
def _decoding(item: str, path: str) -> Iterator[None]:
    """Say in one line why the image of an item cannot be read."""
    from PIL import Image, UnidentifiedImageError

    try:
        yield
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        most = Image.MAX_IMAGE_PIXELS or 0
        raise InvalidInput(
            f"item {item!r}: the image {path} says that it has more than {most:,} pixels: give a smaller one"
        ) from None
    except UnidentifiedImageError:
        raise _unreadable(item, path, "no image") from None
    except Exception as error:  # a decoder may raise anything at bytes that another program wrote
        raise _unreadable(item, path, error) from None


def _unreadable(item: str, path: str, error: object) -> InvalidInput:
    why = " ".join(str(getattr(error, "strerror", None) or error).split()) or type(error).__name__
    return InvalidInput(f"item {item!r}: {path} cannot be read ({why}): check the file")


def holds_image_files(pool: Pool, column: str) -> bool:
    """Return whether a column names image files, judged by its first cell."""
    cell = pool.take([0]).columns[column].tolist()[0] if column in pool.columns else None
    return isinstance(cell, str) and cell.lower().endswith(SUFFIXES)
