"""The report of a purge: places and counts; the values themselves are never in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct


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

    `left` are files that were found to hold secrets and are none of Loom's to change. `values` are
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
        return summed(one.kinds for one in self.places)

    @property
    def files(self) -> int:
        """How many files they stood in; a name that held one is none."""
        return len({(one.agent, one.file) for one in self.places if one.file})


def summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Counts by name, added up."""
    total: dict[str, int] = {}
    for each in counts:
        for name, times in each.items():
            total[name] = total.get(name, 0) + times
    return dict(sorted(total.items()))
