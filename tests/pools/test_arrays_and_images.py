"""Pools of arrays and of image files: read as they are, known again by their bytes, refused in one line."""

import numpy as np
import pytest
from PIL import Image

from ringtrue.core import InvalidInput, Pool
from ringtrue.pools import ImagePool, holds_image_files, read_pool

IMAGES = np.random.default_rng(0).integers(0, 255, (7, 4, 5, 3), dtype=np.uint8)


def test_arrays_are_columns_with_an_item_a_row(tmp_path):
    np.savez(tmp_path / "pool.npz", image=IMAGES, truth=np.array(list("abcdefg")))
    pool = read_pool(tmp_path / "pool.npz")
    assert pool.columns == ("image", "truth")
    batch = pool.take([6, 0])
    assert np.array_equal(batch.columns["image"], IMAGES[[6, 0]])
    assert batch.columns["truth"].tolist() == ["g", "a"]


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda path: np.savez(path, image=np.array([{"a": 1}], dtype=object)), "Python objects, which are not safe"),
        (lambda path: np.savez(path, image=IMAGES, truth=np.array("a")), "'truth' is a single value"),
        (lambda path: np.savez(path, image=IMAGES, truth=np.arange(3)), "different lengths"),
        (lambda path: path.write_bytes(b"PK no archive"), "cannot be read as arrays"),
    ],
)
def test_arrays_that_cannot_be_a_pool_are_refused_in_one_line(tmp_path, write, words):
    write(tmp_path / "pool.npz")
    with pytest.raises(InvalidInput, match=words):
        read_pool(tmp_path / "pool.npz")


@pytest.fixture
def photos(tmp_path):
    lines = ["id,file"]
    for number, image in enumerate(IMAGES):
        Image.fromarray(image).save(tmp_path / f"{number}.png")
        lines.append(f"p{number},{number}.png")
    (tmp_path / "photos.csv").write_text("\n".join(lines))
    return read_pool(tmp_path / "photos.csv")


def test_image_files_are_read_when_they_are_asked_for(tmp_path, photos):
    pool = ImagePool(photos, "file", tmp_path)
    assert isinstance(pool, Pool)
    assert holds_image_files(photos, "file")
    assert not holds_image_files(photos, "id")
    assert np.array_equal(pool.take([3, 1]).columns["file"], IMAGES[[3, 1]])
    assert np.array_equal(np.concatenate([batch.columns["file"] for batch in pool.chunks(3)]), IMAGES)


def test_another_picture_is_another_pool(tmp_path, photos):
    before = ImagePool(photos, "file", tmp_path).fingerprint
    assert ImagePool(photos, "file", tmp_path).fingerprint == before
    Image.fromarray(255 - IMAGES[4]).save(tmp_path / "4.png")
    assert ImagePool(photos, "file", tmp_path).fingerprint != before


def test_files_that_are_no_images_are_refused_with_the_item(tmp_path, photos):
    pool = ImagePool(photos, "file", tmp_path)
    (tmp_path / "2.png").write_text("no picture")
    with pytest.raises(InvalidInput, match=r"item 'p2': .*2\.png cannot be read \(no image\)"):
        pool.take([2])
    (tmp_path / "2.png").unlink()
    with pytest.raises(InvalidInput, match="No such file"):
        pool.take([2])
    Image.new("RGB", (9, 9)).save(tmp_path / "2.png")
    with pytest.raises(InvalidInput, match=r"item 'p2' has an image of shape \(9, 9, 3\), item 'p1' of \(4, 5, 3\)"):
        pool.take([1, 2])
    with pytest.raises(InvalidInput, match="'picture' is not a column"):
        ImagePool(photos, "picture", tmp_path)
