"""Tests of what real clients send run on demand: they install a gigabyte from npm."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest


@pytest.fixture
def agent_home(tmp_path: Path) -> Path:
    """A home folder for a real client; the test is skipped unless `make test-clients` runs it."""
    if not os.environ.get("EVERY_PACKAGE"):
        missing = "" if shutil.which("npm") else " and need Node with npm, which is not here"
        pytest.skip(f"real clients run in `make test-clients`{missing}")
    return tmp_path
