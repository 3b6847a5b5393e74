"""A real browser, without a screen."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def found() -> str:
    """The path of Chromium; the test is skipped where there is none, and fails in a full run."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None and os.environ.get("EVERY_PACKAGE"):
        pytest.fail("this test drives a real browser: install Debian's chromium")
    return path or pytest.skip("no chromium is here")


def page(profile: Path, url: str, *more: str) -> str:
    """The document of a page as it stands when it has settled. `profile`: a folder of its own."""
    command = [found(), *FLAGS, f"--user-data-dir={profile}", "--virtual-time-budget=8000"]
    command += [*more, "--dump-dom", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
