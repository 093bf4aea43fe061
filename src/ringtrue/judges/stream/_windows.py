"""The latest votes of a stream: windows that slide, and windows in which older votes weigh less. In exact integers."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ringtrue.core import InvalidInput, Pattern, Sketch, count


class _Window:
    """The latest blocks of a stream, the newest first, of `length` items each, and the totals of their patterns."""

    _newest = 1
    """The weight of an item of the newest block."""

    def __init__(self, empty: Sketch, blocks: int, length: int) -> None:
        self._empty, self._most, self._length, self._left = empty, blocks, length, length
        self._blocks: deque[dict[Pattern, int]] = deque([{}])
        self._totals: dict[Pattern, int] = {}

    def add(self, votes: Mapping[str, Any] | Sequence[Any]) -> None:
        """Count the next item by its votes: by judge, or in the order of the judges; None abstains."""
        self.count(self._empty.pattern(votes))

    def count(self, pattern: Pattern) -> None:
        """Count the next item by a pattern that is known to be one of this sketch's; the quick way."""
        if not self._left:
            self._age(self._blocks.pop() if len(self._blocks) == self._most else {})
            self._blocks.appendleft({})
            self._left = self._length
        newest = self._blocks[0]
        newest[pattern] = newest.get(pattern, 0) + 1
        self._left -= 1
        self._totals[pattern] = self._totals.get(pattern, 0) + self._newest

    def _age(self, oldest: Mapping[Pattern, int]) -> None:
        """Take the oldest block, whose items weigh 1, out of the totals."""
        for pattern, times in oldest.items():
            self._totals[pattern] -= times
            if not self._totals[pattern]:
                del self._totals[pattern]

    @property
    def size(self) -> int:
        """The number of items in the window, each counted once."""
        return len(self._blocks) * self._length - self._left

    @property
    def sketch(self) -> Sketch:
        """The sketch of the items in the window, or of their weights, as it is now."""
        return Sketch(self._empty.judges, self._empty.labels, self._totals)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({count(len(self._empty.judges), 'judge')}, {count(self.size, 'item')})"


class SlidingWindow(_Window):
    """The sketch of the latest items of a stream, at most `size` of them.

    Items come in `blocks` blocks of equal length. Once all are full, the next item opens a new block and the oldest
    goes as a whole. What is exact: the window always holds the latest items and no others, each counted once, and
    its sketch is the one of just these items. What moves in steps is how many they are: once the stream is long
    enough, from `size` less one block, plus one, up to `size`. With as many blocks as items they are always `size`.

    >>> window = SlidingWindow(["ann", "bob"], ["no", "yes"], size=4, blocks=2)
    >>> for votes in (["yes", "yes"], ["yes", "no"], ["no", "no"], ["no", "no"], ["no", None]):
    ...     window.add(votes)
    >>> window.size, dict(window.sketch)
    (3, {(0, 0): 2, (0, -1): 1})
    """

    def __init__(self, judges: Iterable[str], labels: Iterable[Any], *, size: int, blocks: int = 10) -> None:
        # Ten blocks: the window is never shorter than nine tenths of its size.
        most, blocks = _whole("size", size, least=1), _whole("blocks", blocks, least=1)
        if most % blocks:
            raise InvalidInput(f"size={most} must be a multiple of blocks={blocks}: change one of them")
        super().__init__(Sketch(judges, labels), blocks, most // blocks)


class DecayingWindow(_Window):
    """The sketch of a stream in which an item's weight halves with every `half_life` further items.

    Items come in blocks of `half_life`. In a window of k blocks the newest weighs 2 to the power k - 1, the one
    before it half of that, the oldest 1; then it goes. What is exact: the sketch is the sum of the blocks' counts
    times these weights, in integers, with nothing rounded. What is not exact is the decay: it goes in steps, so that
    items of one block weigh the same, and a block that would weigh less than 1 is forgotten.

    Its counts are weights, not items. Whoever makes an interval of them uses `effective_size` for the number of
    items: the square of the sum of all weights over the sum of their squares (Kish, Survey Sampling, 1965).

    >>> window = DecayingWindow(["ann"], ["no", "yes"], half_life=2, blocks=3)
    >>> for vote in ("yes", "yes", "no", "yes", "no"):
    ...     window.add([vote])
    >>> dict(window.sketch), window.size, window.effective_size
    ({(1,): 4, (0,): 6}, 5, 3.8461538461538463)
    """

    def __init__(self, judges: Iterable[str], labels: Iterable[Any], *, half_life: int, blocks: int = 16) -> None:
        # Sixteen blocks: what is forgotten would be one part in 65,536 of all weights.
        most, length = _whole("blocks", blocks, least=1), _whole("half_life", half_life, least=1)
        super().__init__(Sketch(judges, labels), most, length)
        self._newest: int = 2 ** (most - 1)

    def _age(self, oldest: Mapping[Pattern, int]) -> None:
        super()._age(oldest)
        # The oldest block, which alone had odd weights, has gone: the halves are whole.
        self._totals = {old: weight // 2 for old, weight in self._totals.items()}

    @property
    def effective_size(self) -> float:
        """The number of items of equal weight that would tell as much; 0 if there are none."""
        sizes = [self._length - self._left] + [self._length] * (len(self._blocks) - 1)  # the newest first
        weights = [self._newest >> age for age in range(len(sizes))]
        total = sum(weight * size for weight, size in zip(weights, sizes, strict=True))
        squares = sum(weight**2 * size for weight, size in zip(weights, sizes, strict=True))
        return total**2 / squares if squares else 0.0


def _whole(name: str, value: Any, *, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise InvalidInput(f"{name}={value!r} must be a whole number from {least} up: say how many there should be")
    return number
