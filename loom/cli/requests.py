"""`loom log --turns`: the requests a workspace made, a line each, oldest first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct, structs

from loom.cli.exits import FINE
from loom.cli.records import when
from loom.cli.show import Sheet, emit, sheet
from loom.engine.archive.decode import records_of
from loom.engine.archive.workspace import Workspace
from loom.engine.sent_size import sent_size
from loom.reduce.lines import counted
from loom_partitions import records as r
from loom_partitions.records import Turned
from loom_partitions.window import Window, apply

DIGITS = 12  # of a sha256, for people


class LoggedRequest(Struct, frozen=True):
    """A request: its number and commit, milliseconds since the epoch, its size in tokens as it was
    sent (`sent_size`), which its provider counted where it `reported` them, else Loom, and ρ.

    `level` is that of the cut that came with it, or since the request before ("renewal" and "undo"
    among them); `sha256` is "" in older journals. `cuts` are all since the request before, in their
    order, `steps` and `messages` what came in since, `back_to` the request gone back to since (0
    for none). `undone`: the session went back to an earlier one, so it no longer stands on this.
    `compacted`: its client put a summary in the place of messages since the request before; where
    it did so once more, those between are `anew`, for what followed them is told again.
    `times` is how often it was sent, 0 for one that the provider refused.
    """

    turn: int
    commit: int
    at: int
    tokens: int
    rho: float
    level: str
    sha256: str
    cuts: tuple[str, ...] = ()
    steps: int = 0
    messages: int = 0
    back_to: int = 0
    undone: bool = False
    reported: bool = False
    compacted: bool = False
    anew: bool = False
    times: int = 1


class Meanwhile(Struct, frozen=True):
    """What happened since the last request: cuts, what came in, the request gone back to, and the
    one behind which a client compacted `anew` (-1 for none)."""

    cuts: tuple[str, ...] = ()
    steps: int = 0
    messages: int = 0
    back_to: int = 0
    compacted: bool = False
    anew: int = -1


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
            "provider" if one.reported else "Loom",
            f"{one.rho:.2f}",
            ", ".join(one.cuts),
            _since(one),
            one.sha256[:DIGITS],
        )
        for one in made
    )
    columns = ("turn>", "commit>", "made at", "tokens>", "counted by", "ρ>", "cut")
    sheet(Sheet((*columns, "since the last", "sha256"), rows))
    return FINE


def _since(one: LoggedRequest) -> str:
    """What came in before a request, in a few letters, and if it was undone."""
    came = (counted(one.steps, "step"), counted(one.messages, "message"))
    said = [told for told, many in zip(came, (one.steps, one.messages), strict=True) if many]
    if one.back_to:
        said.insert(0, f"back to {one.back_to}")
    if one.compacted:
        said.insert(0, "compacted by the client")
    if one.times != 1:
        said.append(f"sent {one.times} times" if one.times else "refused")
    left = "told anew since" if one.anew else "undone"
    return ", ".join([*said, left] if one.undone else said)


def requests(workspace: Workspace) -> list[LoggedRequest]:
    """Every request, oldest first; the journal is folded from its first line."""
    window, since = Window(), Meanwhile()
    made: list[LoggedRequest] = []
    for commit in workspace.journal.scan():
        for record in records_of(commit):
            window = apply(window, record)
            if note := NOTED.get(type(record)):
                since = note(since, record)
            if made and isinstance(record, r.Metered | r.Overflowed | r.SentAgain):
                made[-1] = structs.replace(made[-1], **_sized(window))  # of the last, told later
            if isinstance(record, Turned):
                if since.anew >= 0:
                    made = [
                        structs.replace(one, anew=one.anew or one.turn > since.anew) for one in made
                    ]
                made.append(LoggedRequest(
                    record.turn,
                    commit.number,
                    commit.at,
                    level=window.sent.acted,
                    sha256=record.sha256,
                    cuts=since.cuts,
                    steps=since.steps,
                    messages=since.messages,
                    back_to=since.back_to,
                    undone=workspace.index.is_left(commit.number),
                    compacted=since.compacted,
                    **_sized(window),
                ))  # fmt: skip
                since = Meanwhile()
    return made


def _sized(window: Window) -> dict[str, Any]:
    """The size of a request, who counted it, and its ρ."""
    size = sent_size(window)
    return {
        "tokens": size.total,
        "reported": size.reported > 0,
        "rho": size.rho,
        "times": size.times,
    }


def _cut(since: Meanwhile, level: str) -> Meanwhile:
    return structs.replace(since, cuts=(*since.cuts, level))


def _listed(since: Meanwhile, record: r.Synced) -> Meanwhile:
    """A compaction by a client is no undo, though one that it makes anew goes back behind it."""
    if record.kept < 0:
        return since
    if "undo" not in since.cuts:
        return structs.replace(since, compacted=True)
    cuts = tuple(one for one in since.cuts if one != "undo")
    return structs.replace(since, cuts=cuts, back_to=0, compacted=True, anew=since.back_to)


# Kind → what it adds to what happened since the last request.
NOTED: dict[type, Callable[[Meanwhile, Any], Meanwhile]] = {
    r.Heard: lambda since, _: structs.replace(since, messages=since.messages + 1),
    r.Belated: lambda since, _: structs.replace(since, messages=since.messages + 1),
    r.Replied: lambda since, _: structs.replace(since, steps=since.steps + 1),
    r.Compressed: lambda since, record: _cut(since, record.level),
    r.Renewed: lambda since, _: _cut(since, "renewal"),
    r.Undone: lambda since, record: structs.replace(
        since, cuts=(*since.cuts, "undo"), back_to=record.to
    ),
    r.Synced: _listed,
    r.Repaired: lambda since, record: _cut(since, "repair") if record.edits else since,
}
