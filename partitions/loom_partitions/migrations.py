"""Records of an earlier schema, rewritten as records of today's.

Each commit of a journal says by which schema its records were written. `MIGRATIONS[n]` takes the
records of a commit of schema n, as JSON values, to schema n + 1; nothing on disk changes. A change
of a record that today's types cannot read in its older form raises SCHEMA by one and adds its
migration here, and a workspace of the older schema to the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

One = dict[str, Any]
Raw = list[One]

SCHEMA = 6


def _without_uncounted_reports(records: Raw) -> Raw:
    """1 → 2: Return the records without `Metered` records that lack Loom's own count."""
    return [one for one in records if one["type"] != "Metered" or one.get("tokens")]


def _keep_all(records: Raw) -> Raw:
    """2 → 3: Return the records unchanged."""
    return records


def _without_obligations(records: Raw) -> Raw:
    """3 → 4: Return the records without the records of obligations, which no longer exist."""
    return [one for one in records if one["type"] not in ("Obliged", "Ticked", "Released")]


# What each record of schema 4 that is one with others now says otherwise.
UNITED: dict[str, Callable[[One], One]] = {
    "Prefetched": lambda one: {"type": "Brought", "what": one["turn"]},
    "Enclosed": lambda one: {"type": "Brought", "what": {**one["paged"], "type": "paged"}},
    "Expanded": lambda one: {
        "type": "Brought",
        "what": {"type": "paged", "ref": one["text"].get("page", ""), "text": one["text"]},
    },
    "Instructed": lambda one: {"type": "Shelved", "partition": "system"},
    "Declared": lambda one: {"type": "Shelved", "partition": "tools", "key": one["name"]},
    **dict.fromkeys(
        ("Remembered", "Forgotten"), lambda one: {"type": "Shelved", "partition": "memory"}
    ),
    **dict.fromkeys(
        ("SkillActivated", "SkillDropped"), lambda one: {"type": "Shelved", "partition": "skill"}
    ),
    "SkillBrought": lambda one: {
        "type": "SkillUsed", "key": one["skill"]["key"], "brought": one["skill"],
    },
    "Planned": lambda one: {"size": len(one["items"]), "items": [*enumerate(one["items"])]},
    "Replanned": lambda one: {"type": "Planned"},
    "Appended": lambda one: {
        "type": "Noted", "added": True, "text": {**one, "body": one["words"]},
    },
    "Belated": lambda one: {"type": "Heard", "call": one["call_id"]},
    **dict.fromkeys(("Joined", "Delivered"), lambda one: {"type": "HandedOver"}),
    "Retired": lambda one: {"type": "Sifted"},
    "Promoted": lambda one: {"type": "Sifted", "why": "kept"},
}  # fmt: skip


# The same of schema 5.
MERGED: dict[str, Callable[[One], One]] = {
    "Purged": lambda one: {"type": "Redacted"},
    "Recalled": lambda one: {"type": "Remembered"},
    "Saved": lambda one: {"type": "Remembered", "ids": [one["id"]]},
}


def _migration_from_table(table: dict[str, Callable[[One], One]]) -> Callable[[Raw], Raw]:
    """4 → 5, 5 → 6: Return a migration that sets some members of records. `table` maps a type of
    record to a function from such a record to a dict of the members to set."""
    return lambda records: [{**one, **table.get(one["type"], dict)(one)} for one in records]


MIGRATIONS: dict[int, Callable[[Raw], Raw]] = {
    1: _without_uncounted_reports,
    2: _keep_all,
    3: _without_obligations,
    4: _migration_from_table(UNITED),
    5: _migration_from_table(MERGED),
}


def migrate_records(records: Raw, schema: int) -> Raw:
    """Return records of an older schema in today's form. Raises KeyError for an unknown schema."""
    for number in range(schema, SCHEMA):
        records = MIGRATIONS[number](records)
    return records
