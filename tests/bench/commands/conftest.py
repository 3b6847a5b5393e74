"""What commands of the harness read, and how they are run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from loom.cli import main
from tests.kit.recorded_folder import recorded as recorded


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command line; gives exit code, stdout and stderr."""

    def running(*tokens: str | Path) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main([str(token) for token in tokens])
        out, err = capfd.readouterr()
        return code, out, err

    return running
