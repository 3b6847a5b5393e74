"""What the tests of the documents share: contexts, requests as text, the measured figures."""

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.documented.seeds import figures
from tests.kit.opened import PLAIN, opened_with, opening
from tests.kit.pressed import Life, life

opened = opened_with("", policy=PLAIN, window=32_000)


@pytest.fixture(scope="package")
def measured() -> dict[str, Any]:
    """The figures of `python -m benchmarks seeds`, measured once."""
    return figures()[0]


@pytest.fixture(scope="package")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """A life under pressure that tests only look at."""
    with opening(tmp_path_factory.mktemp("lived"), "", policy=PLAIN) as opened:
        yield life(opened)
