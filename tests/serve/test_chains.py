"""Lists without a name are known by their hashes: few of them, each owner's apart, also on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from msgspec import json

from loom.serve import chains
from loom.serve.chains import ListChains
from loom.serve.conversation_owners import ConversationOwner

VICTIM = ConversationOwner(1, "victim")


def told(*words: str) -> list[dict[str, Any]]:
    """A list of messages."""
    return [{"role": "user", "content": one} for one in words]


def asked(known: ListChains, items: list[dict[str, Any]], owner: ConversationOwner = VICTIM) -> str:
    """The conversation of a list of an owner."""
    return known.conversation_name(items, f"{owner}".encode(), owner)


def test_one_long_list_takes_one_place(tmp_path: Path) -> None:
    """However many messages it has: others' are known, and the file is as short as they are few."""
    known = ListChains(tmp_path / "chains")
    name = asked(known, told("a", "b"))
    asked(known, told(*"x" * 210_001), ConversationOwner(1, "other"))
    assert asked(known, told("a", "b", "c")) == name
    assert (tmp_path / "chains").stat().st_size < 1_000


@pytest.mark.parametrize("uid", [2, None])
def test_a_user_displaces_his_own_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uid: int | None
) -> None:
    """With many conversations his oldest; nobody else's, also over a restart."""
    monkeypatch.setattr(chains, "SHARE", 5)
    other = ConversationOwner(uid, "other")
    known = ListChains(tmp_path / "chains")
    name = asked(known, told("a"))
    names = [asked(known, told(f"{number}"), other) for number in range(9)]
    for again in (known, ListChains(tmp_path / "chains")):
        assert asked(again, told("a", "b")) == name
        assert asked(again, told("8", "more"), other) == names[8]
    assert asked(known, told("0", "more"), other) not in names


def test_the_file_is_written_anew_at_the_start(tmp_path: Path) -> None:
    """With what is known alone: a line for each conversation, and none that was cut off."""
    path = tmp_path / "chains"
    known = ListChains(path)
    names = [asked(known, told(word)) for word in "ab"]
    for number in range(50):
        known.replied(names[0], told("a", *"x" * number), f"{VICTIM}".encode(), VICTIM)
    with path.open("ab") as file:
        file.write(b'["cut')
    assert len(path.read_bytes().splitlines()) > 50
    again = ListChains(path)
    assert len(path.read_bytes().splitlines()) == 2 and path.stat().st_mode & 0o077 == 0
    assert asked(again, told("a", *"x" * 49, "on")) == names[0]
    assert asked(again, told("b", "on")) == names[1]


def test_lines_without_an_owner_are_read(tmp_path: Path) -> None:
    """As they were written before: the last of a conversation counts, and its owner takes it."""
    path = tmp_path / "chains"
    known = ListChains(path)
    name = asked(known, told("a"))
    first = json.decode(path.read_bytes())[:2]
    path.write_bytes(json.encode(["0" * 32, name]) + b"\n" + json.encode(first))
    again = ListChains(path)
    assert asked(again, told("a", "b")) == name
    assert asked(again, told("a", "c")) != name
