"""Small recorded sessions with their labels."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.kit.labelled import labelled_session


@pytest.fixture
def recording(tmp_path: Path) -> Callable[..., Path]:
    """Writes a labelled session in the test's folder."""
    return partial(labelled_session, tmp_path)
