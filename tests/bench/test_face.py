"""What a third party imports: `loom_bench`, and nothing of it with `loom`."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("code", ["import loom", "import loom; loom.open; loom.Policy; dir(loom)"])
def test_loom_imports_none_of_it(code: str) -> None:
    """Who opens a workspace pays for no harness."""
    told = "import sys; print([name for name in sys.modules if name.startswith('loom_bench')])"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; {told}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
