"""Recall: which pages and entries hold what a query asks for, in full as far as there is room.

A recall first adds the newest commits to the index (`recall_index`), which holds no text: what is
shown is read from pages and journal, so a spoilt index can hide a place, but cannot invent one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial
from itertools import islice

from loom.providers.render.neutral import neutral
from loom.providers.render.wording import CHANGED, LATER, LET_GO, RECALLED, TAKEN_BACK, UNSEARCHED
from loom.search import rank
from loom.search.index import Passage, SearchIndex
from loom.search.matching import SoughtTerms
from loom.search.query import TermCounts
from loom.search.semantic import cosine_scores
from loom.search.terms import sought_terms
from loom.session.archive.found_places import LINES_MAX, PLACES_MAX, FoundPlaces, Size
from loom.session.archive.recall_index import index_state, last_searched_entry, use_index
from loom.session.archive.restore import entry_id_in_name
from loom.session.archive.searched_units import unit_slice, whole_unit_text
from loom.session.archive.workspace import Workspace
from loom.text import clip_text, one_line

CANDIDATES = 500  # slices that are looked at
NEIGHBOURS = 64  # of them whose neighbours are
WHOLE = 2  # times the score of a passage in which one line holds all that was asked for
SOURCES = 4_000_000  # characters of texts held while passages are taken from them
BEST = PLACES_MAX * LINES_MAX  # slices places are named from
STEPS_MAX = 3  # entries that changed a file, behind the name of a place
ASKED_CHARS = 200  # of a query that found nothing
NO_WORDS = "recall: the query has no words; give words, names or paths to look for"


def recall(workspace: Workspace, query: str, limit: int, size: Size = len) -> tuple[str, int]:
    """Return (text, number of places in it). A place is a page or an entry. The text, at most
    `limit` as measured by `size`, has the best passages for a query, then the names of further
    places. The passage with the highest score comes first, the others by score in proportion to
    their length. All words of the query on one line double a score. The neighbours of a good
    passage are shown with it when there is room."""
    wanted = sought_terms(query)
    if not (wanted.words or wanted.names):
        return NO_WORDS, 0

    def told(index: SearchIndex) -> tuple[str, int]:
        texts = _PassageTexts(workspace)
        counted = index.counted(wanted)
        sought = SoughtTerms(wanted, counted.rarity_weights())
        scores = _slice_scores(workspace, index, query, counted, CANDIDATES)
        units = index.units(rank.ids_by_score(scores))
        for id, unit in islice(units.items(), BEST):
            scores[id] *= WHOLE if sought.holds_all(texts(unit)) else 1
        best = [units[id] for id in rank.ids_by_score(scores)]
        named = best[:BEST]
        near = {unit.id: unit for unit in index.beside(best[:NEIGHBOURS])}
        beside = list((units | near).values())
        others = rank.units_by_worth(rank.neighbour_scores(scores, beside), beside)
        ordered = [*named[:1], *(unit for unit in others if unit not in named[:1])]
        behind = cache(partial(_place_mark, workspace))
        found = FoundPlaces(ordered, named, sought, texts, behind, size)
        text, shown = found.passages(limit)
        note = _unsearched_note(workspace, texts.lost)
        if note and 2 * size(f"\n{note}") < limit:
            text, shown = found.passages(limit - size(f"\n{note}"))
        text = text or clip_text(f"nothing holds {one_line(query, ASKED_CHARS)}", limit)
        both = f"{text}\n{note}"
        return both if note and size(both) <= limit else text, shown

    return use_index(workspace, told)


class _PassageTexts:
    """Returns the texts of passages, without the session's mark, which begins Loom's own lines.
    Each text is read once. `lost` has the names of passages that could not be read, as keys."""

    def __init__(self, workspace: Workspace) -> None:
        self.lost: dict[str, None] = {}
        self._workspace = workspace
        self._held: dict[int, str] = {}
        self._sources: dict[tuple[str, str, int], str] = {}
        self._room = SOURCES
        self._records = cache(workspace.records)  # units of one entry are often of one commit

    def __call__(self, unit: Passage) -> str:
        """Return the text of a passage; "" when it cannot be read."""
        if unit.id not in self._held:
            key = unit.name, unit.source, unit.entry  # the slices of one page share what is read
            text = self._sources.get(key) or whole_unit_text(self._workspace, unit, self._records)
            if text is not None and key not in self._sources and len(text) <= self._room:
                self._sources[key] = text
                self._room -= len(text)
            mark = self._workspace.window.config.mark
            self._held[unit.id] = neutral(unit_slice(text, unit), mark)
            if not self._held[unit.id]:
                self.lost[unit.name] = None
        return self._held[unit.id]


def _place_mark(workspace: Workspace, name: str) -> str:
    """Return what follows a place's name: Loom's mark, and if it was undone or changed since."""
    entry, mark = entry_id_in_name(name), workspace.window.config.mark
    if entry is not None and workspace.index.is_undone(entry):
        return TAKEN_BACK.format(mark=mark)
    steps = workspace.index.file_history.changing_steps(name, workspace.read)
    more = "…, " if len(steps) > STEPS_MAX else ""
    said = more + ", ".join(steps[-STEPS_MAX:])
    return CHANGED.format(mark=mark, steps=said) if steps else RECALLED.format(mark=mark)


def _unsearched_note(workspace: Workspace, lost: Iterable[str]) -> str:
    """Return lines about places that could not be read and entries not indexed yet; "" for none."""
    retired = workspace.pager.retired  # let go on purpose: told only where it held a match
    unread = dict.fromkeys((*lost, *index_state(workspace).lost))
    gone = [name for name in unread if name not in retired]
    went = [name for name in lost if name in retired]
    said = []
    for form, names in ((UNSEARCHED, gone), (LET_GO, went)):
        more = [f"and {len(names) - LINES_MAX} more"] if len(names) > LINES_MAX else []
        if names:
            said.append(form.format(pages=", ".join([*names[:LINES_MAX], *more])))
    if last := last_searched_entry(workspace):
        said.append(LATER.format(last=last))
    return "\n".join(said)


def _slice_scores(
    workspace: Workspace, index: SearchIndex, query: str, counted: TermCounts, most: int
) -> dict[int, float]:
    """Return {slice id: score} of the `most` best slices: bm25, plus cosine with an embedder."""
    if (embedder := index_state(workspace).embedder) is None:
        return index.scores(counted, most)

    def read(unit: Passage) -> str:
        return unit_slice(whole_unit_text(workspace, unit, workspace.records), unit)

    near = cosine_scores(index, embedder, query, read)
    both = rank.sum_scores(index.scores(counted, CANDIDATES), near)
    return {id: both[id] for id in rank.ids_by_score(both)[:most]}
