"""Where a needle is: the words for it, and a finding with what explains it."""

from __future__ import annotations

from msgspec import Struct

RESIDENT = "resident"  # in one text of the request
PAGE_IN = "page_in"  # a line of the request names what holds it, and what that is
RECALL = "recall"  # among the places a search without the needle names
DEEP = "deep"  # on disk, unnamed
LOST = "lost"  # nowhere
VERDICTS = (RESIDENT, PAGE_IN, RECALL, DEEP, LOST)

# What an agent gets that asks for the newest fitting name, see `asking`.
FIRST = "first"  # the answer has the needle
NEXT = "next"  # the answer to the call after it has
UNNAMED = "unnamed"  # no line says a name and what it comes from
WRONG = "wrong"  # the name does not hold the needle
SPANS = "spans"  # it holds a part of it
CUT = "cut"  # it holds the needle, which no answer shows
MISSES = (UNNAMED, WRONG, SPANS, CUT)


class Finding(Struct, frozen=True):
    """A verdict, the entries that hold the needle, and the names that led or could have led there.

    `asked` says what an agent that asks for a name gets: FIRST, NEXT or one of MISSES, "" where
    nothing need be asked for or nothing can; `newest` is the (line, name) it asks with.

    `named` are names the request shows that hold it; with the verdict `deep` or `recall` their
    lines did not say what they come from. `recalled` are the places of a search that hold it, or
    the first of them when none does.
    """

    verdict: str
    entries: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()
    asked: str = ""
    newest: tuple[str, str] | None = None
