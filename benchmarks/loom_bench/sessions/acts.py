"""Acts of agents with tools: each makes a call's arguments and the result it would have had.

A `World` keeps the files of one session, so that a read after an edit shows the edit, and the same
read twice shows the same text. Acts are a table; tool names and argument keys come from the style
of the harness the session imitates.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from msgspec import Struct

from loom_bench.sessions.material import EMOJI, Material

HUGE = 300_000  # bytes of the largest results


class Act(Struct, frozen=True):
    """One call and its result: `tool` is a key of a style, `arguments` are by canonical key."""

    tool: str
    arguments: dict[str, Any]
    result: str
    error: bool = False


# tool → (name, {canonical argument: key}); an argument that is not listed keeps its name.
STYLES: dict[str, dict[str, tuple[str, dict[str, str]]]] = {
    "claude-code": {
        "read": ("Read", {"path": "file_path"}),
        "edit": ("Edit", {"path": "file_path", "old": "old_string", "new": "new_string"}),
        "write": ("Write", {"path": "file_path"}),
        "list": ("LS", {}),
        "grep": ("Grep", {}),
        "shell": ("Bash", {}),
        "web": ("WebSearch", {}),
        "visit": ("WebFetch", {}),
        "weather": ("mcp__weather__get_forecast", {}),
        "api": ("mcp__crm__find_records", {}),
        "status": ("TodoRead", {}),
    },
    "openai": {
        "read": ("read_file", {"path": "target_file"}),
        "edit": ("str_replace", {"old": "old_str", "new": "new_str"}),
        "write": ("write_file", {}),
        "list": ("list_directory", {}),
        "grep": ("grep_search", {"pattern": "query"}),
        "shell": ("run_terminal_cmd", {}),
        "web": ("web_search", {}),
        "visit": ("fetch_url", {}),
        "weather": ("get_weather", {}),
        "api": ("get_order_details", {}),
        "status": ("list_open_tickets", {}),
    },
    "seed": {
        "read": ("fs:read_file", {}),
        "edit": ("fs:edit_file", {}),
        "write": ("fs:write_file", {}),
        "list": ("fs:list_dir", {}),
        "grep": ("fs:search", {"pattern": "query"}),
        "shell": ("system:shell", {}),
        "web": ("web:search", {}),
        "visit": ("browser:navigate", {}),
        "weather": ("weather:get", {}),
        "api": ("crm:find", {}),
        "status": ("agent:status", {}),
    },
}


class World:
    """The files of a session and the source of everything new in it."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.material = Material(rng)
        self.files: dict[str, list[str]] = {}
        self.seen: list[str] = []
        self.small: list[str] = []

    def file(self, *, again: float) -> str:
        """A path, with chance `again` one that was touched before."""
        if self.seen and self.rng.random() < again:
            return self.rng.choice(self.seen[-8:])
        path = self.material.path()
        if path not in self.files:
            self.files[path] = self.material.code(self.rng.choice((12, 40, 80, 160, 320)))
        self.seen.append(path)
        return path


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, first))


def read(world: World) -> Act:
    """A file, whole or a range of its lines, often one that was read or edited before."""
    path = world.file(again=0.45)
    lines = world.files[path]
    if len(lines) > 60 and world.rng.random() < 0.4:
        offset = world.rng.randrange(len(lines) - 40)
        arguments = {"path": path, "offset": offset + 1, "limit": 40}
        return Act("read", arguments, _numbered(lines[offset : offset + 40], offset + 1))
    return Act("read", {"path": path}, _numbered(lines, 1))


def edit(world: World) -> Act:
    """A replacement in a known file; sometimes the old text is not found."""
    path = world.file(again=0.9)
    lines = world.files[path]
    at = world.rng.randrange(max(len(lines) - 6, 1))
    count = world.rng.randint(1, 6)
    old, new = lines[at : at + count], world.material.code(world.rng.randint(1, 8))
    arguments = {"path": path, "old": "\n".join(old), "new": "\n".join(new)}
    if world.rng.random() < 0.08:
        return Act("edit", arguments, f"Error: the text to replace was not found in {path}", True)
    lines[at : at + count] = new
    shown = _numbered(lines[max(at - 3, 0) : at + 8], max(at - 3, 0) + 1)
    return Act("edit", arguments, f"The file {path} has been updated.\n{shown}")


def write(world: World) -> Act:
    """A new file, its whole content in the arguments."""
    path = world.file(again=0.2)
    world.files[path] = world.material.code(world.rng.randint(5, 120))
    content = "\n".join(world.files[path])
    return Act("write", {"path": path, "content": content}, f"Wrote {len(content)} bytes to {path}")


def listing(world: World) -> Act:
    """A folder's entries, one a line."""
    names = sorted({world.material.name() for _ in range(world.rng.choice((0, 4, 15, 60)))})
    entries = [f"{name}/" if at % 4 == 0 else f"{name}.py" for at, name in enumerate(names)]
    return Act("list", {"path": world.material.path().rpartition("/")[0]}, "\n".join(entries))


def grep(world: World) -> Act:
    """Matches with their places, or none."""
    pattern = world.material.name()
    count = world.rng.choice((0, 3, 12, 50, 200))
    lines = [
        f"{world.material.path()}:{world.rng.randint(1, 900)}:{world.material.code_line().strip()}"
        for _ in range(count)
    ]
    return Act("grep", {"pattern": pattern, "path": "."}, "\n".join(lines))


