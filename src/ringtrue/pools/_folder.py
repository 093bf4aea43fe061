"""A folder of image files as a pool: each is named by its path, and its first subfolder may be a column."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ringtrue.core import InvalidInput
from ringtrue.pools._cells import filled
from ringtrue.pools._columns import short
from ringtrue.pools._images import SUFFIXES, ImagePool, check_image
from ringtrue.pools._table import TablePool

ID, IMAGE = "id", "image"

_LEFT_BY_SYSTEMS = ("thumbs.db", "desktop.ini")
"""Files that a system puts into folders by itself; so it does with those that begin with a dot."""


def read_folder(path: str, *, id: str | None = None, label: str | None = None) -> ImagePool:  # noqa: A002
    """Read a folder of images, sorted by their paths, which are the ids; the images are in the column `image`.

    Every file is looked at, so that one that is not an image is refused before anything is asked. With `label`, the
    first subfolder of each image is in a column of that name, which oracles are not shown, nor are the ids, which begin
    with it.
    """
    if label in (ID, IMAGE):
        raise InvalidInput(
            f"{path}#{label}: the images have a column {label!r} already: name the subfolders' otherwise"
        )
    names = sorted(_images(path))
    if not names:
        kinds = f".parquet, or in {', '.join(SUFFIXES)}"
        raise InvalidInput(
            f"{path}: there is no image in the folder, and no Parquet file: give one with files in {kinds}"
        )
    for name in names:
        check_image(name, os.path.join(path, name))
    columns = {ID: filled(names), IMAGE: filled(names)}
    if label is not None:
        columns[label] = filled([_subfolder(path, name, label) for name in names])
    table = TablePool(columns, id=ID if id is None else id, name=os.path.basename(os.path.abspath(path)), source=path)
    return ImagePool(table, IMAGE, path, hidden=() if label is None else (ID, label))


def _subfolder(path: str, name: str, label: str) -> str:
    folder, inside, _ = name.partition("/")
    if not inside:
        raise InvalidInput(
            f"{os.path.join(path, name)}: is in no subfolder, which would be its {label!r}: move it into one, "
            f"or leave out #{label}"
        )
    return folder


def _images(path: str) -> Iterator[str]:
    """Give the paths of the images below a folder, with slashes; refuse whatever else there is."""

    def refuse(error: OSError) -> None:
        raise InvalidInput(f"{error.filename}: cannot be read ({error.strerror}): check its permissions")

    root = os.path.realpath(path)
    for folder, subfolders, files in os.walk(path, onerror=refuse):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in subfolders:
            if os.path.islink(os.path.join(folder, name)):
                where = short(os.path.join(folder, name))
                raise InvalidInput(
                    f"{where}: is a link to a folder, which is not followed: copy the folder, or remove it"
                )
        for name in sorted(files):
            if not name.startswith(".") and name.lower() not in _LEFT_BY_SYSTEMS:
                yield _checked(path, os.path.join(folder, name), root)


def _checked(path: str, file: str, root: str) -> str:
    """Return a file's path below the folder; refuse one that is not an image by its name, or lies elsewhere."""
    name = os.path.relpath(file, path).replace(os.sep, "/")
    if not name.isprintable():  # nor can a name that is not UTF-8 be printed, or kept in a study
        raise InvalidInput(f"{path}: the name {short(name)} cannot be printed: rename the file")
    if not name.lower().endswith(SUFFIXES):
        several = os.path.join(path, f"*{os.path.splitext(name)[1]}")
        raise InvalidInput(
            f"{file}: is not an image ({', '.join(SUFFIXES)}), and the folder has no Parquet file: take it out of the "
            f"folder; other tables are given by their file, or by a pattern such as '{several}'"
        )
    if os.path.islink(file) and os.path.commonpath([root, os.path.realpath(file)]) != root:
        raise InvalidInput(f"{file}: is a link that leads out of the folder: put the image itself there, or remove it")
    if os.path.exists(file) and not os.path.isfile(file):
        raise InvalidInput(f"{file}: is not a regular file: take it out of the folder")
    return name
