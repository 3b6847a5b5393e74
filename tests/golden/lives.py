"""Sessions whose requests are known to the byte, and the digests of what they send.

Nothing of a machine or of an hour is in them: the clock stands still, keys are the same each time,
and the files the demo reads are made here. `python tests/golden/lives.py` prints the digests.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from unittest import mock

import loom
from loom.cli.demo import proof as demo
from loom.cli.demo import script
from loom.inputs import Reply
from loom.replay.feed import feed
from loom.session.turn import Turn
from loom_bench.sessions.generate import FLAVOURS, session
from tests.kit.opened import private_copy

HERE = Path(__file__).parent
FORMATS = ("openai", "responses", "anthropic", "gemini")
STEPS = 40
WINDOWS = {"lazy": (8_192, 16_000), "eager": (8_192,)}
NOON = time.struct_time((2026, 1, 20, 12, 0, 0, 1, 20, 0))


@contextmanager
def still() -> Iterator[None]:
    """The clock stands still, and keys are no secret."""
    with (
        mock.patch.object(time, "localtime", lambda *at: NOON),
        mock.patch.object(time, "time_ns", lambda: 1_768_910_400_000_000_000),
        mock.patch.object(time, "time", lambda: 1_768_910_400.0),
        mock.patch("loom.opening.token_hex", lambda length: "5" * 2 * length),
    ):
        yield


class Digest:
    """The sha256 over every request of a session, in each format."""

    def __init__(self) -> None:
        self.sums = {format: hashlib.sha256() for format in FORMATS}

    def take(self, turn: Turn) -> None:
        """Add a request."""
        for format, sum in self.sums.items():
            data = json.dumps(turn.request(format), sort_keys=True, default=repr)
            sum.update(data.encode())

    @property
    def hex(self) -> str:
        """The first digits of each format's, in their order."""
        return " ".join(sum.hexdigest()[:16] for sum in self.sums.values())


def generated(folder: Path, flavour: str, preset: str, window: int) -> str:
    """The digest of a generated session."""
    digest = Digest()
    with still(), loom.open(folder, window=window, policy=preset, durable=False) as ctx:
        for event in session(7, STEPS, flavour=flavour).events:
            if isinstance(event, Reply):
                digest.take(ctx.turn())
            feed(ctx, event)
        digest.take(ctx.turn())
    with still(), loom.open(folder, durable=False) as ctx:
        digest.take(ctx.turn())
    return digest.hex


def reopened(folder: Path) -> str:
    """The digest of the request a workspace makes that was written by an earlier Loom."""
    digest = Digest()
    with still(), loom.open(folder, durable=False) as ctx:
        digest.take(ctx.turn())
    return digest.hex


def copied(schema: int) -> Callable[[Path], str]:
    """The same, of a copy of the workspace of that schema that lies here."""
    return lambda folder: reopened(private_copy(HERE / f"schema-{schema}", folder / "w"))


def shown(folder: Path) -> str:
    """The digest of the demo, over files that are made here."""
    digest = Digest()
    made = {"stdlib": folder / "files"}
    for path, _, _ in (*script.FIRST, *script.LIBRARY):
        file = made["stdlib"] / path.partition("/")[2]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(module(path))
    for name in script.PACKAGES:
        (made["stdlib"] / name).mkdir(exist_ok=True)
    with still(), mock.patch.object(demo, "tool_roots", lambda: made):
        demo.DemoSession(folder / "demo", lambda turn, found: digest.take(turn)).run()
    return digest.hex


def module(path: str) -> str:
    """A Python module of some pages, the same for the same path."""
    dice = Random(path)
    stem = path.rpartition("/")[2].removesuffix(".py")
    lines = [f'"""The module {path}."""', ""]
    for number in range(dice.randint(20, 60)):
        name = f"{stem}_{number}"
        head = f"class {name.title().replace('_', '')}:" if number % 3 else f"def {name}(value):"
        lines += [head, f'    """Do part {number} of {path}."""']
        lines += [
            f"    step_{n} = value + {dice.randint(1, 999)}" for n in range(dice.randint(2, 9))
        ]
        lines += [f"    return step_{dice.randint(0, 1)}" if number % 3 == 0 else "    pass", ""]
    return "\n".join(lines) + "\n"


def lives() -> dict[str, Callable[[Path], str]]:
    """Every session by name."""
    made: dict[str, Callable[[Path], str]] = {"demo": shown}
    made |= {f"a journal of schema {number}": copied(number) for number in (1, 2, 3, 4, 5)}
    for preset, windows in WINDOWS.items():
        for window in windows:
            for flavour in FLAVOURS:
                made[f"{flavour} {preset} {window}"] = (
                    lambda folder, flavour=flavour, preset=preset, window=window: generated(
                        folder / "w", flavour, preset, window
                    )
                )
    return made


if __name__ == "__main__":
    for name, life in lives().items():
        with tempfile.TemporaryDirectory() as folder:
            sys.stdout.write(f"{name}: {life(Path(folder))}\n")
