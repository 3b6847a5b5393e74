from collections.abc import Iterable

import pytest

from loom.capabilities.events.poller import Signal


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


class Told:
    """A source that tells what it was given, once, or raises what it was given."""

    def __init__(self, name: str = "told") -> None:
        self.name = name
        self.next: list[object] = []
        self.looks = 0

    def look(self) -> Iterable[Signal]:
        """What was given, up to an error, which is raised."""
        self.looks += 1
        while self.next:
            given = self.next.pop(0)
            if isinstance(given, Exception):
                raise given
            yield given  # type: ignore[misc]


@pytest.fixture
def clock() -> Clock:
    """A clock to be set."""
    return Clock()


@pytest.fixture
def told() -> Told:
    """A source to be fed."""
    return Told()
