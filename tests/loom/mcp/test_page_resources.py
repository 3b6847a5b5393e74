"""Pages as resources, listed part by part and read by their addresses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("mcp_types")

from mcp import Client, MCPError

from loom.mcp.page_resources import LISTED, MOST, page_address
from tests.kit.mcp_client import talked, told
from tests.kit.opened import plain


def test_every_page_is_listed_once(tmp_path: Path) -> None:
    """The newest first, LISTED at a time, also while pages are added; each can be read."""
    with plain(tmp_path / "w", window=64_000) as ctx:
        made = [told(ctx, f"{at}\n" * 900, at) for at in range(LISTED + 20)]

        async def talk(client: Client) -> tuple[list[str], str]:
            first = await client.list_resources()
            assert len(first.resources) == LISTED and first.next_cursor
            told(ctx, "new\n" * 900, 999)
            rest = await client.list_resources(cursor=first.next_cursor)
            assert rest.next_cursor is None
            both = [*first.resources, *rest.resources]
            held = await client.read_resource(both[-1].uri)
            return [one.name for one in both], str(getattr(held.contents[0], "text", ""))

        names, text = talked(talk, tmp_path / "w")
    assert names == made[::-1]
    assert text == "0\n" * 900


def test_parts_of_a_page(tmp_path: Path) -> None:
    """Lines, a pattern, a pointer and an entry, by the form the template says."""
    held = json.dumps({"a": [{"b": 7}], "more": list(range(3_000))})
    with plain(tmp_path / "w", window=64_000) as ctx:
        page = told(ctx, held, 1)
        lines = told(ctx, "".join(f"line {at}\n" for at in range(2_000)), 2)

    async def talk(client: Client) -> list[str]:
        form = (await client.list_resource_templates()).resource_templates[0]
        assert form.uri_template == "loom://pages/{+name}{?lines,grep,pointer}"
        asked = (
            f"{page}?pointer=/a/0/b",
            f"{lines}?lines=3-4",
            f"{lines}?grep=e%2017$",
            "step_0001",
        )
        found = [await client.read_resource(f"loom://pages/{one}") for one in asked]
        return [str(getattr(one.contents[0], "text", "")) for one in found]

    value, some, hit, entry = talked(talk, tmp_path / "w")
    assert value == "7" and some == "line 2\nline 3\n"
    assert "line 17" in hit and "run 1" in entry


def test_what_cannot_be_read(tmp_path: Path) -> None:
    """An address of nothing, of something else, or of too much is an error, and nothing ends."""
    with plain(tmp_path / "w", window=64_000) as ctx:
        page = told(ctx, "".join(f"{at:09}\n" for at in range(MOST // 10 + 1)))

    async def talk(client: Client) -> str:
        for uri in (
            "loom://pages/read_0099", "loom://other/read_0001", "file:///etc/passwd",
            "loom://pages/", "loom://pages/../../etc/passwd", f"loom://pages/{page}?lines=x",
        ):  # fmt: skip
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        with pytest.raises(MCPError, match="read a part"):
            await client.read_resource(f"loom://pages/{page}")
        with pytest.raises(MCPError, match="cursor"):
            await client.list_resources(cursor=page_address("outputs/none.txt"))
        held = await client.read_resource(f"loom://pages/{page}?lines=5-5")
        return str(getattr(held.contents[0], "text", ""))

    assert talked(talk, tmp_path / "w") == "000000004\n"
