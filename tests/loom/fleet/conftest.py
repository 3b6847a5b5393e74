from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def places(tmp_path: Path) -> list[str]:
    """Addresses of four agents that are not there yet."""
    return [f"file://{tmp_path}/runs/{number}" for number in range(4)]
