"""Talk to a model through `loom serve`, the local proxy, with a plain client of the Messages API.

    pip install ".[serve]"
    python examples/through_the_proxy.py [FOLDER]

The client knows nothing of Loom: it keeps its whole list of messages and sends all of it each time.
The proxy sends on what fits a window of 12,000 tokens, and keeps the rest in a workspace, which is
shown at the end. Each run is a conversation of its own, with a workspace of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from endpoint import Endpoint, options
from replies import Wire
from scripted import Said, ScriptedProvider, Seen

import loom

WINDOW = 12_000
PARTS = 20
READ = {
    "name": "read_part",
    "description": "Read a part of the logbook.",
    "input_schema": {"type": "object", "properties": {"part": {"type": "integer"}},
                     "required": ["part"]},
}  # fmt: skip


def script(seen: Seen) -> Said:
    """A scripted model: it reads part after part."""
    part = seen.calls[-1][1]["part"] if seen.calls else 0
    if part == PARTS:
        return "All parts are read.", []
    return f"Part {part + 1}.", [("read_part", {"part": part + 1})]


def read_part(part: int) -> str:
    """The text of a part: some 1,000 tokens."""
    return "\n".join(f"{part}.{line} wind {line * part * 7 % 360}" for line in range(120))


@contextmanager
def proxy(provider: str, folder: Path) -> Iterator[str]:
    """Run `loom serve` on a free port; gives its address, and ends it at last."""
    words = ["serve", "--port", "0", "--window", str(WINDOW), "--anthropic", provider]
    with subprocess.Popen(
        [sys.executable, "-m", "loom", *words, "--folder", str(folder)],
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        try:
            told = running.stderr.readline()  # "loom serve: http://127.0.0.1:PORT · …"
            if "http://" not in told:
                raise SystemExit(told + running.stderr.read())
            yield told.split()[2]
        finally:
            running.terminate()


def converse(client: Endpoint) -> list[Wire]:
    """An agent's loop as anybody would write it, without Loom; returns its list of messages."""
    messages: list[Wire] = [{"role": "user", "content": f"Read parts 1 to {PARTS}, one by one."}]
    request = {"max_tokens": 1_000, "tools": [READ], "messages": messages}
    for _ in range(PARTS + 4):
        reply = client.ask(request)
        messages.append({"role": "assistant", "content": reply["content"]})
        calls = [block for block in reply["content"] if block["type"] == "tool_use"]
        if not calls:
            break
        answers = [
            {"type": "tool_result", "tool_use_id": one["id"], "content": read_part(**one["input"])}
            for one in calls
        ]
        messages.append({"role": "user", "content": answers})
    return messages


def main() -> None:
    """Hold the conversation, then show its workspace."""
    given = options(__doc__, "runs/through_the_proxy", "anthropic").parse_args()
    with ScriptedProvider(script) as provider:
        url = given.base_url or provider.url
        with proxy(url.removesuffix("/v1"), given.folder) as address:
            messages = converse(Endpoint(f"{address}/v1", given.model, given.api))
        print(f"the client's list at the end: {len(messages)} messages,"
              f" {len(json.dumps(messages)):,} characters")  # fmt: skip
        if sizes := [len(json.dumps(body)) for body in provider.bodies]:
            print(f"the largest request the provider was sent: {max(sizes):,} characters")
    folders = sorted(path.parent for path in given.folder.glob("*/journal"))
    print(f"workspaces in {given.folder}: {len(folders)}")
    newest = max(folders, key=lambda path: (path / "journal").stat().st_mtime)
    with loom.open(newest) as ctx:
        size = ctx.pressure
        print(f"the newest: {ctx.window.sent.turn} requests, {size.pages} pages, ρ {size.rho:.2f}")
        found = ctx.recall("1.57 wind", tokens=200)
        print("recalled:", next((one for one in found.splitlines() if "1.57" in one), "-").strip())


if __name__ == "__main__":
    main()
