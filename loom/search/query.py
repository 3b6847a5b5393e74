"""Writes queries in the syntax of FTS5, and picks the terms that tell where to look.

bm25 takes longest for common terms, which say least. So only units with one of the rarer terms are
scored, about SCORED units, and a common term counts only in these. If there are rarer terms, a term
that one unit in COMMON holds is left out: bm25 gives it a weight of 2 at most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log2

from msgspec import Struct

from loom.search.matching import NAME_WEIGHT, NAMES, WORDS, Term
from loom.search.terms import Terms

MOST_TERMS = 128  # of a query
SCORED = 4_000  # units, as many as bm25 scores in about 4 ms
COMMON = 8
STEPS = 100  # to one of the logarithm, in a weight


class TermCounts(Struct, frozen=True):
    """`all` is the number of units in an index. `units` maps each term of a query to the number of
    units that hold it. A common term is counted up to `common_threshold(all)` only."""

    all: int
    units: Mapping[Term, int]

    def rarity_weights(self) -> dict[Term, int]:
        """Return {term: weight}. A term that fewer units hold has a higher weight."""
        return {
            term: 1 + int(STEPS * log2(1 + self.all / max(count, 1)))
            for term, count in self.units.items()
        }

    def rare_and_common(self) -> tuple[list[Term], list[Term]]:
        """Return (rarer terms, common terms) of the query, rarest first. Terms that no unit holds
        and terms too common to be counted are left out."""
        held = sorted((term for term in self.units if self.units[term]), key=self.units.__getitem__)
        telling: list[Term] = []
        left = SCORED
        for term in held:
            left -= self.units[term]
            if telling and left < 0:  # the rarest term is always taken, however common
                break
            telling.append(term)
        return telling, [
            t for t in held[len(telling) :] if self.units[t] < common_threshold(self.all)
        ]


def common_threshold(units: int) -> int:
    """Return how many of an index's `units` units must hold a term for it to be common."""
    return max(units // COMMON, SCORED)


def terms_with_columns(wanted: Terms) -> list[Term]:
    """Return a query's terms as (column, term), at most MOST_TERMS names and as many words."""
    names = [(NAMES, name) for name in wanted.names[:MOST_TERMS]]
    return names + [(WORDS, word) for word in wanted.words[:MOST_TERMS]]


def fts_query(wanted: Terms) -> str:
    """Return the FTS5 query for units with any of the terms `wanted`; "" for no terms."""
    return fts_expression(terms_with_columns(wanted))


def fts_expression(terms: Iterable[Term]) -> str:
    """Return the FTS5 query that finds units with any of `terms`, given as (column, term); "" for
    no terms."""
    columns: dict[str, list[str]] = {}
    for column, term in terms:
        # bm25 counts a repeated term as often as it is repeated.
        times = NAME_WEIGHT if column == NAMES else 1
        columns.setdefault(column, []).extend([_quote_term(term)] * times)
    return " OR ".join(f"{{{column}}} : ({' OR '.join(held)})" for column, held in columns.items())


def _quote_term(term: str) -> str:
    """Return a term in double quotes, as FTS5 wants a string."""
    return '"' + term.replace('"', '""') + '"'
