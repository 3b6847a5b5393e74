"""What a repair wrote and what was lost, to the line and the page; the places and counts of a
purge, in which the values themselves never are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from loom_paging import Problem
from loom_paging.salvage import LostLine


class LostPage(Struct, frozen=True):
    """A page whose bytes no longer verify under any name; `why` says what became of the file."""

    name: str
    why: str


class LeftOut(Struct, frozen=True):
    """A record of a commit that verified, which does not stand without what was lost before it.

    `commit` is its number in the old journal, `entry` the entry it made or added to, 0 for none.
    `decision` tells what the engine chose, which it will choose anew, from what came from outside.
    """

    commit: int
    kind: str
    entry: int
    why: str
    decision: bool


class RepairedWorkspace(Struct, frozen=True):
    """The repair of one workspace of a tree; `agent` is its folder below the first, "" for that.

    `commits` were kept, in whole or in part; `missing` are the numbers of commits that are gone,
    `lines` the damaged places of the journal, `entries` the ids of entries that are gone with them.
    `results` are calls whose results are gone, answered by a stand-in ("call_7 of step_0012:
    Bash(pytest -q)"). `requests` are the numbers of requests that are gone: the next one goes on
    after the highest number any of them may have had.
    `torn` are bytes of a last line that was cut short: no call that returned is lost with it.
    `pages` and `files` do not verify, and were not copied; `unnamed` are pages that no commit which
    is left names, so that nothing tells whether they are whole.
    """

    agent: str
    commits: int = 0
    missing: tuple[int, ...] = ()
    lines: tuple[LostLine, ...] = ()
    entries: tuple[int, ...] = ()
    results: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    pages: tuple[LostPage, ...] = ()
    unnamed: tuple[str, ...] = ()
    files: tuple[Problem, ...] = ()
    torn: int = 0
    requests: tuple[int, ...] = ()

    @property
    def lost(self) -> bool:
        """True when anything of this workspace is gone."""
        gone = (self.missing, self.lines, self.entries, self.results, self.pages, self.files)
        return any(gone) or bool(self.requests) or any(not one.decision for one in self.left_out)


class RepairReport(Struct, frozen=True):
    """A repair: the workspaces of the tree, the first of all in front."""

    workspaces: tuple[RepairedWorkspace, ...] = ()

    @property
    def lost(self) -> bool:
        """True when anything was lost."""
        return any(one.lost for one in self.workspaces)


class PurgedPlace(Struct, frozen=True):
    """One place where secrets stood.

    `agent` is the folder of the agent below the workspace, "" for the first one; `place` is
    journal, page, snapshot, view, index, checkpoint, bus, result, inbox, note, memory, cache, file
    or name, `where` the commit with its record, or the name; `kinds` how many of each kind stood
    there.
    `became` says what stands there now where that is not the rest of it: "stand-in" or "removed".
    `file` is the file it stands in, from the folder of that agent; "" for a name.
    """

    agent: str
    place: str
    where: str
    kinds: dict[str, int]
    became: str = ""
    file: str = ""


class PurgedValue(Struct, frozen=True):
    """How often one of the values given was found: the `number` it was given as, from 1.

    `common` is True for one that reads as a plain word, and so stands in ordinary text.
    """

    number: int
    times: int
    common: bool = False


class PurgeReport(Struct, frozen=True):
    """The places of a purge; `done`: the values were taken out; `resumed`: it ended another.

    `left` are files that were found to hold secrets and are none of Loom's to change, `values`
    those given that were found.
    """

    places: tuple[PurgedPlace, ...] = ()
    done: bool = False
    resumed: bool = False
    left: tuple[str, ...] = ()
    values: tuple[PurgedValue, ...] = ()

    @property
    def kinds(self) -> dict[str, int]:
        """How many secrets of each kind."""
        return sum_counts(one.kinds for one in self.places)

    @property
    def files(self) -> int:
        """How many files they stood in; a name that held one is none."""
        return len({(one.agent, one.file) for one in self.places if one.file})


def sum_counts(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Counts by name, added up."""
    total = sum(map(Counter, counts), Counter[str]())
    return dict(sorted(total.items()))
