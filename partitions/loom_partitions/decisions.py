"""Decisions: what the engine chose, recorded with its results."""

from __future__ import annotations

from msgspec import Struct

from loom_partitions.edits import Edit
from loom_partitions.limits import Tokens
from loom_partitions.message import Notice


class Certificate(Struct, frozen=True):
    """What was checked before a cut was applied.

    `protected` maps each protected partition to the sha256 of its stored state, equal before and
    after. `before` and `after` are tokens of the request, `target` what the cut had to reach,
    `reusable` the tokens of the prefix the next request shares with the last one, `removed` how
    many texts lost detail, each of them resolvable to a page or a journal record.
    """

    protected: dict[str, str]
    before: Tokens
    after: Tokens
    target: int
    reusable: int
    removed: int
    orphans: int = 0


class Compressed(Struct, frozen=True, tag="Compressed"):
    """A cut: `edits` from item `start` of the stream on.

    `thinking` is the entry whose opaque reasoning stays, 0 for none.
    """

    level: str
    edits: tuple[Edit, ...]
    start: int
    certificate: Certificate
    thinking: int = 0


class Renewed(Struct, frozen=True, tag="Renewed"):
    """A fresh window: C_working rests in `snapshot`, history is folded, shelves are settled."""

    generation: int
    edits: tuple[Edit, ...]
    snapshot: str
    certificate: Certificate
    shed: tuple[str, ...] = ()
    thinking: int = 0


class Turned(Struct, frozen=True, tag="Turned"):
    """A request was made: `notice` was frozen into the stream.

    `mark` sums up what the dashboard last told the model, so that only a material change is told
    again. `tried` is how many levels were crossed when none found a cut, and the tokens then.
    """

    turn: int
    notice: Notice | None
    mark: str = ""
    tried: tuple[int, int] = (-1, 0)


class Marked(Struct, frozen=True, tag="Marked"):
    """The model wrote on a surface itself: `mark` is what it needs no telling of."""

    mark: str


class Faulted(Struct, frozen=True, tag="Faulted"):
    """Something was brought back from disk: `ref` and which part of it."""

    ref: str
    part: str
    tokens: int


class Pinned(Struct, frozen=True, tag="Pinned"):
    """The entry keeps its detail until entry `until` comes, or the window is renewed.

    `until` is FOREVER for a pin of the host's, which outlives renewals too, 0 when it lets go.
    """

    entry: int
    until: int
