"""A workspace with everything a workspace may hold."""

import json
from pathlib import Path

import loom
from loom.capabilities.events.inbox import put_message

PLENTY = loom.Budget(seconds=10**6)  # a test may come back to them late


def step(ctx: loom.Context, number: int, lines: int) -> None:
    """A reply with one call, its result, and the request that follows."""
    tool = ("Read", "Bash", "Edit")[number % 3]
    given = {"path": f"part_{number % 5}.py", "command": f"run {number}"}
    said = (loom.Speech(f"Step {number}."), loom.ToolCall(f"c{number}", tool, json.dumps(given)))
    ctx.reply(loom.Reply(said))
    ctx.result(f"c{number}", "".join(f"line {at} of output {number}\n" for at in range(lines)))
    ctx.turn()


def rich(folder: Path, word: str = "parser") -> Path:
    """Live a life in `folder`: cuts, renewals, a going back, notes, memories, two agents below, one
    of them joined, a fork, a bus with pages, a message in the inbox, equal pages, an index."""
    memory = [loom.Memory(folder / "memory")]
    with loom.open(folder, window=8_192, goal=f"Port the {word}.", capabilities=memory) as ctx:
        ctx.system("You are careful.")
        ctx.user(f"Port the {word}, and never push to main.")
        ctx.turn()
        for number in range(4):
            step(ctx, number, 30 + 60 * (number % 2))
        ctx.working.note(f"the {word} is in part_3.py")
        ctx.memory.save(f"The staging database of the {word} is db7.", key="staging")
        ctx.memory.notes.create("/memories/plan.md", f"{word}\n")
        ctx.renew()
        for number in range(4, 8):
            step(ctx, number, 150)
        with ctx.agents.spawn("Read it.", name="one", budget=PLENTY) as child:
            child.turn()
            step(child, 50, 100)
            child.agents.deliver(f"The {word} is short.", artefacts=["edit_0001"])
        ctx.agents.join("one")
        ctx.turn()
        with ctx.agents.spawn("Look.", name="two", budget=PLENTY) as child:
            child.turn()
            step(child, 60, 100)
        ctx.agents.emit("told.all", word * 500)
        ctx.agents.emit("told.one", word)
        for number in range(8, 10):
            step(ctx, number, 150)
        ctx.reply(loom.Reply((loom.ToolCall("c90", "Bash", '{"command": "again"}'),)))
        ctx.result("c90", "".join(f"line {at} of output 9\n" for at in range(150)))  # an alias
        ctx.turn()
        ctx.agents.fork("copy").close()
        ctx.renew()
        for number in range(10, 14):
            step(ctx, number, 120)
        ctx.history.undo(to=ctx.window.sent.turn - 2)
        ctx.turn()
        for number in range(14, 16):
            step(ctx, number, 60)
        ctx.user("See history/step_0003.json.")
        ctx.turn()
        ctx.recall("output 5")
        put_message(folder, "hello")
    return folder
