"""The parts of the configuration of Claude Code, Codex and opencode that concern Loom.

The files are read in the form in which these clients write them, also with `claude mcp add`, `codex
mcp add` and `opencode mcp add`. No value is trusted to have the documented type: a value of another
type counts as absent. A file that cannot be read is reported in `broken`."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from loom.lazy import lazy_re

MOST = 16_000_000  # bytes of a file: ~/.claude.json grows with its projects
# A string, or a comment: the first that begins decides.
_JSONC = lazy_re(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = lazy_re(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)
Words = tuple[str, ...]  # of a command


class ClientSettings(Struct):
    """The settings of one client that concern Loom. Each list has pairs (value, the file or
    variable that it comes from). `urls` are addresses of models. `hooks` and `servers` are the
    commands of hooks and MCP servers. `broken` are reasons why a file cannot be read. `files` is
    the number of settings files that exist."""

    urls: list[tuple[str, str]] = []
    hooks: list[tuple[Words, str]] = []
    servers: list[tuple[Words, str]] = []
    broken: list[tuple[str, str]] = []
    files: int = 0  # that were there


class CodingAgent(Struct, frozen=True):
    """A client: its name, its program, the environment variable with the address of its model, and
    its settings files. `urls` and `servers` are the paths in these files at which model addresses
    and MCP servers are set.

    Such a path has names joined by dots. `*` in it means every name, `@name` the value of `name` at
    the top of the file, `WORK` the project folder. `parse` turns the text of a file into a value.
    `hooks` is True if Loom has hooks for the client. `several` is True if the client has many
    addresses and uses only one, so an unused address may be dead."""

    name: str
    program: str
    variable: str
    files: Callable[[Path, Path, Mapping[str, str]], list[Path]]
    urls: tuple[str, ...]
    servers: tuple[str, ...]
    parse: Callable[[str], Any]
    hooks: bool = False
    several: bool = False


def read_settings(
    agent: CodingAgent, home: Path, work: Path, env: Mapping[str, str]
) -> ClientSettings:
    """Return the settings of a client that concern Loom: the user's, from the folder `home`, and
    the project's, from the folder `work`."""
    found = ClientSettings()
    if url := env.get(agent.variable):
        found.urls.append((url, f"${agent.variable}"))
    for path in dict.fromkeys(agent.files(home, work, env)):
        where = str(path)
        try:
            if path.stat().st_size > MOST:
                raise ValueError(f"it has more than {MOST:,} bytes")
            held = agent.parse(path.read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError, RecursionError) as error:
            found.broken.append((str(error), where))
            continue
        found.files += 1
        urls = [one for place in agent.urls for one in _values_at_path(held, place, work)]
        found.urls += [(one, where) for one in urls if isinstance(one, str)]
        servers = [one for place in agent.servers for one in _values_at_path(held, place, work)]
        found.servers += [(words, where) for words in map(_server_command, servers) if words]
        for command in _hook_commands(
            [*_values_at_path(held, "hooks", work)] if agent.hooks else []
        ):
            with suppress(ValueError):  # quotes that do not close: a shell would not run it
                found.hooks.append((tuple(shlex.split(command)), where))
    return found


def _values_at_path(held: object, place: str, work: Path) -> Iterator[Any]:
    """Yield the values at the path `place` (`mcpServers.*`; see CodingAgent) in the settings
    `held`."""
    top, found = held, [held]
    for name in place.split("."):
        if name.startswith("@"):
            name = str(top.get(name[1:])) if isinstance(top, dict) else ""
        name = str(work) if name == "WORK" else name
        inside = [one for one in found if isinstance(one, dict)]
        found = [value for one in inside for key, value in one.items() if name in ("*", key)]
    yield from found


def _server_command(server: object) -> Words:
    """Return the words of an MCP server's command, or () if the server is disabled or has no
    command."""
    given = server if isinstance(server, dict) and server.get("enabled") is not False else {}
    command, more = given.get("command"), given.get("args")
    words: list[Any] = command if isinstance(command, list) else [command]
    words = [*words, *(more if isinstance(more, list) else [])]
    return tuple(words) if all(isinstance(word, str) for word in words) else ()


def _hook_commands(held: object) -> Iterator[str]:
    """Yield the text under each key `command`, at any depth."""
    if isinstance(held, dict):
        if isinstance(held.get("command"), str):
            yield held["command"]
        held = list(held.values())
    for one in held if isinstance(held, list) else ():
        yield from _hook_commands(one)


def _parse_jsonc(text: str) -> Any:
    """Return the value of a JSON text that may have comments and trailing commas."""
    bare = _JSONC.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    return json.loads(_TRAILING.sub(lambda found: "" if found[0] == "," else found[0], bare))


def _claude_files(home: Path, work: Path, env: Mapping[str, str]) -> list[Path]:
    moved = env.get("CLAUDE_CONFIG_DIR")
    base = Path(moved) if moved else home / ".claude"
    names = ("settings.json", "settings.local.json")
    own = (base if moved else home) / ".claude.json"
    return [*(at / name for at in (base, work / ".claude") for name in names), own,
            work / ".mcp.json"]  # fmt: skip


def _codex_files(home: Path, work: Path, env: Mapping[str, str]) -> list[Path]:
    base = Path(env.get("CODEX_HOME") or home / ".codex")
    return [at / "config.toml" for at in (base, work / ".codex")]


def _opencode_files(home: Path, work: Path, env: Mapping[str, str]) -> list[Path]:
    base = Path(env.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
    names, named = ("opencode.json", "opencode.jsonc"), env.get("OPENCODE_CONFIG")
    paths = [folder / name for folder in (base, work, work / ".opencode") for name in names]
    return [*paths, base / "config.json", *([Path(named)] if named else [])]


AGENTS = (
    CodingAgent(
        "Claude Code", "claude", "ANTHROPIC_BASE_URL", _claude_files,
        urls=("env.ANTHROPIC_BASE_URL",),
        servers=("mcpServers.*", "projects.WORK.mcpServers.*"),
        parse=lambda text: json.loads(text) if text.strip() else {},
        hooks=True,
    ),
    CodingAgent(
        "Codex", "codex", "OPENAI_BASE_URL", _codex_files,
        urls=("model_providers.@model_provider.base_url", "openai_base_url"),
        servers=("mcp_servers.*",),
        parse=tomllib.loads,
    ),
    CodingAgent(
        "opencode", "opencode", "", _opencode_files,
        urls=("provider.*.options.baseURL",),
        servers=("mcp.*",),
        parse=_parse_jsonc,
        several=True,
    ),
)  # fmt: skip
