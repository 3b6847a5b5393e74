"""The reports of a repair, which names each lost line and page, and of a purge, which has places
and counts but never the purged values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from loom_paging import Problem
from loom_paging.salvage import LostLine


class LostPage(Struct, frozen=True):
    """A page whose bytes no longer verify under any of its names; `why` is "damaged", "gone" or
    another reason."""

    name: str
    why: str


class LeftOut(Struct, frozen=True):
    """A record that a repair left out of a commit that was read, since the record depends on
    something that was lost before it.

    `commit` is the commit's number in the old journal, `entry` the entry that the record made or
    added to, 0 for none. `decision` is True for a decision of the engine, which it will make anew,
    False for a record of something that came from outside."""

    commit: int
    kind: str
    entry: int
    why: str
    decision: bool


class RepairedWorkspace(Struct, frozen=True):
    """The repair of one workspace of a tree; `agent` is its folder below the first workspace, ""
    for the first itself.

    `commits` is the number of commits kept, in whole or in part; `missing` are the numbers of lost
    commits, `lines` the damaged places of the journal, `entries` the ids of lost entries. `results`
    are the calls whose results are lost ("call_7 of step_0012: Bash(pytest -q)"). `requests` are
    the numbers of lost requests; none of them is given again. `torn` is the number of bytes of a
    last line that was cut short: no call that returned is lost with it. `pages` and `files` do not
    verify, and were not copied; `unnamed` are pages that no kept commit names, so that their bytes
    cannot be checked."""

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
    """The report of a repair: one for each workspace of the tree, parents first."""

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
    of each kind. `became` is "stand-in" where a short text replaced the whole file, "removed" where
    the file was removed, "" where only the secrets were replaced. `file` is the path of the file in
    the folder of that agent; "" for a name."""

    agent: str
    place: str
    where: str
    kinds: dict[str, int]
    became: str = ""
    file: str = ""


class PurgedValue(Struct, frozen=True):
    """How often one of the values given to a purge was found; `number` is 1 for the first value
    given.

    `common` is True for a value that is a plain word, so that it may also have been found in
    ordinary text."""

    number: int
    times: int
    common: bool = False


class PurgeReport(Struct, frozen=True):
    """The report of a purge. `done` is True where secrets were taken out, `resumed` where this
    purge first finished an interrupted one.

    `places` are the places where secrets stood; `left` are files that hold secrets and are left
    unchanged, since Loom did not write them; `values` are those of the given values that were
    found."""

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
    """Return the sum of several counts for each name, sorted by name."""
    total = sum(map(Counter, counts), Counter[str]())
    return dict(sorted(total.items()))
