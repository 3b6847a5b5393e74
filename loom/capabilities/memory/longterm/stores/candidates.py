"""Which memories are scored: all that hold a rare word, and of common words those that hold most.

Theory of operation
-------------------
bm25 of every memory that holds any word asked for is exact and slow: of 100,000 memories a common
word is in tens of thousands, each of which must be scored and sorted. FTS5 walks postings twenty
times faster than it scores them, so memories are chosen first, by walking alone, and only those
chosen are scored, by the same exact bm25 over the whole store. What may not be found (expired, of
another kind or agent) is left out as it is walked over, and takes no place.

1. *Rare.* Terms are taken from the rarest on while the memories that hold them are WIDE in all;
   every memory that holds one is scored. A store or a query of few hits ends here: no term is left,
   and the answer is that of scoring everything. It also ends here, and is the same, where the last
   memory shown scores more than the other terms can give: a term gives PEAK of its weight at most.
2. *Common.* The others weigh what bm25 weighs them by, the logarithm of how rare they are. The
   memories that hold all of them are chosen, then those that hold all but the lightest, and so on
   by the weight that is missing, until ENOUGH are chosen or ROUNDS are over. FEW terms at most,
   the rarest, take part; the rest score, but do not choose. Of one round the newest WIDE are taken.
3. *Idle.* A term in more than half of the memories neither chooses nor scores: FTS5 gives it a
   weight of one millionth. It counts where nothing else is asked for.
4. Where fewer were chosen than are asked for, the newest that hold any term fill up.

So the answer differs from that of scoring everything only where common words decide it: a memory
that holds a word many times, but few of the words; or one among more than WIDE that hold the same.

How rare a term is: counted up to WIDE; beyond that measured in stripes of the ids, evenly spread,
so that a word of last week's is not taken for a common one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import islice
from math import log

from msgspec import Struct

from loom.capabilities.memory.longterm.stores.backend import MemoryQuery
from loom.capabilities.memory.longterm.stores.words import Words
from loom.search.matching import NAME_WEIGHT
from loom.search.query import MOST_TERMS, query
from loom.search.terms import Terms

WIDE = 4_000  # memories that hold a rare term, or are taken in one round
ENOUGH = 2_000  # chosen by common words, when fewer are asked for
FEW = 6  # common terms that choose
ROUNDS = 8
IDLE = 0.5  # of the memories; where bm25's weight falls to nothing
PEAK = 2.2  # k1 + 1 of FTS5's bm25: what a term that is everywhere in a text gives, for its weight

Hit = tuple[int, float]  # id, bm25


class Common(Struct, frozen=True):
    """A term that more memories hold than are scored, and in which share of them it is, 0 to 1."""

    terms: Terms
    share: float

    @property
    def weight(self) -> float:
        """About what a memory that holds it gains in score."""
        return log(1 / self.share) * (NAME_WEIGHT if self.terms.names else 1)


def ranked(words: Words, wanted: MemoryQuery) -> Iterator[Hit]:
    """(id, bm25), more is better: best first, of equal ones the newest."""
    rare, others = _parted(words, wanted.terms)
    common = [Common(one, words.share(query(one))) for one in others]
    telling = [one for one in common if one.share <= IDLE]
    hits = _rare(words, wanted, rare, [one.terms for one in telling])
    if not common or _settled(hits, wanted.limit, telling):
        return iter(hits)
    found = {id for id, _ in hits}
    near = _near(words, wanted, telling or ([] if rare else common)) - found
    if len(found | near) < wanted.limit:
        near |= set(words.holding(_any(others), wanted, wanted.limit)) - found
    hits += words.scored(_any([one.terms for one in telling] or others), near)
    hits += ((id, 0.0) for id in sorted(near - {id for id, _ in hits}, reverse=True))
    return iter(sorted(hits, key=lambda hit: (-hit[1], -hit[0])))


def _parted(words: Words, asked: Terms) -> tuple[list[Terms], list[Terms]]:
    """The terms that any memory holds, the rarest first: those WIDE hold in all, and the others."""
    single = [Terms((), (name,)) for name in asked.names[:MOST_TERMS]]
    single += [Terms((word,), ()) for word in asked.words[:MOST_TERMS]]
    counted = [(words.counted(query(one), WIDE + 1), one) for one in single]
    held = sorted((one for one in counted if one[0]), key=lambda one: one[0])
    total, rare = 0, 0
    for count, _ in held:
        total += count
        rare += total <= WIDE
    terms = [one for _, one in held]
    return terms[:rare], terms[rare:]


def _rare(words: Words, wanted: MemoryQuery, rare: list[Terms], telling: list[Terms]) -> list[Hit]:
    """Every memory that holds a rare term, scored by all of them.

    FTS5 finds by the left side of AND and only looks up on the right. bm25 sums over both sides, so
    there each term stands twice in all, and the sum is halved.
    """
    if not rare:
        return []
    ids = words.holding(_any(rare), wanted, WIDE)
    if not telling:
        return list(words.scored(_any(rare), ids))
    left, right = _any(rare), _any(telling)
    both = words.scored(f"({left}) AND ({left} OR {right} OR {right})", ids)
    return [(id, score / 2) for id, score in both]


def _settled(hits: list[Hit], limit: int, telling: list[Common]) -> bool:
    """True when no memory without a rare term can rank before the last one shown."""
    most = PEAK * sum(one.weight for one in telling)
    return len(hits) >= limit and hits[limit - 1][1] > most


def _near(words: Words, wanted: MemoryQuery, common: list[Common]) -> set[int]:
    """Ids of memories that hold most of the common terms."""
    enough = max(ENOUGH, wanted.limit)
    heaviest = sorted(common, key=lambda one: one.share)[:FEW]
    found: set[int] = set()
    for together in islice(rounds(heaviest), ROUNDS):
        match = " AND ".join(f"({query(one.terms)})" for one in together)
        found.update(words.holding(match, wanted, max(WIDE, enough)))
        if len(found) >= enough:
            break
    return found


def rounds(terms: list[Common]) -> Iterator[list[Common]]:
    """Terms to be held together: all, then by the weight of those left out, the least first."""
    if terms:
        yield terms
    lightest = sorted(terms, key=lambda one: one.weight)
    queue: list[tuple[float, tuple[int, ...]]] = [(lightest[0].weight, (0,))] if terms else []
    while queue:
        lost, out = heappop(queue)
        if len(out) < len(terms):
            yield [one for at, one in enumerate(lightest) if at not in out]
        if (after := out[-1] + 1) < len(terms):
            more = lost + lightest[after].weight
            heappush(queue, (more, (*out, after)))
            heappush(queue, (more - lightest[out[-1]].weight, (*out[:-1], after)))


def _any(terms: Iterable[Terms]) -> str:
    """An expression of FTS5 for those that hold any of the terms."""
    held = list(terms)
    words = tuple(word for one in held for word in one.words)
    return query(Terms(words, tuple(name for one in held for name in one.names)))
