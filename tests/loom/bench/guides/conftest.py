"""A project on disk, as a git repository, made of the files a test names."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Project = Callable[[dict[str, str]], Path]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Make a project of path → text; returns its root."""

    def make(files: dict[str, str]) -> Path:
        root = tmp_path.resolve() / "repo"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        subprocess.run(["git", "init", "-q", str(root)], check=True, capture_output=True)
        return root

    return make
