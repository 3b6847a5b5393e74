"""The report of a repair, which names each lost line and page, and the report of a purge, which has
places and counts but never the purged values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from loom_paging import Problem
from loom_paging.salvage import LostLine


class LostPage(Struct, frozen=True):
    """A page that cannot be read with the right hash. `why` is "damaged", "gone" or another
    reason."""

    name: str
    why: str


class LeftOut(Struct, frozen=True):
    """A record that a repair left out although its commit could be read, since something that it
    depends on was lost.

    `commit` is the commit's number in the old journal. `entry` is the id of the entry that the
    record made or added to, 0 for none. `decision` is True for a decision of the engine, such as a
    cut, which the engine will make anew."""

    commit: int
    kind: str
    entry: int
    why: str
    decision: bool


class RepairedWorkspace(Struct, frozen=True):
    """The repair of one workspace. `agent` is its folder below the first workspace, "" for the
    first.

    `commits` is the number of commits kept, in whole or in part. `missing` are the numbers of lost
    commits, `lines` the damaged places of the journal, `entries` the ids of lost entries. `results`
    name calls whose results are lost ("call_7 of step_0012: Bash(pytest -q)"). `requests` are the
    numbers of lost requests, which are not used again. `torn` is the number of bytes of an
    unfinished last line, with which no finished call is lost. `pages` and `files` are damaged or
    missing, and were not copied. `unnamed` are pages that no kept commit names, so their bytes
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
        """True if anything of this workspace is lost."""
        gone = (self.missing, self.lines, self.entries, self.results, self.pages, self.files)
        return any(gone) or bool(self.requests) or any(not one.decision for one in self.left_out)


class RepairReport(Struct, frozen=True):
    """The report of a repair. `workspaces` has one report for each workspace, parents first."""

    workspaces: tuple[RepairedWorkspace, ...] = ()

    @property
    def lost(self) -> bool:
        """True if anything was lost."""
        return any(one.lost for one in self.workspaces)


class PurgedPlace(Struct, frozen=True):
    """One place where secrets were found.

    `agent` is the folder of the agent below the workspace, "" for the first agent. `place` is the
    kind of place: journal, page, snapshot, view, index, checkpoint, bus, result, inbox, note,
    memory, cache, file or name. `where` is the commit and its record, or the file's name. `kinds`
    counts the secrets of each kind. `became` is "stand-in" if a short text replaced the whole file,
    "removed" if the file was removed, else "". `file` is the path of the file in the agent's
    folder, "" for a name."""

    agent: str
    place: str
    where: str
    kinds: dict[str, int]
    became: str = ""
    file: str = ""


class PurgedValue(Struct, frozen=True):
    """How often (`times`) one of the values given to a purge was found. `number` is 1 for the first
    value. `common` is True for a plain word: some of the places may be ordinary text."""

    number: int
    times: int
    common: bool = False


class PurgeReport(Struct, frozen=True):
    """The report of a purge. `done` is True if secrets were taken out, `resumed` if an interrupted
    purge was finished first.

    `places` are the places where secrets were found. `left` are files that hold secrets and stay
    unchanged, since Loom did not write them. `values` tell how often each value was found; values
    that were not found are left out."""

    places: tuple[PurgedPlace, ...] = ()
    done: bool = False
    resumed: bool = False
    left: tuple[str, ...] = ()
    values: tuple[PurgedValue, ...] = ()

    @property
    def kinds(self) -> dict[str, int]:
        """A dict from each kind of secret to the number of secrets found."""
        return sum_counts(one.kinds for one in self.places)

    @property
    def files(self) -> int:
        """The number of files that held secrets in their content."""
        return len({(one.agent, one.file) for one in self.places if one.file})


def sum_counts(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum of several dicts of counts, sorted by name: {a: 1} and {a: 2, b: 1} → {a: 3,
    b: 1}."""
    total = sum(map(Counter, counts), Counter[str]())
    return dict(sorted(total.items()))
