"""The life whose disk loses power: public calls of every kind, with cuts and renewals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

import loom
from loom_paging.waiting_syncs import Durable


class Call(Struct, frozen=True):
    """A public call. `acknowledges`: in a workspace that syncs once a turn too, all that came
    before it and all it did is durable once it returns."""

    make: Callable[[], object]
    acknowledges: bool = False


EVERY = loom.Retention(default=0, ttl={"shell": 0}, horizon=1)
OPENING = {"window": 8_192, "goal": "Port the parser."}


def calls(place: list[loom.Context], folder: Path, durable: Durable) -> Iterator[Call]:
    """The public calls of a life, to be made one after another; `place` holds the open context."""

    def opened() -> None:
        again = folder.exists()
        more = {} if again else OPENING
        place[:] = [loom.open(folder, durable=durable, **more)]  # type: ignore[arg-type]

    def step(number: int, lines: int) -> Iterator[Call]:
        id = f"c{number}"
        tool = ("Read", "Bash", "Edit")[number % 3]
        path = f'{{"path":"part_{number % 5}.py","command":"run {number}"}}'
        yield Call(
            lambda: place[0].reply(
                loom.Reply((loom.Speech(f"Step {number}."), loom.ToolCall(id, tool, path)))
            )
        )
        text = "".join(f"line {line} of output {number}\n" for line in range(lines))
        yield Call(lambda: place[0].result(id, text))
        if number == 6:
            yield Call(lambda: _killed(place[0]))
            yield Call(opened)
        yield Call(lambda: place[0].turn(), acknowledges=True)

    yield Call(opened)
    yield Call(lambda: place[0].system("You are careful."))
    yield Call(lambda: place[0].user("Port it, and never push to main."))
    yield Call(lambda: place[0].turn(), acknowledges=True)
    for number in range(4):
        yield from step(number, 30 + 60 * (number % 2))
    yield Call(lambda: place[0].working.plan([("read", "done"), ("port", "doing")]))
    yield Call(lambda: place[0].working.note("the parser is in part_3.py"))
    yield Call(lambda: place[0].renew(), acknowledges=True)
    yield from step(4, 400)
    yield Call(lambda: place[0].agents.spawn("Read it.", name="one").close(), acknowledges=True)
    yield Call(lambda: _child(folder, durable))
    yield Call(lambda: place[0].agents.join("one"))
    yield Call(lambda: place[0].turn(), acknowledges=True)
    yield Call(lambda: place[0].close(), acknowledges=True)
    yield Call(opened)
    yield Call(lambda: place[0].user("Go on."))
    for number in range(5, 8):
        yield from step(number, 200)
    yield Call(lambda: place[0].history.undo(to=6))
    yield Call(lambda: place[0].turn(), acknowledges=True)
    yield from step(8, 20)
    yield Call(lambda: place[0].agents.fork("copy").close(), acknowledges=True)
    for number in range(9, 12):
        yield from step(number, 300)
    yield Call(lambda: place[0].renew(), acknowledges=True)  # with pages of results that leave
    yield Call(lambda: place[0].history.gc(EVERY, apply=True))
    yield Call(lambda: place[0].user("Done? See history/step_0003.json."))
    yield Call(lambda: place[0].turn(), acknowledges=True)
    yield Call(lambda: place[0].close(), acknowledges=True)


def _killed(ctx: loom.Context) -> None:
    """Leave a context as a kill does: nothing more is written or synced, and its lock is free."""
    workspace = ctx._engine.workspace
    assert workspace._lock is not None
    workspace._lock.release()
    workspace.closed = True


def _child(folder: Path, durable: Durable) -> None:
    """The child takes a step, and delivers."""
    with loom.open(folder / "agents" / "one", durable=durable) as child:
        child.turn()
        child.reply(loom.Reply((loom.Speech("Read."),)))
        child.agents.deliver("It is short.")
