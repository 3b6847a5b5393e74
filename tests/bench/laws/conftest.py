"""Asking the laws of a format."""

from collections.abc import Callable
from typing import Any

import pytest

from loom_bench.laws import broken


@pytest.fixture(scope="session")
def finds() -> Callable[[str, dict[str, Any], list[str]], None]:
    """Assert that a request breaks these laws, each told once and in order."""

    def check(format: str, request: dict[str, Any], violations: list[str]) -> None:
        found = broken(format, request)
        assert len(found) == len(violations), found
        assert all(part in line for part, line in zip(violations, found, strict=True)), found

    return check
