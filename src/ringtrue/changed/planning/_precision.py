"""What a change is taken to look like, and how far off an estimate of it is on average after so many calls.

The squared error of a stratified sample without replacement is the sum, over strata, of (share of the pool)^2 times
(1 - sum of squared answer shares) times (1/calls - 1/items). What is planned for is the mean error, not its square
root of the mean square: a norm of f independent normal errors has a mean below that, by the factor of a chi
distribution, and f is matched to the covariance (Satterthwaite).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from ringtrue.changed._baseline import Floats, Ints
from ringtrue.changed._census import Census, group_of
from ringtrue.changed.paired._bound import shared_out

_BORROWED = 2.0
"""How many items' worth each label's habits borrow from those of all labels, so that a rare one is not taken to be
perfect because it shows no error."""


_SURER = 0.5
"""How often an answer that was right changes, against one of the next lower level of confidence. Between the
commercial services of FrugalML's YELP, SHOP, FERPLUS, DIGIT and COMMAND, 30 ordered pairs, the median is 0.5 from the
lowest third to the middle and 0.6 from there to the highest; of answers that were wrong it is 1."""


def assumed_answers(census: Census, share: float) -> Floats:
    """Return the answers (kinds, answers) expected of each kind of item if this share of all answers changes.

    Some answers are drawn anew, each as the old model answers items of that label; of right answers those it was less
    sure of more often. So answers that were wrong change more often than right ones, mostly for the better, and the
    confusion matrix stays about what it was. When all are drawn anew and more must change, every answer that stayed
    is as likely to. Where the old model was never wrong, as without true labels, an answer is drawn as it answers
    items in general. If it only ever said one thing, the new answer is unheard of, in a last column.

    >>> from ringtrue.changed._baseline import Baseline
    >>> old, truth = ["a"] * 80 + ["b"] * 120, ["a"] * 90 + ["b"] * 110
    >>> census, _ = Census.take(Baseline.of(old=old, truth=truth))
    >>> assumed_answers(census, 0.05).round(3).tolist()  # ten in 90 were wrong where the label is "a"
    [[0.938, 0.062], [0.503, 0.497], [0.0, 1.0]]
    """
    row = _habits(census)
    here = np.arange(census.kinds)
    drawn_anew = 1 - row[here, census.old]
    most = min(1.0, float(census.items @ drawn_anew) / census.size)
    changed = np.zeros(census.kinds)
    if most:
        pull = census.items * np.maximum(drawn_anew, 1e-9) * _unsureness(census)
        total = min(share, most) * census.size
        changed = shared_out(pull, census.items.astype(float), total, rounds=census.kinds) / census.items
    if share > most:
        changed += (1 - changed) * (share - most) / (1 - most)
    leaving = row.copy()
    leaving[here, census.old] = 0.0
    nowhere = leaving.sum(axis=1) <= 0
    if nowhere.any():
        leaving = np.column_stack([leaving, nowhere])
    means: Floats = changed[:, None] * leaving / leaving.sum(axis=1, keepdims=True)
    means[here, census.old] = 1 - changed
    return means


def _habits(census: Census) -> Floats:
    """Return how the old model answers items of each kind's label: shares of its answers, a little smoothed."""
    matrix = census.old_matrix()
    said = matrix.sum(axis=0)
    if census.right.all():  # nothing is known of errors
        return np.tile(said, (census.kinds, 1))
    right = float(census.items[census.right].sum()) / census.size
    usual = np.tile((1 - right) * said, (census.labels, 1))
    usual[np.arange(census.labels), np.arange(census.labels)] += right
    seen = census.size * matrix
    rows = (seen + _BORROWED * usual) / (seen.sum(axis=1, keepdims=True) + _BORROWED)
    return np.asarray(rows[census.truth])


