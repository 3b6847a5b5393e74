"""A context that lived: a message, two calls, an answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import loom

LOG = "".join(f"row {number} of the table\n" for number in range(300))


def live(ctx: loom.Context) -> None:
    """A user's message, two calls with a long and a short result, an answer."""
    say = loom.Speech("I look.")
    ctx.user("Where is the kraken?")
    call = loom.ToolCall("c1", "Bash", '{"command":"cat table", "limit": 4711}')
    ctx.reply(loom.Reply((say, call)))
    ctx.result("c1", LOG)
    read = '{"path":"src/auth/login.py", "text":"say \\"ahoy\\"\\n twice"}'
    ctx.reply(loom.Reply((say, loom.ToolCall("c2", "Read", read))))
    ctx.result("c2", "the compass points north")
    ctx.reply("It sleeps below runEnableInteractive.")


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[loom.Context]:
    """A context that lived, in the folder `w`."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as made:
        live(made)
        yield made


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[loom.Context]:
    """A context that lived, for all tests of a file."""
    folder = tmp_path_factory.mktemp("standing") / "w"
    with loom.open(folder, window=64_000, durable=False) as made:
        live(made)
        yield made
