"""A folder with pictures, a model of them, and people who know the truth: what `ringtrue blind` is given."""

import numpy as np

DESK = """
import numpy as np

def chances(images):
    light = np.asarray(images, dtype=float).reshape(len(images), -1).mean(axis=1) / 255
    return 1 / (1 + np.exp(-60 * (light - 0.5)))

def predict(images):
    p = chances(images)
    return np.where(p > 0.5, "light", "dark").tolist(), np.stack([1 - p, p], axis=1), ["dark", "light"]

def bare(images):
    return predict(images)[0]

def stubborn(images):
    return ["dark"] * len(images), np.tile([0.9, 0.1], (len(images), 1)), ["dark", "light"]

def noisy(images):
    print("looking at", len(images))
    return predict(images)

def lost(item, amount, rng):
    return None

def broken(item, amount, rng):
    raise KeyError("nope")

def halved(item, amount, rng):
    return {"text": item["text"][:3]}

def label(item):
    return item["truth"]

def shorter(item, amount, rng):
    return {**item, "text": item["text"][: round((1 - amount) * len(item["text"]))]}

def wordy(rows):
    long = [min(len(row["text"]) / 20, 1.0) for row in rows]
    table = [[1 - 0.5 * x, 0.5 * x] if x < 0.5 else [0.5 * (1 - x), 1 - 0.5 * (1 - x)] for x in long]
    return ["short" if x < 0.5 else "long" for x in long], table, ["short", "long"]
"""


def lay_desk(folder, items=120):
    """Write pictures.npz and desk.py; a white corner turns the truth round, which the model does not know."""
    (folder / "desk.py").write_text(DESK)
    rng = np.random.default_rng(3)
    shade = rng.uniform(90, 165, items)
    images = np.clip(shade[:, None, None] + 30 * rng.standard_normal((items, 5, 5)), 0, 250).astype(np.uint8)
    odd = rng.random(items) < 0.25
    images[odd, 0, 0], images[odd, 0, 1], images[odd, 1, 0] = 255, 255, 255
    light = images.reshape(items, -1).mean(axis=1) / 255 > 0.5
    truth = np.where(light ^ odd, "light", "dark")
    np.savez(folder / "pictures.npz", image=images, truth=truth, corner=np.where(odd, "white", "plain"))
    return ("--pool", "pictures.npz", "--model", "desk:predict", "--input", "image", "--oracle", "truth")