def _unsureness(census: Census) -> Floats:
    """Return how much more often than its like a kind changes for its confidence; 1 where that is missing."""
    group = group_of(census.truth, census.old)
    top = np.array([len(census.cuts.get(int(each), ())) for each in group])
    known = census.right & (census.level <= top)
    factor = np.where(known, _SURER ** census.level.astype(float), 1.0)
    for each in np.unique(group[known]):
        here = known & (group == each)
        factor[here] *= census.items[here].sum() / (census.items[here] @ factor[here])
    return factor


def uniform_error(census: Census, means: Floats, calls: int) -> float:
    """Return the error of plain shares of a uniform sample without replacement."""
    cells = census.matrix(means).reshape(1, -1)
    return mean_norm(np.array([_rest(calls, census.size)]), cells, np.zeros(1, dtype=np.int64))


def oneshot_error(census: Census, means: Floats, calls: int) -> float:
    """Return the error of one uniform sample weighted by label and old answer; cells without a draw stay as before."""
    cells, items, answers = merged(census, means, np.stack([census.truth, census.old], axis=1))
    part = items / census.size
    rest, missed = _expected_rest(items, census.size, calls)
    stayed = np.zeros_like(answers)
    stayed[np.arange(len(items)), cells[:, 1]] = 1.0
    bias = missed * part**2 @ ((answers - stayed) ** 2).sum(axis=1) if calls else 0.0
    return mean_norm(rest * part**2, answers, cells[:, 0], extra=float(np.sum(bias)))


def masa_error(census: Census, means: Floats, calls: int) -> float:
    """Return the error of the best allocation to label and level with replacement, which MASA comes close to."""
    cells, items, answers = merged(census, means, np.stack([census.truth, census.level], axis=1))
    part = items / census.size
    spread = part * np.sqrt(np.maximum(1 - (answers**2).sum(axis=1), 0.0))
    if spread.sum() == 0:
        return 0.0
    scale = np.divide(part**2 * spread.sum(), calls * spread, out=np.zeros_like(part), where=spread > 1e-12)
    return mean_norm(scale, answers, cells[:, 0])


def paired_error(census: Census, means: Floats, calls: int) -> float:
    """Return the error of paired answers, half even, half by Neyman over label, old right or wrong, and level.

    Few answers are not taken at their word: what they say is joined with what is known of all kinds. Such an estimate
    is never much further off than the shift is large, and in squares the two errors add as resistors in parallel.
    """
    by = np.stack([census.truth, census.right, census.level], axis=1)
    place = np.unique(by, axis=0, return_inverse=True)[1].reshape(-1)
    items: Floats = np.bincount(place, weights=census.items).astype(float)
    spread = np.bincount(place, weights=census.items * (1 - (means**2).sum(axis=1))) / items
    weight = items * np.sqrt(np.maximum(spread, 0.0))
    even = items / census.size
    claims = even + weight / weight.sum() if weight.sum() else even
    each = shared_out(claims, items, float(calls), rounds=len(items))
    scale = (_rest(each, items) * even**2)[place] * census.items / items[place]
    drawn, whole = mean_norm(scale, means, census.truth), _largest_shift(census, means)
    return drawn * whole / math.hypot(drawn, whole) if drawn else 0.0


def _largest_shift(census: Census, means: Floats) -> float:
    """Return how large a shift may be if so many answers change: all for better or all for worse, in squares twice.

    Twice, because changes may gather in some cells more than assumed. Once and twice were compared with simulated
    errors on YELP, SHOP, FERPLUS and COMMAND, with 1%, 3% and 8% of the answers changed to another service's: with once
    a plan for two labels and 1% is too short.
    """
    flow = means * (census.items / census.size)[:, None]
    flow[np.arange(census.kinds), census.old] = 0.0
    better = np.zeros_like(flow)
    better[~census.right, census.truth[~census.right]] = flow[~census.right, census.truth[~census.right]]
    worse = np.where(census.right[:, None], flow, 0.0)
    largest = 0.0
    for moved in (better, worse):
        if moved.sum() > 0:
            shift = np.zeros((census.labels, means.shape[1]))
            np.add.at(shift, census.truth, moved)
            np.add.at(shift, (census.truth, census.old), -moved.sum(axis=1))
            largest = max(largest, flow.sum() / moved.sum() * float(np.linalg.norm(shift)))
    return math.sqrt(2) * largest


