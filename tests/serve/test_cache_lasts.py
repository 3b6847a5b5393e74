"""How long a provider's cache is asked to last: as the client asked, the longer before the
shorter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import httpx2

from loom.serve.dialects import ANTHROPIC
from tests.serve.proxied import PATHS, proxy
from tests.serve.test_proxy import worked
from tests.serve.upstream import Upstream

ORDER = ("1h", "5m")


def marked(block: dict[str, Any], ttl: str | None) -> dict[str, Any]:
    """A block with a mark that lasts so long; None for no mark."""
    more = {} if ttl == "5m" else {"ttl": ttl}
    return block if ttl is None else {**block, "cache_control": {"type": "ephemeral", **more}}


def lasting(blocks: Any) -> list[str]:
    """How long the marks of blocks last, in their order."""
    return [one["cache_control"].get("ttl", "5m") for one in blocks if "cache_control" in one]


def said(role: str, text: str, ttl: str | None = None) -> dict[str, Any]:
    """A message of one text."""
    return {"role": role, "content": [marked({"type": "text", "text": text}, ttl)]}


@pytest.mark.parametrize(
    ("tools", "system", "first", "last", "wanted"),
    [
        (None, None, None, None, None),
        (None, "5m", None, "5m", "5m"),
        (None, "1h", "1h", "5m", "5m"),
        (None, "5m", None, "1h", "5m"),
        (None, None, "1h", "1h", "1h"),
        ("1h", "1h", "1h", "1h", "1h"),
        ("1h", "5m", None, "5m", "5m"),
        ("1h", None, None, "1h", "1h"),
        ("5m", "5m", "5m", "5m", "5m"),
    ],
)
def test_marks_last_as_long_as_the_clients(
    tmp_path: Path,
    tools: str | None,
    system: str | None,
    first: str | None,
    last: str | None,
    wanted: str | None,
) -> None:
    """Each on tools and instructions reaches the provider, Loom's own tools behind it; the mark at
    the end lasts as the client's last does, and none lasts longer than one before it."""
    tool = {"name": "Bash", "description": "d", "input_schema": {"type": "object"}}
    talk = [said("user", "go", first), said("assistant", "yes"), said("user", "on", last)]
    body = {
        "model": "claude-opus-5",
        "max_tokens": 999,
        "tools": [tool, marked({**tool, "name": "Read"}, tools)],
        "system": [{"type": "text", "text": "a"}, marked({"type": "text", "text": "s"}, system)],
        "messages": talk,
    }
    with Upstream(worked(0)) as up, proxy(tmp_path / "ws", up.url) as url:
        for _ in range(2):  # the second has a mark behind the first too
            assert httpx2.post(url + PATHS[ANTHROPIC.format], json=body).status_code == 200
            sent = up.asked[-1].body
            names = [one["name"] for one in sent["tools"]]
            assert names[:2] == ["Bash", "Read"] and len(names) > 2
            found = lasting(block for one in sent["messages"] for block in one["content"])
            assert found[-1:] == ([wanted] if wanted else [])
            whole = [*lasting(sent["tools"]), *lasting(sent["system"]), *found]
            assert whole == sorted(whole, key=ORDER.index) and len(whole) <= 4
            assert lasting(sent["tools"]) == ([tools] if tools else [])
            assert lasting(sent["system"]) == ([system] if system else [])
            talk += [said("assistant", "done"), said("user", "more", last)]
            talk[2] = said("user", "on")
