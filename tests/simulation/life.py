"""The life whose disk loses power: public calls of every kind, with cuts and renewals."""

from collections.abc import Callable, Iterator
from pathlib import Path

import loom

Call = Callable[[], object]  # a public call: all it did is durable once it returns
EVERY = loom.Retention(default=0, ttl={"shell": 0}, horizon=1)
OPENING = {"window": 8_192, "goal": "Port the parser."}


def calls(place: list[loom.Context], folder: Path) -> Iterator[Call]:
    """The public calls of a life, to be made one after another; `place` holds the open context."""

    def opened() -> None:
        more = {} if folder.exists() else OPENING
        place[:] = [loom.open(folder, **more)]

    def step(number: int, lines: int) -> Iterator[Call]:
        id = f"c{number}"
        tool = ("Read", "Bash", "Edit")[number % 3]
        path = f'{{"path":"part_{number % 5}.py","command":"run {number}"}}'
        yield lambda: place[0].reply(
            loom.Reply((loom.Speech(f"Step {number}."), loom.ToolCall(id, tool, path)))
        )
        text = "".join(f"line {line} of output {number}\n" for line in range(lines))
        yield lambda: place[0].result(id, text)
        if number == 6:
            yield lambda: _killed(place[0])
            yield opened
        yield lambda: place[0].turn()

    yield opened
    yield lambda: place[0].system("You are careful.")
    yield lambda: place[0].user("Port it, and never push to main.")
    yield lambda: place[0].turn()
    for number in range(4):
        yield from step(number, 30 + 60 * (number % 2))
    yield lambda: place[0].working.plan([("read", "done"), ("port", "doing")])
    yield lambda: place[0].working.note("the parser is in part_3.py")
    yield lambda: place[0].renew()
    yield from step(4, 400)
    yield lambda: place[0].agents.spawn("Read it.", name="one").close()
    yield lambda: _child(folder)
    yield lambda: place[0].agents.join("one")
    yield lambda: place[0].turn()
    yield lambda: place[0].close()
    yield opened
    yield lambda: place[0].user("Go on.")
    for number in range(5, 8):
        yield from step(number, 200)
    yield lambda: place[0].history.undo(to=6)
    yield lambda: place[0].turn()
    yield from step(8, 20)
    yield lambda: place[0].agents.fork("copy").close()
    for number in range(9, 12):
        yield from step(number, 300)
    yield lambda: place[0].renew()  # with pages of results that leave
    yield lambda: place[0].history.gc(EVERY, apply=True)
    yield lambda: place[0].user("Done? See history/step_0003.json.")
    yield lambda: place[0].turn()
    yield lambda: place[0].close()


def _killed(ctx: loom.Context) -> None:
    """Leave a context as a kill does: nothing more is written or synced, and its lock is free."""
    workspace = ctx._engine.workspace
    workspace._lock.release()
    workspace.closed = True


def _child(folder: Path) -> None:
    """The child takes a step, and delivers."""
    with loom.open(folder / "agents" / "one") as child:
        child.turn()
        child.reply(loom.Reply((loom.Speech("Read."),)))
        child.agents.deliver("It is short.")
