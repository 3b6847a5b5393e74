"""The terms of rows, on end in one array of numbers, and what rows share with weighted terms.

A row's terms stand in the order of their names. So the weights of a row are always added in the
same order, whatever came in before, and two rows that share the same terms come to the same sum.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from loom.lazy import lazy_module

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy_module("numpy")

Numbers: TypeAlias = "NDArray[Any]"
Rows: TypeAlias = "NDArray[Any] | slice"  # some rows by their numbers, or a run of them


class RowTerms:
    """Rows in the order they were put; each is a set of terms."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}  # of each term
        self._held = array("i")
        self._ends = array("q", [0])

    def put(self, terms: Collection[str]) -> None:
        """Add a row."""
        numbers = self._numbers
        self._held.extend([numbers.setdefault(term, len(numbers)) for term in sorted(terms)])
        self._ends.append(len(self._held))

    def only(self, rows: Sequence[int]) -> RowTerms:
        """These rows alone, in this order."""
        names = [*self._numbers]
        made = RowTerms()
        for row in rows:
            made.put(
                [names[number] for number in self._held[self._ends[row] : self._ends[row + 1]]]
            )
        return made

    def shared(self, says: Mapping[str, float], rows: Rows) -> Numbers:
        """The sum of the weights of the terms that each of these rows has."""
        weights = np.zeros(len(self._numbers))
        for term, weight in says.items():
            number = self._numbers.get(term)
            if number is not None:
                weights[number] = weight
        ends = np.frombuffer(self._ends, np.int64)
        held = np.frombuffer(self._held, np.int32) if self._held else np.zeros(0, np.int32)
        starts, lengths = ends[:-1][rows], np.diff(ends)[rows]
        if not isinstance(rows, slice):
            # Where each term of these rows stands: from the start of its row on.
            before = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
            held = held[before + np.arange(len(before))]
        of_row = np.repeat(np.arange(len(lengths)), lengths)
        return np.bincount(of_row, weights[held], len(lengths))
