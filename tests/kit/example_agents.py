"""What the tests of `examples/` share: a file that is read, and servers with a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.kit.scripted_server import ScriptedServer
from tests.kit.steps import stepping

WINDOW = 16_384
READ = ("read_file", {"path": "src/a.py"})
OTHER = ("read_file", {"path": "src/b.py"})
WAYS = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
Serve = Callable[..., ScriptedServer]


def text_of(path: str) -> str:
    """What stands in a file: some 5,000 characters, the same each time."""
    return "\n".join(f"{path}:{line} = {line * 7919 % 10_007}" for line in range(200))


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start scripted servers; all are stopped at last."""
    made: list[ScriptedServer] = []

    def make(steps: Any, *, thinks: bool = False, **given: Any) -> ScriptedServer:
        made.append(ScriptedServer(stepping(steps, thinks=thinks), **given))
        return made[-1]

    yield make
    for server in made:
        server.stop()


def no_fault(server: ScriptedServer) -> None:
    """Nothing was refused, nor broke a rule of the provider's documentation."""
    assert ([one.answer for one in server.refused], server.faults) == ([], [])
