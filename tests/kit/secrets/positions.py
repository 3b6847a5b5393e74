"""All positions of the matrix: the doors of a context, and a recorded session replayed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

from msgspec import json

from loom.cli.replay import replay
from loom.redact import Rules
from tests.kit.secrets.doors import DOORS
from tests.kit.secrets.fixture import GIVEN, KEPT, entered
from tests.kit.secrets.planted import Planted

# Brings every secret into what rests in `kept` below a folder; returns what went wrong, by kind.
Position = Callable[[Path, Mapping[str, Planted], Rules], dict[str, str]]


def _recorded(plants: Mapping[str, Planted]) -> list[dict[str, Any]]:
    """The messages of a session: a tool shows one secret, the user says it."""
    made: list[dict[str, Any]] = [{"role": "user", "content": "Deploy every part."}]
    for number, one in enumerate(plants.values()):
        function = {"name": "Bash", "arguments": json.encode({"n": number}).decode()}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        made += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{number}", "content": one.text},
        ]
    return [*made, {"role": "assistant", "content": "Done."}]


def replayed(folder: Path, plants: Mapping[str, Planted], redact: Rules) -> dict[str, str]:
    """`loom replay` of a session that holds the secrets, its output kept; its rules are its own."""
    (folder / GIVEN).mkdir(parents=True)
    session = folder / GIVEN / "session.json"
    session.write_bytes(json.encode({"messages": _recorded(plants)}))
    told = StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        code = replay([session], out=folder / KEPT, json=True)
    return dict.fromkeys(plants, f"loom replay: exit {code}") if code else {}


POSITIONS: dict[str, Position] = {
    **{name: partial(entered, door) for name, door in DOORS.items()},
    "replay": replayed,
}


def fits(position: str, planted: Planted) -> bool:
    """True when a secret can stand in a position: no file is named by several lines."""
    door = DOORS.get(position)
    return door is None or door.fits(planted)
