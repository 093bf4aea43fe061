"""A working process to be killed while it asks the model around the items: its model keeps an account."""

import hashlib
import os
import time

import numpy as np

from ringtrue.blind import Blind, Distance
from ringtrue.models import ArrayModel
from ringtrue.pools import TablePool
from ringtrue.study import Study

STANDSTILL = 9999.0
ITEMS = 600


def pool():
    rng = np.random.default_rng(5)
    images = rng.integers(0, 255, (ITEMS, 5, 5), dtype=np.uint8)
    light = images.reshape(ITEMS, -1).mean(axis=1) > 128
    truth = np.where(light ^ (rng.random(ITEMS) < 0.1), "light", "dark")
    return TablePool({"image": images, "truth": truth.astype(object)}, name="patches")


def said(images):
    light = np.asarray(images, dtype=float).reshape(len(images), -1).mean(axis=1) / 255
    chance = 1 / (1 + np.exp(-30 * (light - 0.5)))
    return np.where(chance > 0.5, "light", "dark").tolist(), np.stack([1 - chance, chance], axis=1), ["dark", "light"]


class Account:
    """Writes the hash of every call before it answers; after so many calls it takes for ever."""

    def __init__(self, folder, stop=None):
        self.path, self.stop = folder / "account.txt", stop

    def __call__(self, images):
        line = f"{len(images)} {hashlib.sha256(np.ascontiguousarray(images).tobytes()).hexdigest()}\n"
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, line.encode())
        os.close(descriptor)
        if self.stop is not None and len(calls(self.path.parent)) >= self.stop:
            time.sleep(STANDSTILL)
        return said(images)


def calls(folder):
    """The calls of the model, in order: how many inputs, and their hash."""
    path = folder / "account.txt"
    return path.read_text().splitlines() if path.exists() else []


def model(function=said):
    return ArrayModel(function, "image", name="patch judge")


def make(folder, **settings):
    items = pool()
    question = Blind.of(
        items, None, model=model(), inputs="image", threshold=0.5, distance=Distance("rays", 15), **settings
    )
    Study.create(folder / "study.ringtrue", question=question, pool=items, model=model(), budget=30).close()


def prepare(folder, stop=None, executor=None):
    """Ask the model about the pool and around its items, in the study in FOLDER."""
    with Study.open(folder / "study.ringtrue", pool=pool(), model=model(Account(folder, stop))) as study:
        study.prepare(executor=executor)
