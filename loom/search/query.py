"""A query in the syntax of FTS5, and which of its terms tell where to look.

bm25 costs most where a term is common and says least there: it scores the units of the rarer terms,
about SCORED units, and common terms count only in units with a rarer one. Beside a rarer term, a
term that one unit in COMMON holds is left out: bm25 gives it a weight of 2 at most."""

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
    """How many units an index holds (`all`), and how many of them hold each term of a query
    (`units`).

    A term that `common_count` units hold is common, and is counted no further."""

    all: int
    units: Mapping[Term, int]

    def rarity_weights(self) -> dict[Term, int]:
        """Return the weight of each term: the fewer units hold it, the larger, by a logarithm."""
        return {
            term: 1 + int(STEPS * log2(1 + self.all / max(count, 1)))
            for term, count in self.units.items()
        }

    def rare_and_common(self) -> tuple[list[Term], list[Term]]:
        """Return (rarer terms, common terms) of those that any unit holds. The rarer are at least
        the rarest term, and further terms as long as no more than SCORED units hold them in all;
        the common are the other terms, but for those that are too common to count."""
        held = sorted((term for term in self.units if self.units[term]), key=self.units.__getitem__)
        telling: list[Term] = []
        left = SCORED
        for term in held:
            left -= self.units[term]
            if telling and left < 0:
                break
            telling.append(term)
        return telling, [t for t in held[len(telling) :] if self.units[t] < common_count(self.all)]


def common_count(units: int) -> int:
    """Return how many units must hold a term for it to be common, in an index of `units` units."""
    return max(units // COMMON, SCORED)


def terms_with_columns(wanted: Terms) -> list[Term]:
    """Return the terms of a query as (column, term), at most MOST_TERMS names and as many words."""
    names = [(NAMES, name) for name in wanted.names[:MOST_TERMS]]
    return names + [(WORDS, word) for word in wanted.words[:MOST_TERMS]]


def fts_query(wanted: Terms) -> str:
    """Return the FTS5 query for units that hold any of a query's terms; "" for no terms."""
    return fts_expression(terms_with_columns(wanted))


def fts_expression(terms: Iterable[Term]) -> str:
    """Return the FTS5 query for units that hold any of these (column, term) pairs; "" for none.

    bm25 sums over a query's terms, so a name is repeated NAME_WEIGHT times to count as often."""
    columns: dict[str, list[str]] = {}
    for column, term in terms:
        times = NAME_WEIGHT if column == NAMES else 1
        columns.setdefault(column, []).extend([_quote_term(term)] * times)
    return " OR ".join(f"{{{column}}} : ({' OR '.join(held)})" for column, held in columns.items())


def _quote_term(term: str) -> str:
    """Return a term as a string of FTS5, in double quotes."""
    return '"' + term.replace('"', '""') + '"'
