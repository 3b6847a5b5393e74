import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


@pytest.fixture
def jsonl(tmp_path: Path) -> Write:
    """Return a function that writes values as JSONL and gives the path."""

    def write(*rows: Any, name: str = "session.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return path

    return write


@pytest.fixture
def document(tmp_path: Path) -> Write:
    """Return a function that writes one value as indented JSON and gives the path."""

    def write(value: Any, name: str = "session.json") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(value, indent=2), "utf-8")
        return path

    return write
