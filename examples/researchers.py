"""An agent that has three agents below it do its research, each within a budget, and joins them.

    python examples/researchers.py [FOLDER]

The model of the editor calls the tool `spawn` three times; the program opens each child and runs it
in a thread. A child knows its goal and nothing else of the editor's window; one result comes back.
The third goal is larger than its budget of four steps: what it found until then is its result, and
it says "failed". Run it again: the results are there already, and nobody is asked a second time.
"""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from textwrap import shorten

from endpoint import Endpoint, endpoint_of, options
from scripted import Said, Seen

import loom
from loom.capabilities.agents.tool import SPAWN

NOTES = {
    "paging": ["Pages rest on disk.", "A page comes back byte for byte."],
    "caching": ["A stable beginning of a request is cheap."],
    "recall": [f"Place {place} is searched." for place in range(1, 7)],
}
READ = loom.ToolSchema(
    "read_note",
    "Read a note about a topic; each ends by saying how many there are.",
    {
        "type": "object",
        "properties": {"topic": {"type": "string"}, "number": {"type": "integer"}},
        "required": ["topic", "number"],
    },
)
GOAL = "Write a line about each of: paging, caching, recall. Have a researcher read each topic."


def read_note(topic: str, number: int) -> str:
    """A note, and how many of its topic there are."""
    return f"{NOTES[topic][number - 1]} (note {number} of {len(NOTES[topic])})"


def script(seen: Seen) -> Said:
    """A scripted model, the editor's and the researchers' alike: it looks at its goal."""
    if found := re.search(r"^goal: Read every note about (\w+)", seen.text, re.MULTILINE):
        topic, number = found[1], len(seen.calls) + 1
        if number > len(NOTES[topic]):
            return " ".join(NOTES[topic]), []
        return f"Note {number}.", [("read_note", {"topic": topic, "number": number})]
    if seen.calls:
        lines = [f"{topic}: {notes[0]}" for topic, notes in NOTES.items() if notes[0] in seen.text]
        return "\n".join(lines), []
    goals = {topic: f"Read every note about {topic}; report them." for topic in NOTES}
    return "I need three researchers.", [
        ("spawn", {"goal": goal, "name": topic, "budget": {"steps": 4}})
        for topic, goal in goals.items()
    ]


def research(child: loom.Context, model: Endpoint) -> None:
    """Run a child until it has answered or its budget is spent, and deliver its result."""
    found: list[str] = []
    with child:
        try:
            while not child.done:
                for call in child.calls:
                    found.append(read_note(**json.loads(call.arguments)))
                    child.result(call, found[-1])
                child.reply(model.ask(child.turn().request(model.api)))
        except loom.BudgetSpent as error:
            child.agents.deliver(f"So far: {found[0]}", status="failed", error=str(error))
        else:
            child.agents.deliver(child.text)


def children_of(ctx: loom.Context) -> list[loom.Context]:
    """A child for each call of `spawn` that waits: a new one, or one an earlier run had left."""
    states, opened = ctx.agents.children, []
    for call in ctx.calls:
        name = json.loads(call.arguments).get("name", "")
        if name not in states:
            opened.append(ctx.agents.spawn(call, tools=[READ]))
        elif states[name] in ("unborn", "at work"):  # else its result waits to be joined
            opened.append(ctx.agents.child(name))
    return opened


def main() -> None:
    """Run the editor: spawn what its model asks for, join, and have it write."""
    given = options(__doc__, "runs/researchers", "openai", "anthropic").parse_args()
    with (
        endpoint_of(given, script) as model,
        loom.open(given.folder, goal=GOAL, window=16_000, tools=[SPAWN]) as ctx,
        ThreadPoolExecutor(3) as threads,
    ):
        while not ctx.done:
            works = [threads.submit(research, child, model) for child in children_of(ctx)]
            for one in works:
                one.result()  # raises what the thread raised
            for found in ctx.agents.wait(timeout=60):
                print(f"{found.agent}: {found.status}\n  {found.summary}", flush=True)
                if found.error:
                    print(f"  why: {shorten(found.error, 70, placeholder=' …')}")
            ctx.reply(model.ask(ctx.turn().request(model.api)))
        print(f"The editor's answer, after {ctx.window.sent.turn} turns of its own:\n{ctx.text}")


if __name__ == "__main__":
    main()
