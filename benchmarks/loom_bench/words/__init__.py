"""The words that scenarios plant and simulated people say: tables in JSON, a file for each use."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TypeVar

from msgspec import Raw, json

Table = TypeVar("Table")
FOLDER = Path(__file__).parent


def words_of(file: str, name: str, kind: type[Table]) -> Table:
    """The table `name` of a file, as a value of a type."""
    return json.decode(_tables(file)[name], type=kind)


@cache
def _tables(file: str) -> dict[str, Raw]:
    return json.decode((FOLDER / f"{file}.json").read_bytes(), type=dict[str, Raw])