def merged(census: Census, means: Floats, by: Ints) -> tuple[Ints, Ints, Floats]:
    """Return the strata of kinds alike in `by`: what they are alike in, their items and their mean answers."""
    cells, place = np.unique(by, axis=0, return_inverse=True)
    place = place.reshape(-1)
    items = np.bincount(place, weights=census.items, minlength=len(cells))
    answers = np.zeros((len(cells), means.shape[1]))
    np.add.at(answers, place, means * census.items[:, None])
    return cells, items.astype(np.int64), answers / items[:, None]


def mean_norm(scale: Floats, answers: Floats, rows: Ints, *, extra: float = 0.0) -> float:
    """Return the mean Frobenius norm of the error if stratum s adds scale[s] times its covariance to its row."""
    total = square = 0.0
    for row in np.unique(rows):
        a, mean = scale[rows == row], answers[rows == row]
        sums = a @ mean
        total += a @ (mean * (1 - mean)).sum(axis=1)  # no difference of sums: exactly none where no answer varies
        square += (sums**2).sum() - 2 * sums @ (a @ mean**2) + a @ (mean @ mean.T) ** 2 @ a
    if total <= 1e-15 or square <= 0:
        return math.sqrt(max(total, 0.0) + extra)
    return math.sqrt(total + extra) * chi_mean(total**2 / square)


def chi_mean(freedom: float) -> float:
    """Return the mean of a chi variable over its root mean square.

    >>> round(chi_mean(1), 4), round(chi_mean(2), 4), round(chi_mean(1000), 4)
    (0.7979, 0.8862, 0.9998)
    """
    return math.sqrt(2 / freedom) * math.exp(gammaln((freedom + 1) / 2) - gammaln(freedom / 2))


def _rest(calls: Floats | Ints | int, items: Floats | Ints | int) -> Floats:
    """Return 1/calls - 1/items, with the correction that makes it exact for a finite pool."""
    whole = np.asarray(items, dtype=float)
    return np.asarray(np.maximum(whole / calls - 1, 0.0) / np.maximum(whole - 1, 1))


def _expected_rest(items: Ints, size: int, calls: int) -> tuple[Floats, Floats]:
    """Return, for strata of a uniform sample, the mean of `_rest` where an item was drawn, and the chance of none."""
    numbers, place = np.unique(items, return_inverse=True)
    mean = calls * numbers / size
    near = 8 * np.sqrt(mean) + 8  # numbers drawn that are further off have no chance to speak of
    first = np.maximum(np.maximum(0, calls - (size - numbers)), (mean - near).astype(np.int64))
    last = np.minimum(np.minimum(numbers, calls), (mean + near).astype(np.int64))
    stratum = np.repeat(np.arange(len(numbers)), last - first + 1)
    drawn = np.arange(len(stratum)) - np.concatenate([[0], np.cumsum(last - first + 1)[:-1]])[stratum] + first[stratum]
    of = numbers[stratum]
    ways = log_choose(of, drawn) + log_choose(size - of, calls - drawn) - log_choose(size, calls)
    chance = np.exp(ways)
    some = drawn > 0
    weighted = np.where(some, chance * _rest(np.maximum(drawn, 1), of), 0.0)
    rest: Floats = np.bincount(stratum, weights=weighted, minlength=len(numbers)).astype(float)
    missed: Floats = np.bincount(stratum, weights=np.where(some, 0.0, chance), minlength=len(numbers)).astype(float)
    return rest[place], missed[place]


def log_choose(of: Ints | int, drawn: Ints | int) -> Floats:
    """Return the logarithm of the number of ways to draw so many."""
    return np.asarray(
        gammaln(np.asarray(of) + 1) - gammaln(np.asarray(drawn) + 1) - gammaln(np.asarray(of) - drawn + 1)
    )
