"""A project with spaces and unicode in its name, and what lies outside of it."""

from __future__ import annotations

import os
import shutil
import subprocess
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
    (root / "names").write_bytes(os.fsencode(tmp_path / "outside" / "secret.txt") + b"\0")
    (root / "data.json").write_text('{"a": {"b": [1, 2, 3]}}')
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


@pytest.fixture
def repository(project: Path, tmp_path: Path) -> Path:
    """The project as a repository of one commit, whose configuration would run programs."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    given = {"GIT_CONFIG_GLOBAL": "/dev/null", "PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    canary = f"touch {tmp_path}/ran;"
    person = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "a.txt", "src"],
        [*person, "commit", "-q", "-m", "Begin"],
    ):
        subprocess.run(["git", *words], cwd=project, env=given, check=True)
    with (project / ".git" / "config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = "{canary}"\n\tpager = "{canary}"\n')
        config.write(f'[gpg]\n\tprogram = "{canary}"\n[log]\n\tshowSignature = true\n')
        config.write(f'[diff]\n\texternal = "{canary}"\n[diff "odd"]\n\ttextconv = "{canary}"\n')
    (project / ".gitattributes").write_text("*.txt diff=odd\n")
    return project
