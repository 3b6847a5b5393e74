"""What Claude Code, Codex and opencode are configured with, as far as it concerns Loom.

Their files are read as they write them, and as `claude mcp add`, `codex mcp add` and
`opencode mcp add` change them. Nothing is trusted to have the shape it should: what has another one
says nothing, and a file that cannot be read is told of.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from loom.lazy import lazy_re

MOST = 16_000_000  # bytes of a file: ~/.claude.json grows with its projects
# A string, or a comment: the first that begins decides.
_JSONC = lazy_re(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = lazy_re(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)


class ClientSetting(Struct, frozen=True):
    """A value, and the file or variable that has it."""

    value: str
    where: str


class WiredCommand(Struct, frozen=True):
    """A command a client starts, word by word, and the file that has it."""

    words: tuple[str, ...]
    where: str


class ClientSettings(Struct):
    """All of a client's settings: addresses of models, hooks, MCP servers, and broken files."""

    urls: list[ClientSetting] = []
    hooks: list[WiredCommand] = []
    servers: list[WiredCommand] = []
    broken: list[ClientSetting] = []
    files: int = 0  # that were there


def claude_settings(home: Path, work: Path, env: Mapping[str, str]) -> ClientSettings:
    """Claude Code's: of the user, and of the project in the folder `work`."""
    moved = env.get("CLAUDE_CONFIG_DIR")
    base = Path(moved) if moved else home / ".claude"
    found = ClientSettings(urls=_variable(env, "ANTHROPIC_BASE_URL"))
    project = work / ".claude"
    for path in (base, project):
        for name in ("settings.json", "settings.local.json"):
            held = _read(found, path / name, _json)
            url = _inside(held, "env").get("ANTHROPIC_BASE_URL")
            found.urls += [ClientSetting(url, str(path / name))] if isinstance(url, str) else []
            found.hooks += _hooks(held.get("hooks"), path / name)
    own = (base if moved else home) / ".claude.json"
    held = _read(found, own, _json)
    found.servers += _servers(held.get("mcpServers"), own)
    found.servers += _servers(_inside(held, "projects", str(work)).get("mcpServers"), own)
    shared = work / ".mcp.json"
    found.servers += _servers(_read(found, shared, _json).get("mcpServers"), shared)
    return found


def codex_settings(home: Path, work: Path, env: Mapping[str, str]) -> ClientSettings:
    """Codex's: `config.toml` of the user and of the project."""
    base = Path(env.get("CODEX_HOME") or home / ".codex")
    found = ClientSettings(urls=_variable(env, "OPENAI_BASE_URL"))
    for folder in dict.fromkeys((base, work / ".codex")):
        path = folder / "config.toml"
        held = _read(found, path, tomllib.loads)
        provider = _inside(held, "model_providers", str(held.get("model_provider")))
        urls = (provider.get("base_url"), held.get("openai_base_url"))
        found.urls += [ClientSetting(url, str(path)) for url in urls if isinstance(url, str)]
        found.servers += _servers(held.get("mcp_servers"), path)
    return found


def opencode_settings(home: Path, work: Path, env: Mapping[str, str]) -> ClientSettings:
    """opencode's: JSON with comments, of the user, of the project, and where a variable leads."""
    base = Path(env.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
    names = ("config.json", "opencode.json", "opencode.jsonc")
    paths = [folder / name for folder in (base, work, work / ".opencode") for name in names[1:]]
    paths += [base / names[0], *map(Path, filter(None, [env.get("OPENCODE_CONFIG")]))]
    found = ClientSettings()
    for path in dict.fromkeys(paths):
        held = _read(found, path, lambda text: json.loads(plain_json(text)))
        for provider in _inside(held, "provider").values():
            url = _inside(provider, "options").get("baseURL")
            found.urls += [ClientSetting(url, str(path))] if isinstance(url, str) else []
        found.servers += _servers(held.get("mcp"), path)
    return found


def plain_json(text: str) -> str:
    """JSON with comments and trailing commas, without them."""
    bare = _JSONC.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    return _TRAILING.sub(lambda found: "" if found[0] == "," else found[0], bare)


def _json(text: str) -> Any:
    return json.loads(text) if text.strip() else {}


def _variable(env: Mapping[str, str], name: str) -> list[ClientSetting]:
    return [ClientSetting(env[name], f"${name}")] if env.get(name) else []


def _read(found: ClientSettings, path: Path, parse: Callable[[str], Any]) -> dict[str, Any]:
    """A file's settings; {} where it is not there, or is broken, which is noted."""
    try:
        if path.stat().st_size > MOST:
            raise ValueError(f"it has more than {MOST:,} bytes")
        held = parse(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        found.broken.append(ClientSetting(str(error), str(path)))
        return {}
    found.files += 1
    return held if isinstance(held, dict) else {}


def _inside(held: object, *names: str) -> dict[str, Any]:
    """The object at the end of a path of names; {} where there is none."""
    for name in names:
        held = held.get(name) if isinstance(held, dict) else None
    return held if isinstance(held, dict) else {}


def _servers(held: object, path: Path) -> list[WiredCommand]:
    """The commands of MCP servers: a list, or a command and its arguments."""
    found = []
    for server in _inside(held).values():
        given = _inside(server)
        command, more = given.get("command"), given.get("args")
        words = [*(command if isinstance(command, list) else [command]), *(_list(more))]
        if given.get("enabled") is not False and all(isinstance(word, str) for word in words):
            found.append(WiredCommand(tuple(words), str(path)))
    return found


def _hooks(held: object, path: Path) -> list[WiredCommand]:
    """The commands of all hooks."""
    found = []
    for command in _commands(held):
        try:
            words = shlex.split(command)
        except ValueError:  # quotes that do not close: a shell would not run it
            continue
        found.append(WiredCommand(tuple(words), str(path)))
    return found


def _commands(held: object) -> Iterator[str]:
    """The texts under `command`, wherever they stand: hooks lie in groups, and those in events."""
    if isinstance(held, dict):
        if isinstance(held.get("command"), str):
            yield held["command"]
        held = list(held.values())
    for one in _list(held):
        yield from _commands(one)


def _list(held: object) -> list[Any]:
    return held if isinstance(held, list) else []
