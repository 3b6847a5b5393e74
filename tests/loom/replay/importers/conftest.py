import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


def written(path: Path, text: str) -> Path:
    """Write a text and return its path."""
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def jsonl(tmp_path: Path) -> Write:
    """Return a function that writes values as JSONL and gives the path."""

    def write(*rows: Any, name: str = "session.jsonl") -> Path:
        return written(tmp_path / name, "".join(json.dumps(row) + "\n" for row in rows))

    return write


@pytest.fixture
def document(tmp_path: Path) -> Write:
    """Return a function that writes one value as indented JSON and gives the path."""
    return lambda value, name="session.json": written(tmp_path / name, json.dumps(value, indent=2))
