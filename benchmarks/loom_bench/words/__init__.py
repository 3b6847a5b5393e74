"""The words that scenarios plant and simulated people say: tables in JSON, a file for each use."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from msgspec import json

Words = TypeVar("Words")


def words_of(file: str, kind: type[Words]) -> Words:
    """What a file holds, as a value of a type."""
    return json.decode((Path(__file__).parent / f"{file}.json").read_bytes(), type=kind)


@cache
def tables_of(file: str) -> dict[str, Any]:
    """The tables of a file by what they are of: each has a column of entries to develop with and
    one of entries held out."""
    return words_of(file, dict[str, Any])
