"""A project with spaces and unicode in its name, and what lies outside of it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with files, links that lead out, a program of its own, and a secret beside it."""
    root = tmp_path / "my prüfung 项目"
    (root / "src").mkdir(parents=True)
    (root / "scripts").mkdir()
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    (root / "with space.txt").write_text("ein Wort\n")
    (root / "-o").write_text("an odd name\n")
    (root / "src" / "b.py").write_text("import os\n\n\ndef two() -> int:\n    return 2\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("the secret\n")
    (root / "file_out").symlink_to(outside / "secret.txt")
    (root / "dir_out").symlink_to(outside)
    (root / "src" / "near").symlink_to("b.py")
    for name in ("git", "ls"):
        (root / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (root / name).chmod(0o755)
    return root
