"""Where a needle is: the words for it, and a finding with what explains it."""

from __future__ import annotations

from msgspec import Struct

RESIDENT = "resident"  # in one text of the request
PAGE_IN = "page_in"  # a line of the request names what holds it, and what that is
RECALL = "recall"  # among the places a search without the needle names
DEEP = "deep"  # on disk, unnamed
LOST = "lost"  # nowhere
VERDICTS = (RESIDENT, PAGE_IN, RECALL, DEEP, LOST)


class Finding(Struct, frozen=True):
    """A verdict, the entries that hold the needle, and the names that led or could have led there.

    `named` are names the request shows that hold it; with the verdict `deep` or `recall` their
    lines did not say what they come from. `recalled` are the places of a search that hold it, or
    the first of them when none does.
    """

    verdict: str
    entries: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()
