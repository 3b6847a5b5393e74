"""`loom log --turns`: the requests a workspace made, a line each, oldest first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from msgspec import Struct

from loom.cli.exits import FINE
from loom.cli.records import when
from loom.cli.show import Sheet, emit, sheet
from loom.engine.archive.decode import records_of
from loom.engine.archive.workspace import Workspace
from loom.engine.pressure import rho
from loom_partitions.records import Turned
from loom_partitions.window import Window, apply

DIGITS = 12  # of a sha256, for people


class LoggedRequest(Struct, frozen=True):
    """A request: its number and commit, milliseconds since the epoch, its size in tokens, ρ.

    `level` is that of the cut that came with it, or since the request before ("renewal" and "undo"
    among them); `sha256` is "" in older journals.
    """

    turn: int
    commit: int
    at: int
    tokens: int
    rho: float
    level: str
    sha256: str


def told_requests(workspace: Workspace, limit: int | None, *, json: bool) -> int:
    """Print the requests, the newest `limit` of them or all."""
    made: Iterable[LoggedRequest] = requests(workspace)
    made = made if limit is None else deque(made, maxlen=limit)
    if json:
        emit({"requests": list(made)})
        return FINE
    rows = tuple(
        (
            str(one.turn),
            str(one.commit),
            when(one.at),
            f"{one.tokens:,}",
            f"{one.rho:.2f}",
            one.level,
            one.sha256[:DIGITS],
        )
        for one in made
    )
    sheet(Sheet(("turn>", "commit>", "made at", "tokens>", "ρ>", "cut", "sha256"), rows))
    return FINE


def requests(workspace: Workspace) -> Iterator[LoggedRequest]:
    """Every request, oldest first; the journal is folded from its first line."""
    window = Window()
    for commit in workspace.journal.scan():
        for record in records_of(commit):
            window = apply(window, record)
            if isinstance(record, Turned):
                yield LoggedRequest(
                    record.turn,
                    commit.number,
                    commit.at,
                    window.tokens.total,
                    round(rho(window.tokens.total, window.limits), 4),
                    window.sent.acted,
                    record.sha256,
                )
