"""The report of a repair, to the line and the page, and the report of a purge: places and counts,
never the purged values themselves."""

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
    """A record of a sound commit that was left out, since it depends on something that was lost
    before it.

    `commit` is its number in the old journal, `entry` the entry it made or added to, 0 for none.
    `decision` is True for a decision of the engine, which the engine will make anew, False for a
    record of something that came from outside."""

    commit: int
    kind: str
    entry: int
    why: str
    decision: bool


class RepairedWorkspace(Struct, frozen=True):
    """The repair of one workspace of a tree; `agent` is its folder below the first, "" for the
    first itself.

    `commits` is the number of commits kept, in whole or in part; `missing` are the numbers of lost
    commits, `lines` the damaged places of the journal, `entries` the ids of lost entries. `results`
    are calls whose results are lost, answered by a stand-in ("call_7 of step_0012: Bash(pytest
    -q)"). `requests` are the numbers of lost requests: the next request gets the number after the
    highest that any of them may have had. `torn` is the number of bytes of a last line that was cut
    short: no call that returned is lost with it. `pages` and `files` do not verify, and were not
    copied; `unnamed` are pages that no kept commit names, so that their bytes cannot be checked."""

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
        """True when anything of this workspace is lost."""
        gone = (self.missing, self.lines, self.entries, self.results, self.pages, self.files)
        return any(gone) or bool(self.requests) or any(not one.decision for one in self.left_out)


class RepairReport(Struct, frozen=True):
    """The report of a repair: the workspaces of the tree, the first of all in front."""

    workspaces: tuple[RepairedWorkspace, ...] = ()

    @property
    def lost(self) -> bool:
        """True when anything was lost."""
        return any(one.lost for one in self.workspaces)


class PurgedPlace(Struct, frozen=True):
    """One place where secrets stood.

    `agent` is the folder of the agent below the workspace, "" for the first one; `place` is
    journal, page, snapshot, view, index, checkpoint, bus, result, inbox, note, memory, cache, file
    or name; `where` is the commit with its record, or the name; `kinds` holds the number of secrets
    of each kind. `became` is "stand-in" or "removed" where the file itself was replaced or removed,
    "" where only the secrets were replaced. `file` is the path of the file from the folder of that
    agent; "" for a name."""

    agent: str
    place: str
    where: str
    kinds: dict[str, int]
    became: str = ""
    file: str = ""


class PurgedValue(Struct, frozen=True):
    """How often one of the given values was found; `number` is its place among the given values,
    from 1.

    `common` is True for a value that reads as a plain word, and so stands in ordinary text."""

    number: int
    times: int
    common: bool = False


class PurgeReport(Struct, frozen=True):
    """The report of a purge. `done` is True where the secrets were taken out, `resumed` where this
    purge finished an interrupted one.

    `places` are the places where secrets stood; `left` are files that hold secrets but were not
    written by Loom, and stay; `values` are the given values that were found."""

    places: tuple[PurgedPlace, ...] = ()
    done: bool = False
    resumed: bool = False
    left: tuple[str, ...] = ()
    values: tuple[PurgedValue, ...] = ()

    @property
    def kinds(self) -> dict[str, int]:
        """The number of secrets of each kind."""
        return sum_counts(one.kinds for one in self.places)

    @property
    def files(self) -> int:
        """The number of files that held secrets; a name that held one does not count."""
        return len({(one.agent, one.file) for one in self.places if one.file})


def sum_counts(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sums of several counts by name, sorted by name."""
    total = sum(map(Counter, counts), Counter[str]())
    return dict(sorted(total.items()))
