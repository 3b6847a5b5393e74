"""Clients started so that they ask the proxy: what each reads its provider's address from."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import json

Launched = tuple[list[str], dict[str, str]]


def launched(command: Sequence[str], url: str) -> Launched:
    """A command with the arguments and the environment that point it at the proxy."""
    name = Path(command[0]).name
    words, more = _CLIENTS.get(name, _plain)(list(command), url)
    return words, {"ANTHROPIC_BASE_URL": url, "OPENAI_BASE_URL": f"{url}/v1", **more}


def _plain(command: list[str], url: str) -> Launched:
    return command, {}


def _codex(command: list[str], url: str) -> Launched:
    """Codex's own provider at another address: its login stays."""
    return [command[0], "-c", f'openai_base_url="{url}/v1"', *command[1:]], {}


def _opencode(command: list[str], url: str) -> Launched:
    """opencode's own providers, at another address; what the user configured beside stays."""
    held: Mapping[str, str] = os.environ
    try:
        config = json.decode(held.get("OPENCODE_CONFIG_CONTENT") or "{}", type=dict[str, object])
    except ValueError:
        config = {}
    providers = config.get("provider")
    known = dict(providers) if isinstance(providers, dict) else {}
    for name in ("anthropic", "openai"):
        provider = known.get(name) or {}
        options = {"baseURL": f"{url}/v1", **(provider.get("options") or {})}
        known[name] = {**provider, "options": options}
    content = json.encode({**config, "provider": known}).decode()
    return command, {"OPENCODE_CONFIG_CONTENT": content}


_CLIENTS: dict[str, Callable[[list[str], str], Launched]] = {
    "codex": _codex,
    "opencode": _opencode,
}
