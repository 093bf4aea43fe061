"""Tasks for hunts, by name, and which of them may be tuned on.

A task makes what a model says of some items from a seed: another split, another model in its turn, other draws.
Constants of the package were chosen while looking at tasks of `TUNING`. Those of `RESERVED` are for tables alone: other
data or other classes, other ways to come to be wrong, other models. Of most of these, tables were looked at before it
was settled what is the default; of those in `FRESH` only after that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blind_data import (
    Items,
    Stored,
    adult,
    crowds,
    has,
    has_images,
    held_out,
    images,
    mushrooms,
    pocketed,
    service,
    steps,
    straight,
    waves,
    working,
)

Images = NDArray[np.float32]


def _everything(items: Items) -> NDArray[np.bool_]:
    return np.ones(len(items), dtype=bool)


@dataclass(frozen=True)
class Trained:
    """A model is trained on some items and asked about others.

    `kept` says which items it may be trained on, `shifted` what happens to those it is asked about. `models` take
    turns from seed to seed. The hunt is among the answers `critical`, or all.
    """

    items: Callable[[int], Items]
    models: tuple[str, ...]
    train: int
    critical: int | None = 1
    kept: Callable[[Items], NDArray[np.bool_]] = _everything
    shifted: Callable[[Images], Images] | None = None
    softened: bool = False
    """Whether a temperature is fitted on items like those it was trained on."""

    threshold: float = 0.65


@dataclass(frozen=True)
class Served:
    """Answers that services gave, with how sure they said they were; services take turns from seed to seed."""

    answers: tuple[Callable[[], Stored], ...]
    threshold: float = 0.65


@dataclass(frozen=True)
class Task:
    """What is hunted in, and whether it can be."""

    made: Trained | Served
    about: str
    is_there: Callable[[], bool] = lambda: True


def _without_nines(items: Items) -> NDArray[np.bool_]:
    return items.told != 9


def _without_sevens(items: Items) -> NDArray[np.bool_]:
    return items.told != 7


def _without_bright(of_class: int, share: float) -> Callable[[Items], NDArray[np.bool_]]:
    def kept(items: Items) -> NDArray[np.bool_]:
        light = items.seen.reshape(len(items), -1).mean(axis=1)
        ours = items.told == of_class
        return ~(ours & (light > np.quantile(light[ours], 1 - share)))

    return kept


def _washed_out(seen: Images) -> Images:
    return np.asarray(0.2 + 0.8 * seen)


def _moved(seen: Images) -> Images:
    return np.roll(seen, 2, axis=2)


def _grey(seen: Images) -> Images:
    luma = seen @ np.array([0.299, 0.587, 0.114], dtype=np.float32)
    return np.repeat(luma[..., None], 3, axis=-1)


def _dimmed(seen: Images) -> Images:
    return np.asarray(0.6 * seen)


EVEN, ODD = (0, 2, 4, 6, 8), (1, 3, 5, 7, 9)
SMALL, LARGE = (0, 1, 2, 3, 4), (5, 6, 7, 8, 9)
CAPS = ("cap_shape", "cap_surface", "cap_color", "bruises", "gill_spacing")
STALKS = ("stalk_shape", "stalk_surface_above_ring", "stalk_color_below_ring", "ring_number", "population", "gill_size")

TUNING: Mapping[str, Task] = {
    "digits-nines": Task(
        Trained(lambda _: images("MNIST", EVEN, ODD), ("network", "logistic"), 4_000, kept=_without_nines,
                softened=True),
        "MNIST, even or odd, trained without the 9", has_images,
    ),
    "digits-few": Task(
        Trained(lambda _: images("MNIST", SMALL, LARGE), ("network-long", "forest"), 1_000, softened=True),
        "MNIST, below 5 or not, overfitted to 1,000", has_images,
    ),
    "garments-shirts": Task(
        Trained(lambda _: images("Fashion-MNIST", (2, 4), (0, 3, 6)), ("network", "logistic"), 4_000,
                kept=_without_bright(6, 0.25), softened=True),
        "Fashion-MNIST, pullovers and coats, trained without the brightest shirts", has_images,
    ),
    "garments-washed": Task(
        Trained(lambda _: images("Fashion-MNIST", (0, 6), (2, 3, 4)), ("network", "forest"), 4_000,
                shifted=_washed_out, softened=True),
        "Fashion-MNIST, T-shirts and shirts, tested washed out", has_images,
    ),
    "photos-grey": Task(
        Trained(lambda _: images("CIFAR-10", (3, 5), (4, 7)), ("logistic", "network"), 3_000, shifted=_grey,
                softened=True),
        "CIFAR-10, pets or grazers, tested in grey", has_images,
    ),
    "photos-cats": Task(
        Trained(lambda _: images("CIFAR-10", (3,), (5,)), ("logistic", "boosting"), 1_300,
                kept=_without_bright(5, 0.2), softened=True),
        "CIFAR-10, cats or dogs, trained without the lightest dogs", has_images,
    ),
    "adult-men": Task(
        Trained(lambda _: adult("sex"), ("boosting", "logistic"), 4_000, None,
                kept=lambda items: items.told == "Male"),
        "Adult, trained on men alone", has("uci_adult/adult.csv.gz"),
    ),
    "adult-forest": Task(
        Trained(lambda _: adult("sex"), ("forest", "trees"), 6_000, None),
        "Adult, as it is, by forests", has("uci_adult/adult.csv.gz"),
    ),
    "mushroom-caps": Task(
        Trained(lambda _: mushrooms(CAPS, "habitat"), ("bayes", "boosting"), 2_000, None),
        "mushrooms seen by their caps", has("uci_mushroom/mushroom.csv.gz"),
    ),
    "table-straight": Task(
        Trained(lambda seed: straight(seed, 0.3), ("logistic-shrunk", "trees"), 3_000, None, threshold=0.5),
        "a made-up table whose errors lie where the model is least confident",
    ),
    "table-pocket": Task(
        Trained(lambda seed: pocketed(seed, 0.06), ("network", "boosting"), 3_000, None,
                kept=lambda items: items.told == 0),
        "a made-up table with a pocket that nobody showed the model",
    ),
    "faces": Task(
        Served(tuple(lambda at=at: service("FERPLUS", at) for at in (0, 2)), 0.3),
        "emotions of faces (FERPLUS), two services", has("frugalml/FERPLUS.csv.gz"),
    ),
    "reviews": Task(
        Served(tuple(lambda at=at: service("YELP", at) for at in (0, 2)), 0.0),
        "reviews (YELP), two services", has("frugalml/YELP.csv.gz"),
    ),
}  # fmt: skip
"""Tasks that constants were chosen on, as on the nine of the case study before them; `garments-washed` is much like
F_shift of those."""

SEEN: Mapping[str, Task] = {
    "digits-sevens": Task(
        Trained(lambda _: images("MNIST", (1, 2, 4, 5), (0, 3, 6, 7, 8, 9)), ("trees", "network"), 3_000,
                kept=_without_sevens, softened=True),
        "MNIST, {1, 2, 4, 5} or not, trained without the 7", has_images,
    ),
    "digits-moved": Task(
        Trained(lambda _: images("MNIST", ODD, EVEN), ("network", "logistic"), 4_000, shifted=_moved, softened=True),
        "MNIST, odd or even, tested 2 pixels to the right", has_images,
    ),
    "garments-few": Task(
        Trained(lambda _: images("Fashion-MNIST", (5, 7, 9), (0, 1, 8)), ("logistic-free", "network-long"), 300, None),
        "Fashion-MNIST, shoes or not, overfitted to 300", has_images,
    ),
    "photos-dim": Task(
        Trained(lambda _: images("CIFAR-10", (1, 9), (0, 8)), ("network", "logistic"), 3_000, shifted=_dimmed,
                softened=True),
        "CIFAR-10, cars and lorries or planes and ships, tested dimmed", has_images,
    ),
    "photos-few": Task(
        Trained(lambda _: images("CIFAR-10", (2, 6), (3, 4)), ("network-long", "boosting"), 800),
        "CIFAR-10, birds and frogs or cats and deer, overfitted to 800", has_images,
    ),
    "adult-young": Task(
        Trained(lambda _: adult("age"), ("logistic", "network"), 4_000, None, kept=lambda items: items.told < 35),
        "Adult, trained on those under 35", has("uci_adult/adult.csv.gz"),
    ),
    "adult-rich": Task(
        Trained(lambda _: adult("sex"), ("boosting-long", "bayes"), 2_000, 1),
        "Adult, among those said to earn more than 50,000", has("uci_adult/adult.csv.gz"),
    ),
    "mushroom-stalks": Task(
        Trained(lambda _: mushrooms(STALKS, "habitat"), ("logistic", "trees"), 2_000, None,
                kept=lambda items: items.told != "d"),
        "mushrooms seen by their stalks, trained without those of the woods", has("uci_mushroom/mushroom.csv.gz"),
    ),
    "table-steps": Task(
        Trained(lambda seed: steps(seed), ("forest", "boosting"), 3_000, None),
        "a made-up table of steps with labels that are wrong now and then",
    ),
    "table-line": Task(
        Trained(lambda seed: straight(seed, 0.0), ("logistic-shrunk", "bayes"), 1_000, None, threshold=0.5),
        "a made-up table without noise, by a model that admits too much",
    ),
    "table-pocket-small": Task(
        Trained(lambda seed: pocketed(seed + 100, 0.03), ("trees", "network-long"), 3_000, None,
                kept=lambda items: items.told == 0),
        "a made-up table with a smaller pocket",
    ),
    "commands": Task(
        Served(tuple(lambda at=at: service("COMMAND", at) for at in (0, 1, 2)), 0.3),
        "spoken commands, three services", has("frugalml/COMMAND.csv.gz"),
    ),
    "shop": Task(
        Served(tuple(lambda at=at: service("SHOP", at) for at in (1, 2)), 0.3),
        "reviews of shops in Chinese, two services", has("frugalml/SHOP.csv.gz"),
    ),
    "digits-spoken": Task(
        Served(tuple(lambda at=at: service("DIGIT", at) for at in (0, 1, 2)), 0.0),
        "spoken digits, three services", has("frugalml/DIGIT.csv.gz"),
    ),
    "photos-held-out": Task(
        Served((lambda: held_out("cifar10"),)),
        "CIFAR-10, all classes, a deep network on photographs held out",
        has("cleanlab_label_errors/cifar10_test_set.npz"),
    ),
}  # fmt: skip
"""Reserved tasks: no constant was chosen on them, but tables of them were looked at while the default was settled."""

FRESH: Mapping[str, Task] = {
    "faces-other": Task(
        Served((lambda: service("FERPLUS", 1),)),
        "emotions of faces (FERPLUS), the other service", has("frugalml/FERPLUS.csv.gz"),
    ),
    "reviews-sure": Task(
        Served((lambda: service("YELP", 1),)),
        "reviews (YELP), a service that is sure of nearly all and wrong in half", has("frugalml/YELP.csv.gz"),
    ),
    "commands-free": Task(
        Served((lambda: service("COMMAND", 3),)),
        "spoken commands, the free model", has("frugalml/COMMAND.csv.gz"),
    ),
    "shop-coarse": Task(
        Served((lambda: service("SHOP", 0),), 0.5),
        "reviews of shops in Chinese, a service that says how sure it is in tenths", has("frugalml/SHOP.csv.gz"),
    ),
    "digits-held-out": Task(
        Served((lambda: held_out("mnist"),)),
        "MNIST, all classes, a deep network on digits held out", has("cleanlab_label_errors/mnist_test_set.npz"),
    ),
    "adult-hours": Task(
        Trained(lambda _: working(), ("discriminant", "nearest"), 4_000, None),
        "Adult, who works more than 40 hours", has("uci_adult/adult.csv.gz"),
    ),
    "table-waves": Task(
        Trained(lambda seed: waves(seed), ("nearest", "quadratic"), 3_000, None),
        "a made-up table of waves, with labels that are noisier to one side",
    ),
    "table-crowds": Task(
        Trained(lambda seed: crowds(seed), ("quadratic", "network", "nearest"), 3_000, None,
                kept=lambda items: items.told >= 3),
        "a made-up table of forty crowds, trained without three of them",
    ),
}  # fmt: skip
"""Reserved tasks of which no table was looked at before the default was settled."""

RESERVED = {**SEEN, **FRESH}
TASKS = {**TUNING, **RESERVED}
