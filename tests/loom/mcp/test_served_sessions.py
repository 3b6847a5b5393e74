"""Which workspace is served: the one named, the one used last, and never one outside the folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("mcp_types")

from mcp import Client, MCPError

from loom.errors import LoomError
from loom.home import record_project
from loom.mcp.answers import FreshReader
from loom.mcp.served_sessions import belongs_to_project, choose_session, session_list
from tests.kit.mcp_client import called, talked, told
from tests.kit.opened import plain


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder with two sessions of the project `tmp_path/here`, of which `hook/b` was used
    last, and later still one of another project and one of none; and one outside it."""
    for name in ("here/below", "other"):
        (tmp_path / name).mkdir(parents=True)
    projects = {
        "state/hook/other": "other", "state/hook/none": "", "state/hook/b": "here/below",
        "state/serve/a": "here", "outside": "here",
    }  # fmt: skip
    for age, (name, project) in enumerate(projects.items()):
        with plain(tmp_path / name) as ctx:
            told(ctx, f"{name}\n" * 900)
            ctx.agents.fork("f").close()
        if project:
            record_project(tmp_path / name, str(tmp_path / project))
        for one in (tmp_path / name / "journal").iterdir():
            os.utime(one, (10_000 - age, 10_000 - age))
    (tmp_path / "state" / "serve" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "state" / "file").write_text("no folder")
    return tmp_path / "state"


@pytest.fixture
def here(state: Path) -> Path:
    """The project of two of them."""
    return state.parent / "here"


def test_the_last_used_comes_first(state: Path) -> None:
    """Sessions of every kind; no fork, no link, no file."""
    found = [one.name for one in session_list(state)]
    assert found == ["hook/other", "hook/none", "hook/b", "serve/a"]
    assert [one.name for one in session_list(state / "hook" / "b")] == ["b"]
    assert session_list(state / "none") == []


def test_a_session_by_its_name(state: Path, here: Path) -> None:
    """Its path or the last part of it; any other is refused without a word of those there are, and
    one of another project as one that is not there."""
    assert choose_session(state, "other").name == "hook/other"  # named as the server was started
    assert choose_session(state, project=str(here)).name == "hook/b"
    for name in ("a", "serve/a"):
        assert choose_session(state, name, str(here)).name == "serve/a"
    said = set()
    for name in ("c", "../outside", "link", "/", "hook", "other", "none", "hook/other"):
        with pytest.raises(LoomError, match="there is no session") as raised:
            choose_session(state, name, str(here))
        said.add(str(raised.value).replace(repr(name), "NAME"))
    (text,) = said
    assert not any(one in text for one in ("hook/b", "serve/a"))


def test_answers_name_the_workspace(state: Path, here: Path) -> None:
    """Without a name it is the last used of the project; a call, or the command, may name
    another: the command one of any project."""

    async def talk(client: Client) -> list[str]:
        given = ({}, {"session": "a"}, {"session": "../outside"})
        return [(await called(client, "page_in", ref="shell_0001", **one))[0] for one in given]

    last, named, bad = talked(talk, cwd=here, LOOM_HOME=str(state))
    assert last.startswith("[workspace hook/b]\n") and "state/hook/b" in last
    assert named.startswith("[workspace serve/a]\n") and "state/serve/a" in named
    assert "there is no session" in bad
    bare, same, other = talked(talk, state, "--session", "serve/a", cwd=here.parent / "other")
    assert bare == same and bare.startswith("[workspace serve/a]\n")
    assert "serves the session serve/a alone" in other


def journals(state: Path) -> dict[str, bytes]:
    """What is written of each session."""
    return {str(one): one.read_bytes() for one in state.rglob("journal/*") if one.is_file()}


@pytest.mark.parametrize(
    ("asked", "options"),
    [({}, ()), ({"session": "hook/b"}, ()), ({"session": "none"}, ("STATE/hook",))],
)
def test_another_project_is_neither_read_nor_written(
    state: Path, asked: dict[str, str], options: tuple[str, ...]
) -> None:
    """Whatever a call names: no tool and no resource tells a word or a name of it, and plan and
    note leave every journal as it was."""
    before = journals(state)
    place = state.parent / "third"
    place.mkdir()

    async def talk(client: Client) -> list[str]:
        said = [await called(client, "recall", query="state hook", **asked)]
        said += [await called(client, "page_in", ref="shell_0001", **asked)]
        said += [await called(client, "working", action="note", text="x", **asked)]
        said += [await called(client, "working", action="plan", items=["[>] mail it"], **asked)]
        assert all(error for _, error in said)
        assert (await client.list_resources()).resources == []
        for uri in ("loom://pages/outputs/shell_0001.log", "loom://pages/step_0001"):
            with pytest.raises(MCPError) as raised:
                await client.read_resource(f"{uri}?session={asked.get('session', '')}")
            said.append((str(raised.value), True))
        return [text for text, _ in said]

    where = [one.replace("STATE", str(state)) for one in options]
    for text in talked(talk, *where, cwd=place, LOOM_HOME=str(state)):
        text = text.replace(str(asked.get("session")), "NAMED").replace(str(state), "STATE")
        assert not any(one in text for one in ("serve/a", "hook/b", "hook/other", "hook/none"))
    assert journals(state) == before


def test_what_was_recorded_is_the_folder_itself(state: Path, here: Path) -> None:
    """A link that leads to the project is the project; a link that took the place of another
    project later makes its sessions nobody else's, and one that was moved has none."""
    link = here.parent / "link"
    link.symlink_to(here)
    held = lambda folder: belongs_to_project(state / "serve" / "a", os.path.realpath(folder))  # noqa: E731
    assert held(link) and held(here) and held(here.parent) and not held(here / "below")
    moved = here.rename(here.parent / "moved")
    assert not held(moved)
    here.symlink_to(moved)
    assert not held(moved) and not held(here)


@pytest.mark.parametrize("folder", ["/", "HOME"])
def test_the_whole_disk_is_no_project(
    state: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server started in the root of the file system, or in the user's home, has no session of the
    folders below."""
    monkeypatch.setenv("HOME", str(state.parent))
    place = os.path.realpath(state.parent if folder == "HOME" else folder)
    assert not any(belongs_to_project(one.folder, place) for one in session_list(state))


def test_a_workspace_without_a_record_is_of_where_it_lies(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program's own, in its project; but nothing of the state folder, wherever that is."""
    assert belongs_to_project(tmp_path / "state" / "hook" / "none", str(tmp_path))
    monkeypatch.setenv("LOOM_HOME", str(tmp_path / "state"))
    assert not belongs_to_project(tmp_path / "state" / "hook" / "none", str(tmp_path))
    with pytest.raises(LoomError, match="no workspace of the project"):
        choose_session(tmp_path / "state" / "hook" / "none" / "agents", project=str(tmp_path))


def test_resources_of_several_sessions(state: Path, here: Path) -> None:
    """An address says its session, so that it stays the page it was listed as."""

    async def talk(client: Client) -> tuple[str, str]:
        listed = (await client.list_resources()).resources[0].uri
        os.utime(state / "serve" / "a" / "journal" / "000001.jsonl")  # now it is used last
        held = await client.read_resource(listed)
        return listed, str(getattr(held.contents[0], "text", ""))

    uri, text = talked(talk, state, cwd=here)
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
