"""Records of an earlier schema, in the words of today's.

Each commit of a journal says by which schema its records were written. `MIGRATIONS[n]` takes the
records of a commit of schema n, as JSON values, to schema n + 1; nothing on disk is changed. A
change of a record that today's types cannot read in an older form raises SCHEMA by one and adds
its migration here, and a workspace of the older schema to the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Raw = list[dict[str, Any]]

SCHEMA = 4


def _without_uncalibrated(records: Raw) -> Raw:
    """1 → 2: reports of sizes from before Loom's own count stood beside them say nothing."""
    return [one for one in records if one["type"] != "Metered" or one.get("tokens")]


def _as_they_were(records: Raw) -> Raw:
    """2 → 3: facts of digests may be told by those before; where they are not, they stand whole."""
    return records


def _without_obligations(records: Raw) -> Raw:
    """3 → 4: the working partition holds no obligations any more."""
    return [one for one in records if one["type"] not in ("Obliged", "Ticked", "Released")]


MIGRATIONS: dict[int, Callable[[Raw], Raw]] = {
    1: _without_uncalibrated,
    2: _as_they_were,
    3: _without_obligations,
}


def migrated(records: Raw, schema: int) -> Raw:
    """Records of that schema as those of SCHEMA. Raises KeyError for a schema that never was."""
    for number in range(schema, SCHEMA):
        records = MIGRATIONS[number](records)
    return records
