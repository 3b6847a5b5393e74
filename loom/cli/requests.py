"""`loom log --turns`: the requests a workspace made, a line each, oldest first."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict

from loom.cli.columns import Sheet, sheet
from loom.cli.exits import FINE
from loom.cli.records import when
from loom.cli.show import emit
from loom.inspect.requests import RequestRow, folded
from loom.reduce.lines import counted
from loom.session.archive.workspace import Workspace

DIGITS = 12  # of a sha256, for people


def told_requests(workspace: Workspace, limit: int | None, *, json: bool) -> int:
    """Print the requests, the newest `limit` of them or all."""
    rows = folded(workspace).rows[-(limit or 0) :]
    left = {row.commit for row in rows if workspace.index.is_left(row.commit)}
    if json:
        emit({"requests": [_as_json(row, row.commit in left) for row in rows]})
        return FINE
    columns = (
        "turn>", "commit>", "made at", "tokens>", "counted by", "ρ>", "cut", "since the last",
        "sha256",
    )  # fmt: skip
    cells = tuple(
        (
            str(row.turn),
            str(row.commit),
            when(row.at),
            f"{row.size.total:,}",
            "provider" if row.size.reported else "Loom",
            f"{row.size.rho:.2f}",
            ", ".join(row.since.cuts),
            _since(row, row.commit in left),
            row.sha256[:DIGITS],
        )
        for row in rows
    )
    sheet(Sheet(columns, cells))
    return FINE


def _as_json(row: RequestRow, undone: bool) -> dict[str, Any]:
    own = {name: getattr(row, name) for name in ("turn", "commit", "at", "level", "sha256", "anew")}
    size = {"tokens": row.size.total, "rho": row.size.rho, "times": row.size.times}
    reported = row.size.reported > 0
    return (
        own | size | asdict(row.since) | {"undone": undone, "reported": reported, "anew": row.anew}
    )


def _since(row: RequestRow, undone: bool) -> str:
    """What came in before a request, in a few letters, and if it was undone."""
    since, times = row.since, row.size.times
    said = {
        "compacted by the client": since.compacted,
        f"back to {since.back_to}": since.back_to,
        counted(since.steps, "step"): since.steps,
        counted(since.messages, "message"): since.messages,
        f"sent {times} times": times > 1,
        "refused": not times,
        "told anew since" if row.anew else "undone": undone,
    }
    return ", ".join(text for text, holds in said.items() if holds)
