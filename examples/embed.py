"""An agent with file tools in a loop of your own: streamed, and safe to kill at any moment.

    python examples/embed.py [FOLDER]

The agent reads a handbook of 16 chapters, far more than its window of 8,192 tokens holds, then
answers a question about an early chapter: it brings back what had left the window. One run makes
12 turns at most, so that the second one shows how a workspace is gone on with. Kill it with
Ctrl-C or `kill -9` instead, if you like: nothing that was taken in is lost.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from endpoint import PATHS, endpoint_of, options
from scripted import Said, Seen

import loom

CHAPTERS = 16
GOAL = (
    "Read handbook/chapter_01.txt to the last chapter, each once. Then write answer.txt: which port"
    " does the service of chapter 3 listen on?"
)
TEXT = {"type": "string"}
TOOLS = [
    loom.ToolSchema(name, about, {"type": "object", "properties": given, "required": [*given]})
    for name, about, given in (
        ("list_files", "List the files of the handbook.", {}),
        ("read_file", "Read a file.", {"path": TEXT}),
        ("write_file", "Write a file.", {"path": TEXT, "text": TEXT}),
    )
]


def run_tool(root: Path, name: str, given: dict[str, Any]) -> str:
    """Run a tool on the files below `root`, and on no others. Raises OSError, ValueError."""
    if name == "list_files":
        return "\n".join(sorted(str(path.relative_to(root)) for path in root.rglob("*.txt")))
    path = (root / given["path"]).resolve()
    if not path.is_relative_to(root.resolve()):
        raise ValueError(f"{given['path']} is outside of the project")
    if name == "read_file":
        return path.read_text("utf-8")
    path.write_text(given["text"], "utf-8")
    return f"wrote {given['path']}"


def script(seen: Seen) -> Said:
    """A scripted model. It sees what a model would see of the window, and nothing else."""
    name, given = seen.calls[-1] if seen.calls else ("", {})
    if not name:
        return "I look at what there is.", [("list_files", {})]
    if name == "write_file":
        return "The answer is written.", []
    number = int(given["path"][-6:-4]) if name == "read_file" else 0
    if name == "recall" or number == CHAPTERS:
        if port := re.search(r"chapter 3 listens on port (\d+)", seen.text):
            return "Found.", [("write_file", {"path": "answer.txt", "text": f"Port {port[1]}\n"})]
        # The line has left the window: Loom searches its pages, and the passage comes back.
        return "What was the port?", [("recall", {"query": "service of chapter 3 port"})]
    return f"On to chapter {number + 1}.", [
        ("read_file", {"path": f"handbook/chapter_{number + 1:02}.txt"})
    ]


def make_handbook(root: Path) -> None:
    """Write the chapters, where they are not there yet."""
    (root / "handbook").mkdir(parents=True, exist_ok=True)
    for number in range(1, CHAPTERS + 1):
        lines = [f"Rule {number}.{line}: keep part {line * 37 % 101} apart." for line in range(60)]
        lines.insert(30, f"The service of chapter {number} listens on port {8000 + number * 13}.")
        path = root / "handbook" / f"chapter_{number:02}.txt"
        path.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Make at most so many turns, then stop; the next run goes on."""
    parser = options(__doc__, "runs/embed", *PATHS)
    parser.add_argument("--turns", type=int, default=12, help="how many turns this run may make")
    given = parser.parse_args()
    make_handbook(root := given.folder / "project")
    place, window = given.folder / "workspace", 8_192
    with (
        endpoint_of(given, script) as model,
        loom.open(place, goal=GOAL, window=window, tools=TOOLS) as ctx,
    ):
        print(f"turns in the journal: {ctx.window.sent.turn}, calls still open: {len(ctx.calls)}")
        last = ctx.window.sent.turn + given.turns
        while not ctx.done and ctx.window.sent.turn < last:
            for call in ctx.calls:  # also those a run that was killed had left open
                try:
                    ctx.result(call, run_tool(root, call.name, json.loads(call.arguments)))
                except (OSError, ValueError, KeyError, TypeError) as error:
                    ctx.result(call, f"{type(error).__name__}: {error}", error=True)
            turn = ctx.turn()
            try:
                for _ in ctx.collect(model.stream(turn.request(model.api, stream=True))):
                    pass  # a chunk, to be shown to a user as it comes
            except Exception as error:
                ctx.overflowed(error)  # "too long": the next turn is shorter; raises all others
                continue
            size = turn.pressure  # ρ: how full this request was
            full = f"ρ {size.rho:.2f}, pages {size.pages:2}, generation {size.generation}"
            print(f"{turn.number:3} {full}: {ctx.text[:40]}", flush=True)
        print(
            f"done: {(root / 'answer.txt').read_text().strip()}"
            if ctx.done
            else "stopped here; run it again to go on"
        )


if __name__ == "__main__":
    main()