def scrap(world: World) -> Act:
    """A file of a few lines, its path about as long as what it says."""
    folder = "/".join(world.material.name() for _ in range(world.rng.randint(3, 9)))
    path = f"packages/{folder}/{world.material.path()}"
    world.files.setdefault(path, world.material.code(world.rng.choice((1, 2, 2, 3, 6))))
    world.small.append(path)
    return Act("read", {"path": path}, _numbered(world.files[path], 1))


def gather(world: World) -> Act:
    """A command over many of the small files read so far; it says next to nothing."""
    known = list(dict.fromkeys(path.rpartition("/")[2] for path in world.small))
    names = world.rng.sample(known, min(len(known), world.rng.choice((8, 24, 60))))
    return Act("shell", {"command": " ".join(("git status", *names))}, "clean")


def shell(world: World) -> Act:
    """A command that worked: a log, a short answer, or nothing at all."""
    command = world.rng.choice(("git log --oneline -20", "npm test", "make build", "ls -la src"))
    lines = world.material.log(world.rng.choice((0, 1, 8, 30, 120)))
    if world.rng.random() < 0.03:
        lines.append("DATABASE_URL=postgres://app:hunter2secret@db.internal:5432/app")
    return Act("shell", {"command": command}, "\n".join(lines))


def failing(world: World) -> Act:
    """A command that failed: some output, a stack trace, the exit code."""
    lines = world.material.log(world.rng.choice((2, 10, 60))) + world.material.trace()
    result = "\n".join(["Exit code 1", *lines, "=== 1 failed, 41 passed in 3.07s ==="])
    return Act("shell", {"command": f"pytest -x tests/{world.material.name()}.py"}, result, True)


def web(world: World) -> Act:
    """Search results with titles, addresses and snippets."""
    material = world.material
    results = [
        {"title": material.sentence(), "url": material.url(), "snippet": material.prose(2)}
        for _ in range(world.rng.choice((0, 3, 10, 10)))
    ]
    return Act("web", {"query": f"{material.noun()} {material.noun()} error"}, _json(results))


def visit(world: World) -> Act:
    """A web page as JSON, its text long; sometimes it is not there."""
    url = world.material.url()
    if world.rng.random() < 0.1:
        return Act("visit", {"url": url}, _json({"status": 404, "error": "not found"}), True)
    text = world.material.prose(world.rng.choice((10, 40, 120)))
    links = [world.material.url() for _ in range(world.rng.randint(0, 30))]
    page = {"status": 200, "title": world.material.sentence(), "text": text, "links": links}
    return Act("visit", {"url": url}, _json(page))


def weather(world: World) -> Act:
    """A small JSON answer."""
    place = f"{world.material.noun().title()} City"
    days = [{"day": day, "high": world.rng.randint(-9, 39)} for day in range(5)]
    return Act("weather", {"location": place}, _json({"location": place, "days": days}))


def api(world: World) -> Act:
    """Records of a service, on one line or indented."""
    indent = world.rng.choice((None, None, 2))
    found = world.material.records(world.rng.choice((1, 3, 12, 40)), indent=indent)
    return Act("api", {"filter": {"status": world.material.name()}, "limit": 50}, found)


def status(world: World) -> Act:
    """A call without arguments, often with nothing to say."""
    return Act("status", {}, world.rng.choice(("", "[]", "No items.", world.material.sentence())))


def huge(world: World) -> Act:
    """One result of up to `HUGE` bytes: a log, JSON on one line, or one endless word."""
    size = world.rng.randrange(HUGE // 3, HUGE)
    kind = world.rng.randrange(3)
    if kind == 0:
        lines = world.material.log(500)
        text = "\n".join(lines * (size // sum(map(len, lines)) + 1))
    elif kind == 1:
        record = world.material.record(6)
        text = _json([record] * (size // len(_json(record))))
    else:
        text = f"{world.rng.getrandbits(256):064x}" * (size // 64)
    return Act("shell", {"command": f"cat {world.material.name()}.out"}, text[:size])


def odd(world: World) -> Act:
    """Text that is hard to count or to cut: emoji, CJK without spaces, blanks, controls."""
    text = world.rng.choice(
        (
            " ".join(EMOJI) * 40,
            "数据库连接超时" * 300,
            " \n\t" * 500,
            "\x1b[31mred\x1b[0m \x00\x07 \u2028 \u202e" * 30,
            "<|endoftext|><|im_start|>system\n" * 5,
            "-" * 5_000,
        )
    )
    return Act("shell", {"command": "cat odd.bin"}, text)


def surrogate(world: World) -> Act:
    """A result with half of a surrogate pair, as some tools print them."""
    return Act("shell", {"command": "tail broken.txt"}, world.material.prose(3) + "\ud83d cut off")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


ACTS: dict[str, Callable[[World], Act]] = {
    "read": read,
    "edit": edit,
    "write": write,
    "list": listing,
    "grep": grep,
    "scrap": scrap,
    "gather": gather,
    "shell": shell,
    "failing": failing,
    "web": web,
    "visit": visit,
    "weather": weather,
    "api": api,
    "status": status,
    "huge": huge,
    "odd": odd,
    "surrogate": surrogate,
}
