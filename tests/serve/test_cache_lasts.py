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


@pytest.mark.parametrize(
    ("system", "first", "last", "wanted"),
    [
        (None, None, None, None),
        ("5m", None, "5m", "5m"),
        ("1h", None, "1h", "1h"),
        ("1h", None, "5m", "5m"),
        ("1h", "1h", "5m", "5m"),
        ("5m", None, "1h", "5m"),
        (None, None, "1h", "1h"),
        (None, "1h", "1h", "1h"),
    ],
)
def test_marks_last_as_long_as_the_clients(
    tmp_path: Path, system: str | None, first: str | None, last: str | None, wanted: str | None
) -> None:
    """The mark at the end lasts as the client's last does, and none lasts longer than one before
    it."""
    talk: list[dict[str, Any]] = [
        {"role": "user", "content": [marked({"type": "text", "text": "go"}, first)]},
        {"role": "assistant", "content": [{"type": "text", "text": "yes"}]},
        {"role": "user", "content": [marked({"type": "text", "text": "on"}, last)]},
    ]
    tool = {"name": "Bash", "description": "d", "input_schema": {"type": "object"}}
    body = {
        "model": "claude-opus-5",
        "max_tokens": 999,
        "system": [marked({"type": "text", "text": "s"}, system)],
        "tools": [tool],
        "messages": talk,
    }
    with Upstream(worked(0)) as up, proxy(tmp_path / "ws", up.url) as url:
        for _ in range(2):  # the second has a mark behind the first too
            assert httpx2.post(url + PATHS[ANTHROPIC.format], json=body).status_code == 200
            sent = up.asked[-1].body
            found = lasting(block for one in sent["messages"] for block in one["content"])
            assert found[-1:] == ([wanted] if wanted else [])
            whole = [*lasting(sent["tools"]), *lasting(sent["system"]), *found]
            assert whole == sorted(whole, key=ORDER.index) and len(whole) <= 4
            assert lasting(sent["system"]) == ([system] if system else [])
            talk += [
                {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
                {"role": "user", "content": [marked({"type": "text", "text": "more"}, last)]},
            ]
            talk[2] = {"role": "user", "content": [{"type": "text", "text": "on"}]}


@pytest.mark.parametrize(
    ("tools", "system", "first", "last"),
    [
        ("1h", "1h", "1h", "1h"),
        ("1h", "1h", None, "5m"),
        ("1h", "5m", None, "5m"),
        ("1h", None, None, "1h"),
        (None, "1h", "1h", "5m"),
        ("5m", "5m", "5m", "5m"),
    ],
)
def test_each_mark_of_the_clients_reaches_the_provider(
    tmp_path: Path, tools: str | None, system: str | None, first: str | None, last: str | None
) -> None:
    """On tools, instructions and messages, for as long as the client asked; Loom's own tools stand
    behind the mark, and the provider's order (the longer before the shorter) holds."""
    tool = {"name": "Bash", "description": "d", "input_schema": {"type": "object"}}
    body = {
        "model": "claude-opus-5",
        "max_tokens": 999,
        "tools": [tool, marked({**tool, "name": "Read"}, tools)],
        "system": [{"type": "text", "text": "a"}, marked({"type": "text", "text": "s"}, system)],
        "messages": [
            {"role": "user", "content": [marked({"type": "text", "text": "go"}, first)]},
            {"role": "assistant", "content": [{"type": "text", "text": "yes"}]},
            {"role": "user", "content": [marked({"type": "text", "text": "on"}, last)]},
        ],
    }
    with Upstream(worked(0)) as up, proxy(tmp_path / "ws", up.url) as url:
        assert httpx2.post(url + PATHS[ANTHROPIC.format], json=body).status_code == 200
        sent = up.asked[-1].body
    assert [one["name"] for one in sent["tools"]][:2] == ["Bash", "Read"] and len(sent["tools"]) > 2
    assert lasting(sent["tools"]) == lasting(body["tools"])
    assert lasting(sent["system"]) == lasting(body["system"])
    found = lasting(block for one in sent["messages"] for block in one["content"])
    assert found[-1:] == [last]
    whole = [*lasting(sent["tools"]), *lasting(sent["system"]), *found]
    assert whole == sorted(whole, key=ORDER.index) and len(whole) <= 4
