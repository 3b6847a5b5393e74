"""A workspace with everything it can have, in which each kind of secret comes in by one door."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct, json

import loom
from loom.capabilities.toolbox import builtin
from loom.redact import Rules
from tests.kit.secrets.planted import Planted

WINDOW = 200_000
GIVEN, KEPT = "given", "kept"  # folders: what is the host's own and stays, and what Loom writes
PRINTS = "import json, sys\nprint(json.load(sys.stdin)['say'])\n"


class SecretFixture(Struct, frozen=True):
    """An open context, and the folder its workspace and what the host gave stand in."""

    ctx: loom.Context
    folder: Path

    @property
    def project(self) -> Path:
        """The folder of the project."""
        return self.folder / GIVEN / "project"

    @property
    def workspace(self) -> Path:
        """The folder of the workspace."""
        return self.folder / KEPT / "work"

    def called(self, tool: str, arguments: object, result: object = None, **more: bool) -> None:
        """The model calls a tool; one that is not Loom's own gives the result, or is run."""
        given = arguments if isinstance(arguments, str) else json.encode(arguments).decode()
        self.ctx.reply(loom.Reply((loom.ToolCall("call_1", tool, given),)))
        for call in self.ctx.calls:
            if result is None:
                self.ctx.run(call)
            else:
                self.ctx.result(call, result, **more)


class Door(Struct, frozen=True):
    """A way into a context: what is put there before it opens, what is done for each secret."""

    enter: Callable[[SecretFixture, int, Planted], object]
    prepare: Callable[[Path, int, Planted], object] = lambda folder, number, planted: None
    fits: Callable[[Planted], bool] = lambda planted: True


@contextmanager
def opened(folder: Path, redact: Rules) -> Iterator[SecretFixture]:
    """A context that has a project, memory, skills, a toolbox with a cache, and its own agents."""
    given, kept = folder / GIVEN, folder / KEPT
    (given / "project" / "scripts").mkdir(parents=True, exist_ok=True)
    (given / "skills").mkdir(exist_ok=True)
    (given / "project" / "scripts" / "say.py").write_text(PRINTS)
    capabilities = [
        loom.Memory(kept / "memory"),
        loom.Skills(given / "skills"),
        builtin(given / "project", cache=kept / "cache", approve=lambda tool, asked: True),
    ]
    with loom.open(
        kept / "work",
        window=WINDOW,
        durable=False,
        project=given / "project",
        capabilities=capabilities,
        redact=redact,
    ) as ctx:
        yield SecretFixture(ctx, folder)


def entered(
    door: Door, folder: Path, plants: Mapping[str, Planted], redact: Rules
) -> dict[str, str]:
    """Bring each secret in by a door, and close; returns what went wrong, by kind."""
    failed: dict[str, str] = {}
    for number, planted in enumerate(plants.values()):
        door.prepare(folder / GIVEN, number, planted)
    with opened(folder, redact) as fixture:
        for number, (kind, planted) in enumerate(plants.items()):
            try:
                door.enter(fixture, number, planted)
            except Exception as error:  # told as the cell's failure, the others go on
                failed[kind] = f"{type(error).__name__}: {error}"[:200]
                with suppress(loom.LoomError):
                    fixture.ctx.abandon()
        fixture.ctx.turn()
    return failed
