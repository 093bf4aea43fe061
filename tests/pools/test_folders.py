"""A folder of images as a pool: named by their paths, labelled by subfolders on request, and nothing else in it."""

import os

import numpy as np
import pytest
from PIL import Image

from ringtrue import Study
from ringtrue.core import InvalidInput, PlanChanged, Pool
from ringtrue.pools import check_column, read_pool
from ringtrue.risk import Risk

NAMES = ["cat/1.png", "cat/2.PNG", "dog/1.png", "dog/old/3.jpg"]
IMAGES = np.random.default_rng(0).integers(0, 255, (4, 6, 5, 3), dtype=np.uint8)


def cats(items):
    return ["cat"] * len(items)


@pytest.fixture
def photos(tmp_path):
    for name, image in zip(NAMES, IMAGES, strict=True):
        (tmp_path / "photos" / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(tmp_path / "photos" / name)
    (tmp_path / "photos" / ".DS_Store").write_text("of the system")
    (tmp_path / "photos" / "cat" / "Thumbs.db").write_text("of the system")
    return tmp_path / "photos"


def refused(source, *words, **options):
    with pytest.raises(InvalidInput) as caught:
        read_pool(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_images_are_named_by_their_paths_in_order(photos):
    pool = read_pool(photos)
    assert isinstance(pool, Pool)
    assert (pool.name, pool.size, pool.columns, pool.id_column) == ("photos", 4, ("id", "image"), "id")
    assert pool.take(range(4)).ids == NAMES
    assert np.array_equal(pool.take([2, 0]).columns["image"], IMAGES[[2, 0]])
    assert [batch.ids for batch in pool.chunks(3)] == [NAMES[:3], NAMES[3:]]
    assert pool.hidden == ()


def test_the_first_subfolder_is_a_column_on_request(photos):
    pool = read_pool(f"{photos}{os.sep}#truth")
    assert pool.columns == ("id", "image", "truth")
    assert pool.take(range(4)).columns["truth"].tolist() == ["cat", "cat", "dog", "dog"]
    assert pool.fingerprint != read_pool(photos).fingerprint
    check_column(pool, "truth", labels=["cat", "dog"])


def test_a_column_is_checked_without_reading_the_images(photos, monkeypatch):
    pool = read_pool(f"{photos}#truth")
    monkeypatch.setattr(type(pool), "_image", None)
    check_column(pool, "truth")
    with pytest.raises(InvalidInput, match="row 1: column 'truth' is 'cat', which is not a known label"):
        check_column(pool, "truth", labels=["dog"])


def test_neither_subfolders_nor_the_ids_that_begin_with_them_are_shown_to_an_oracle(photos, tmp_path):
    seen = []

    def label(item):
        seen.append(item)
        return "cat"

    with Study.create(tmp_path / "s", pool=f"{photos}#truth", model=cats, question=Risk()) as study:
        [query] = study.ask(1)
        assert (query.item.id, {*query.item.values}) == ("s:0", {"image"})
        assert [one.item.id for one in study.out(rater="someone")] == ["s:0"]
        study.tell(query, "cat")
        study.run(label)
        assert {record.id for record in study.records} == set(NAMES)
    assert [{*item} for item in seen] == [{"image"}] * 3
    with Study.create(tmp_path / "t", pool=f"{photos}#truth", model=cats, question=Risk()) as study:
        with pytest.raises(InvalidInput, match="is hidden since it would sway it"):
            study.run(lambda item: item["truth"])
        assert study.run("truth").failures == 2  # but it may be the oracle itself
    with Study.create(tmp_path / "u", pool=f"{photos}#said", model="said", question=Risk()) as study:
        assert {*study.ask(1)[0].item.values} == {"image"}
        assert {*study.ask(1, show_model=True)[0].item.values} == {"id", "image", "said"}


def test_a_picture_that_appears_or_changes_is_named(photos, tmp_path):
    with Study.create(tmp_path / "s", pool=photos, model=cats, question=Risk()):
        pass
    before = read_pool(photos).fingerprint
    Image.fromarray(255 - IMAGES[2]).save(photos / NAMES[2])
    assert read_pool(photos).fingerprint != before
    with pytest.raises(PlanChanged, match=r"the first row that differs is row 3 \(item 'dog/1.png'\)"):
        Study.open(tmp_path / "s", pool=photos)
    Image.fromarray(IMAGES[2]).save(photos / NAMES[2])
    Image.fromarray(IMAGES[2]).save(photos / "cat" / "3.png")
    with pytest.raises(PlanChanged, match=r"size was 4, now 5; .* rows? 3"):
        Study.open(tmp_path / "s", pool=photos)
    (photos / "cat" / "3.png").unlink()
    Study.open(tmp_path / "s", pool=photos).close()


def test_a_link_may_lead_to_another_image_of_the_folder(photos):
    (photos / "cat" / "again.png").symlink_to(photos / "dog" / "1.png")
    assert read_pool(photos).size == 5


def _is_link_out(photos):
    Image.fromarray(IMAGES[0]).save(photos.parent / "secret.png")
    (photos / "cat" / "9.png").symlink_to(photos.parent / "secret.png")


def _is_pipe(photos):
    os.mkfifo(photos / "cat" / "9.png")


def _is_huge(photos):
    content = bytearray((photos / NAMES[0]).read_bytes())
    content[16:24] = b"\x00\x10\x00\x00" * 2
    import zlib

    content[29:33] = zlib.crc32(content[12:29]).to_bytes(4, "big")
    (photos / "cat" / "9.png").write_bytes(content)


CASES = {
    "no image by its name": (lambda at: (at / "notes.txt").write_text("x"), ["notes.txt: is not an image", "*.txt"]),
    "no image by its content": (lambda at: (at / "cat/9.png").write_text("x"), ["'cat/9.png'", "(no image)"]),
    "empty": (lambda at: (at / "cat/9.png").touch(), ["'cat/9.png'", "(no image)"]),
    "huge": (_is_huge, ["'cat/9.png'", "pixels: give a smaller one"]),
    "link out": (_is_link_out, ["9.png: is a link that leads out of the folder"]),
    "link to nothing": (lambda at: (at / "cat/9.png").symlink_to("8.png"), ["'cat/9.png'", "No such file"]),
    "link to a folder": (lambda at: (at / "rat").symlink_to(at / "cat"), ["is a link to a folder"]),
    "loop": (lambda at: (at / "rat").symlink_to(at), ["is a link to a folder"]),
    "pipe": (_is_pipe, ["9.png: is not a regular file"]),
    "two lines": (lambda at: (at / "cat/a\nb.png").touch(), ["cannot be printed: rename"]),
    "not UTF-8": (lambda at: open(os.fsencode(at) + b"/\xff.png", "w").close(), ["cannot be printed: rename"]),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_no_image_is_refused_before_anything_is_asked(photos, case):
    make, words = CASES[case]
    make(photos)
    refused(photos, *words)


def test_requests_that_cannot_be_met(photos, tmp_path):
    Image.fromarray(IMAGES[0]).save(photos / "top.png")
    refused(f"{photos}#truth", "top.png: is in no subfolder", "leave out #truth")
    refused(f"{photos}#image", "have a column 'image' already")
    refused(f"{photos}#", "nothing follows the #")
    refused(photos, "no column 'key'", id="key")
    (tmp_path / "none").mkdir()
    refused(tmp_path / "none", "no image in the folder")


def test_a_folder_that_cannot_be_listed(photos, monkeypatch):
    scandir = os.scandir

    def refuse(path):
        if str(path).endswith("dog"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    refused(photos, "dog: cannot be read (Permission denied)")


def test_thousands_of_files(tmp_path):
    Image.new("L", (2, 2)).save(tmp_path / "0000.png")
    content = (tmp_path / "0000.png").read_bytes()
    for number in range(1, 3_000):
        (tmp_path / f"{number:04}.png").write_bytes(content)
    pool = read_pool(tmp_path)
    assert pool.size == 3_000
    assert pool.take([2_999]).ids == ["2999.png"]
