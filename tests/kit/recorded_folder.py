"""A folder of recorded sessions, for tests of commands."""

import json
from pathlib import Path
from typing import Any

import pytest


def rows(steps: int) -> list[dict[str, Any]]:
    """A recorded session: a user's wish, then reads of ever other text, one result in four long."""
    held: list[dict[str, Any]] = [{"role": "user", "content": "Read all of it.", "ctx_tokens": 9}]
    for number in range(steps):
        arguments = {"path": f"src/part_{number}.py"}
        size = 90 if number % 4 == 0 else 12
        text = "\n".join(f"value_{number}_{at} = {at * number}" for at in range(size))
        call = {"id": f"c{number}", "name": "read_file", "arguments": arguments}
        held.append({"role": "assistant", "content": f"Part {number}.", "tool_calls": [call]})
        held.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    held.append({"role": "assistant", "content": "I have read it."})
    return held


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two recorded sessions, `long.jsonl` and `short.jsonl`."""
    folder = tmp_path_factory.mktemp("recorded")
    for name, steps in (("long", 60), ("short", 6)):
        text = "".join(json.dumps(row) + "\n" for row in rows(steps))
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    return folder
