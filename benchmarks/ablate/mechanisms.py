"""The mechanisms of the window: a sentence each, the modules it lives in, what stands without it.

A mechanism enters with a figure on sessions it was not made on, and leaves when no judge would miss
it. FRAME are the modules that no judge can do without: the ladder, a cut's input, a digest's form.
Beside a crude "off" stands the next simpler form, as a row of its own (`edited, outdating`): "off"
alone makes a mechanism look vital that a simpler one would serve as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from msgspec import Struct

from loom.compress.worth.catalog import Catalog
from loom.compress.worth.edited import changed
from loom.compress.worth.focus import Relevance
from loom.compress.worth.superseded import by_edit
from loom.reduce.preview import preview


class Mechanism(Struct, frozen=True):
    """One mechanism. `without` gives what stands in place of which function, by its dotted name."""

    name: str
    sentence: str
    modules: tuple[str, ...]
    without: Mapping[str, Any]


def _nothing(*given: Any, **named: Any) -> None:
    """Do nothing."""


def _none(*given: Any, **named: Any) -> list[Any]:
    return []


def _same(given: Any, *more: Any, **named: Any) -> Any:
    return list(given)


def _outdate(catalog: Catalog, path: str, change: Any) -> None:
    """Outdate the slices an edit changes, and bring none up to date."""
    known = catalog._index.current_of(path)
    if change is None:
        catalog._index.outdate(unit.key for unit in known)
    else:
        catalog._index.outdate(
            [*by_edit(known, change), *(key for key, _ in changed(known, change))]
        )


class _NoRelevance(Relevance):
    """Nothing is relevant to anything."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.values = self.values * 0.0


COMPRESS, REDUCE = "loom.compress.", "loom.reduce."
WORTH, DIGEST = COMPRESS + "worth.", COMPRESS + "digest."
MECHANISMS: tuple[Mechanism, ...] = (
    Mechanism(
        "read-ahead",
        "What left the window and is in use again comes back before it is missed.",
        ("compress.worth.ahead", "compress.worth.previews", "compress.worth.repeats"),
        {"loom.engine.survey.Survey.ahead": lambda survey, window, *a, **k: ((), window)},
    ),
    Mechanism(
        "touches",
        "A slice is used anew when its file is named or edited, or its line is pointed at.",
        ("compress.worth.touch", "compress.worth.uses", "compress.worth.acts"),
        {WORTH + "catalog.Catalog._touch": _nothing},
    ),
    Mechanism(
        "relevance",
        "A slice is worth more when it shares rare words with what is being done now.",
        ("compress.worth.focus", "compress.worth.row_terms", "compress.worth.identifiers"),
        {WORTH + "worth.relevance": _NoRelevance},
    ),
    Mechanism(
        "supersession",
        "What a later call read, wrote or ran again is known by that call alone.",
        ("compress.worth.superseded", "compress.worth.residency"),
        {WORTH + "catalog.Catalog._supersede": _nothing},
    ),
    Mechanism(
        "edited, outdating",
        "An edit brings the slices it changes up to date (without: it outdates those slices).",
        ("compress.worth.edited",),
        {WORTH + "catalog.Catalog._change": _outdate},
    ),
    Mechanism(
        "partial",
        "An entry may stand with some of its slices (without: with all of them, or none).",
        ("compress.knapsack",),
        {COMPRESS + "choice._partial": _none},
    ),
    Mechanism(
        "once",
        "A line that stands in one entry is not shown again by another.",
        ("compress.once",),
        {COMPRESS + "choice.Choices._once": lambda choices, first: choices._current},
    ),
    Mechanism(
        "lines",
        "An entry that leaves may stand as the line of its step (without: in the digest alone).",
        ("compress.entry_line",),
        {COMPRESS + "choice._lines": lambda scene, entries: {}},
    ),
    Mechanism(
        "hits",
        "The lines of a search are outdated by an edit of theirs, and a run by its rerun.",
        ("compress.worth.hits", "compress.worth.reruns", "reduce.hits"),
        {
            WORTH + "hits.Hits.add": _nothing,
            WORTH + "reruns.Reruns.note": _nothing,
        },
    ),
    Mechanism(
        "overtaken",
        "A listing of tasks that a later one replaced leaves first.",
        ("compress.digest.overtaken",),
        {COMPRESS + "scene.overtaken": lambda entries: frozenset()},
    ),
    Mechanism(
        "structure",
        "A large result is shortened by its structure (without: both ends of it).",
        ("reduce.structure", "reduce.shortening"),
        {
            REDUCE + "shortening.Shortening.__call__": lambda short, text, limit, page: preview(
                text, limit, page
            )
        },
    ),
    Mechanism(
        "effects",
        "A line of the shell that moves, removes or writes files is told as what it did to them.",
        ("reduce.effects",),
        {REDUCE + "deeds.effects": lambda line, masked: []},
    ),
    Mechanism(
        "covering",
        "A failure is closed by the success of a command that runs all that failed and more.",
        ("reduce.covering",),
        {REDUCE + "covering._is_covered": lambda wide, narrow: wide.key == narrow.key},
    ),
    Mechanism(
        "verdict",
        "How a command ended is read from what it printed (without: its exit code alone).",
        ("reduce.verdict", "reduce.status", "reduce.closings"),
        {
            REDUCE + "deeds.verdict": lambda command, output, code, error: (
                f"fails (exit {code})" if code else "fails" if error else "passes"
            )
        },
    ),
    Mechanism(
        "takeback",
        "Of two rules of the user about one thing the later one stands.",
        ("compress.digest.takeback", "reduce.phrases"),
        {DIGEST + "state.standing_words": _same},
    ),
    Mechanism(
        "dated",
        "A check says how many files changed since it ran.",
        ("compress.digest.dated",),
        {DIGEST + "state.dated": _same},
    ),
    Mechanism(
        "settled",
        "A failure of a tree that was set aside is told as of then.",
        ("compress.digest.settled", "compress.digest.aside"),
        {DIGEST + "state.settled": _same, DIGEST + "state.while_aside": _same},
    ),
    Mechanism(
        "refusals",
        "A call the user rejected is no longer told once it was made later.",
        ("compress.digest.refusals", "reduce.refused"),
        {DIGEST + "state.made_later": _same},
    ),
)
NAMES = {one.name: one for one in MECHANISMS}


@contextmanager
def switched_off(names: tuple[str, ...]) -> Iterator[None]:
    """Everything as it is, but without the mechanisms of these names."""
    with ExitStack() as stack:
        for name in names:
            for target, made in NAMES[name].without.items():
                stack.enter_context(patch(target, made))
        yield
