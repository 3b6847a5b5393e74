"""The pages of a repaired workspace: copied where they verify, told where they do not."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import json

from loom.engine.archive.decode import records_of
from loom.engine.archive.index import entry_of
from loom.engine.archive.reading import SOURCES, UNREADABLE
from loom.repairing.report import LostPage
from loom.repairing.standing import Standing
from loom_paging import Commit, CorruptPage, MissingPage, PageRef, Store, check_disk
from loom_paging.page import fetch
from loom_partitions.records import Record, Replied, Returned


def pages_copied(old: Store, new: Store, standing: Standing) -> tuple[LostPage, ...]:
    """Copy every page a commit names, under all its names; those that verify under none come back.

    Those that were retired need not be there.
    """
    kept = [ref for ref in standing.pages.values() if ref.name not in standing.retired]
    equal: dict[str, list[str]] = {}
    for ref in kept:
        equal.setdefault(ref.sha256, []).append(ref.name)
    copied: dict[str, str] = {}
    lost: dict[str, str] = {}
    for ref in kept:
        if ref.sha256 in copied:
            new.link(copied[ref.sha256], ref.name)
            continue
        data = _read(old, ref, (ref.name, *filter(None, [ref.alias]), *equal[ref.sha256]))
        if isinstance(data, bytes):
            new.put(ref.name, data)
            copied[ref.sha256] = ref.name
        else:
            lost[ref.name] = data
    made = _makers(standing, lost) if lost else {}
    return tuple(LostPage(name, *made.get(name, ("", "")), why) for name, why in lost.items())


def unreferenced(standing: Standing) -> tuple[str, ...]:
    """Pages that were copied, and that no record which is left names."""
    if not standing.left_out:
        return ()
    told = b"".join(bytes(commit.records) for commit in standing.commits)
    return tuple(
        name
        for name in standing.pages
        if name.startswith("outputs/")
        and name not in standing.retired
        and name.encode() not in told
    )


def _read(old: Store, ref: PageRef, names: Iterable[str]) -> bytes | str:
    """The bytes of a page by any of its names, or why none has them."""
    why = ""
    for name in dict.fromkeys(names):
        try:
            return fetch(old, ref, name)
        except UNREADABLE as error:
            check_disk(error)
            kinds = {CorruptPage: "damaged", MissingPage: "gone"}
            why = why or kinds.get(type(error), "unreadable")
    return why


def _makers(standing: Standing, lost: dict[str, str]) -> dict[str, tuple[str, str]]:
    """By page, the entry it was made for, and what it was made of."""
    made: dict[str, tuple[str, str]] = {}
    for number, commit in enumerate(standing.commits, 1):
        mine = [ref.name for ref in commit.pages if ref.name in lost]
        if not mine:
            continue
        whole = Commit(number, commit.at, commit.pages, commit.records, commit.schema)
        for record in records_of(whole):
            told = json.encode(record)
            for name in mine:
                if name.encode() in told:
                    made.setdefault(name, (_entry(record), _source(record)))
    return made


def _entry(record: Record) -> str:
    kind = "step" if isinstance(record, Replied | Returned) else "user"
    return f"{kind}_{entry:04d}" if (entry := entry_of(record)) else ""


def _source(record: Record) -> str:
    """The path, command or address a result is of."""
    args = record.outcome.reduction.minimal_args if isinstance(record, Returned) else {}
    return next((str(args[key]) for key in SOURCES if args.get(key)), "")
