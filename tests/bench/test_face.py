"""What a third party imports: `loom_bench`, and nothing of it with `loom`."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import loom_bench as bench
from loom_bench import MODULES


def test_every_name_is_there() -> None:
    """`__all__` is what can be imported, none of it a module of the same name."""
    assert sorted(bench.__all__) == sorted(MODULES)
    for name in bench.__all__:
        assert not isinstance(getattr(bench, name), ModuleType), name
    assert set(bench.__all__) <= set(dir(bench))


@pytest.mark.parametrize("code", ["import loom", "import loom; loom.open; loom.Policy; dir(loom)"])
def test_loom_imports_none_of_it(code: str) -> None:
    """Who opens a workspace pays for no harness."""
    told = "import sys; print([name for name in sys.modules if name.startswith('loom_bench')])"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; {told}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
