"""The package `loom-agent`, in a process of its own: its top-level name is `loom`, as ours is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock
from loom.replay.cost import Meter
from loom_bench.strategies.history import MessageGroup, flat
from loom_bench.strategies.peers.langchain import arguments

WORKER = Path(__file__).with_name("loom_agent_worker.py")


class LoomAgent:
    """`ContextManager`, driven as its own loop does: renew, else compress at the level it names.

    It is told only what is new, and its request is what its partitions render, dashboard and all.
    """

    def __init__(self, capacity: int, meter: Meter) -> None:
        self._folder = TemporaryDirectory(prefix="loom-retention-")  # it writes where it stands
        # Isolated mode leaves this project off the path, so that `loom` is the package's.
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(WORKER), str(capacity)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self._folder.name,
            text=True,
            encoding="utf-8",
        )
        self._known: list[Message] = []

    def __call__(self, groups: Sequence[MessageGroup]) -> list[Message]:
        """Return the messages that would be sent."""
        messages = flat(groups)
        fresh = messages[len(self._known) :]
        self._known += fresh
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([_made(message) for message in fresh]) + "\n")
        self._process.stdin.flush()
        return [self._back(one) for one in json.loads(self._process.stdout.readline())]

    def _back(self, made: Any) -> Message:
        """A message it left as it was comes as its number, another with its fields."""
        if isinstance(made, int):
            return self._known[made]
        role, text = made["role"], made["content"]
        if role == "tool":
            return Message("tool", (ResultBlock(made["id"] or "", made["name"] or "", text),))
        blocks: list[Block] = [TextBlock(text)] if text else []
        calls = (CallBlock(id, name, json.dumps(args)) for id, name, args in made["calls"])
        return Message(role, (*blocks, *calls))

    def rested(self) -> list[str]:
        """Nothing of the history is written anywhere."""
        return []

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None and self._process.stdout is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
        self._folder.cleanup()


def _made(message: Message) -> dict[str, Any]:
    said = "\n\n".join(block.text for block in message.blocks if isinstance(block, TextBlock))
    calls = [
        (block.id, block.name, arguments(block))
        for block in message.blocks
        if isinstance(block, CallBlock)
    ]
    result = next((block for block in message.blocks if isinstance(block, ResultBlock)), None)
    return {
        "role": message.role,
        "content": result.text if result else said,
        "calls": calls,
        "id": result.call_id if result else None,
        "name": result.name if result else None,
    }
