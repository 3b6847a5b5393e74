"""Which workspace is served: the one named, the one used last, and never one outside the folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("mcp_types")

from mcp import Client

from loom.errors import LoomError
from loom.mcp.reading import FreshReader
from loom.mcp.sessions import session, sessions
from tests.kit.mcp_client import called, talked, told
from tests.kit.opened import plain


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder with two sessions, of which `hook/b` was used last; and one outside it."""
    for age, name in enumerate(("state/hook/b", "state/serve/a", "outside")):
        with plain(tmp_path / name) as ctx:
            told(ctx, f"{name}\n" * 900)
            ctx.agents.fork("f").close()
        for one in (tmp_path / name / "journal").iterdir():
            os.utime(one, (10_000 - age, 10_000 - age))
    (tmp_path / "state" / "serve" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "state" / "file").write_text("no folder")
    return tmp_path / "state"


def test_the_last_used_comes_first(state: Path) -> None:
    """Sessions of every kind; no fork, no link, no file."""
    assert [one.name for one in sessions(state)] == ["hook/b", "serve/a"]
    assert [one.name for one in sessions(state / "hook" / "b")] == ["b"]
    assert sessions(state / "none") == []


def test_a_session_by_its_name(state: Path) -> None:
    """Its path or the last part of it; any other is refused, with those there are."""
    assert session(state).name == "hook/b"
    assert session(state, "a").name == session(state, "serve/a").name == "serve/a"
    for name in ("c", "../outside", "link", "/", "hook"):
        with pytest.raises(LoomError, match="hook/b, serve/a"):
            session(state, name)


def test_answers_name_the_workspace(state: Path) -> None:
    """Without a name it is the last used; a call, or the command, may name another."""

    async def talk(client: Client) -> list[str]:
        given = ({}, {"session": "a"}, {"session": "../outside"})
        return [(await called(client, "page_in", ref="shell_0001", **one))[0] for one in given]

    last, named, bad = talked(talk, LOOM_HOME=str(state))
    assert last.startswith("[workspace hook/b]\n") and "state/hook/b" in last
    assert named.startswith("[workspace serve/a]\n") and "state/serve/a" in named
    assert "there is no session" in bad
    bare, same, other = talked(talk, state, "--session", "serve/a")
    assert bare == same and bare.startswith("[workspace serve/a]\n")
    assert "serves the session serve/a alone" in other


def test_resources_of_several_sessions(state: Path) -> None:
    """An address says its session, so that it stays the page it was listed as."""

    async def talk(client: Client) -> tuple[str, str]:
        listed = (await client.list_resources()).resources[0].uri
        os.utime(state / "serve" / "a" / "journal" / "000001.jsonl")  # now it is used last
        held = await client.read_resource(listed)
        return listed, str(getattr(held.contents[0], "text", ""))

    uri, text = talked(talk, state)
    assert uri.endswith("?session=hook%2Fb") and text == "state/hook/b\n" * 900


def test_what_did_not_change_is_not_opened_again(tmp_path: Path) -> None:
    """One opening serves all calls until something is written."""
    fresh = FreshReader()
    with plain(tmp_path / "w") as ctx:
        told(ctx, "a\n" * 900, 1)
        first = fresh.of(tmp_path / "w")
        assert fresh.of(tmp_path / "w") is first
        told(ctx, "b\n" * 900, 2)
        again = fresh.of(tmp_path / "w")
        assert again is not first and again.workspace.commits > first.workspace.commits
        assert first.workspace.closed
    fresh.close()
