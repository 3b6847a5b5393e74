"""Replies, streams, messages and snapshots with anything anywhere: taken, or a typed error.

Each is one that a provider or Loom gave, with members replaced, gone or given twice. What is not
taken leaves no record; what is taken can be sent, and opens again with the same request.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from tests.kit.cases import all_cases
from tests.kit.replies import REPLIES, STREAMS
from tests.kit.spoilt import CHANGES, Change, spoilt

PIXEL = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


MESSAGES: dict[str, Any] = {
    "openai": [
        {"type": "text", "text": "See."},
        {"type": "image_url", "image_url": {"url": f"data:image/gif;base64,{PIXEL}"}},
        {"type": "file", "file": {"filename": "a", "file_data": "data:application/pdf;base64,"}},
    ],
    "responses": [
        {"type": "input_text", "text": "See."},
        {"type": "input_image", "image_url": f"data:image/gif;base64,{PIXEL}", "detail": "low"},
    ],
    "anthropic": [
        {"type": "text", "text": "See."},
        {"type": "image",
         "source": {"type": "base64", "media_type": "image/gif", "data": PIXEL}},
        {"type": "document",
         "source": {"type": "text", "media_type": "text/plain", "data": "notes"}},
    ],
    "gemini": [
        {"text": "See."},
        {"inline_data": {"mime_type": "image/gif", "data": PIXEL}},
        {"file_data": {"file_uri": "gs://a/b.png", "mime_type": "image/gif"}},
    ],
}  # fmt: skip
TAKEN: dict[str, tuple[dict[str, Any], Callable[[loom.Context, Any], object]]] = {
    "reply": (REPLIES, lambda ctx, made: ctx.reply(made)),
    "stream": (STREAMS, lambda ctx, made: [*ctx.collect(made or [])]),
    "user": (MESSAGES, lambda ctx, made: ctx.user(made)),
    "result": (MESSAGES, lambda ctx, made: ctx.result("open", made)),
}
DOORS = [(door, shape) for door, (shapes, _) in TAKEN.items() for shape in shapes]


def asked(ctx: loom.Context) -> str:
    """What the next request says, once what waits is given up."""
    ctx.abandon()
    return repr(ctx.turn().messages)


@all_cases(("door", "shape"), DOORS)
def test_what_was_given_is_taken(tmp_path: Path, door: str, shape: str) -> None:
    """Unspoilt, each of them is read by its shape."""
    shapes, take = TAKEN[door]
    with loom.open(tmp_path / "w", window=64_000, durable=False) as ctx:
        ctx.reply(loom.Reply((loom.ToolCall("open", "ls", "{}"),)))
        if door != "result":
            ctx.abandon()
        take(ctx, copy.deepcopy(shapes[shape]))
        said = asked(ctx)
        assert ("Look." in said) is (door in ("reply", "stream"))
        assert ("See." in said) is (door in ("user", "result"))


@all_cases(("door", "shape"), DOORS)
def test_taken_or_a_typed_error(tmp_path: Path, door: str, shape: str) -> None:
    """Members replaced, gone, given twice: what is refused leaves the window as it was."""
    shapes, take = TAKEN[door]
    made = loom.open(tmp_path / "w", window=200_000, durable=False)

    @settings(max_examples=settings.default.max_examples // 3)
    @given(CHANGES, st.booleans())
    def tried(changes: list[Change], twice: bool) -> None:
        ctx = made
        if door == "result":
            ctx.reply(loom.Reply((loom.ToolCall("open", "ls", "{}"),)))
        whole = shapes[shape]
        rows = spoilt([*whole, *whole] if twice and isinstance(whole, list) else whole, changes)
        before = ctx.window
        try:
            take(ctx, rows)
        except loom.LoomError:
            assert ctx.window is before
        asked(ctx)
        if ctx.pressure.rho > 0.5:
            ctx.renew(0)

    tried()
    said = asked(made)
    made.close()
    with loom.open(tmp_path / "w", durable=False) as again:
        assert asked(again) == said


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A snapshot of a session that has something on each surface."""
    folder = tmp_path_factory.mktemp("earlier")
    with loom.open(folder / "w", goal="Build it.", window=8_192, durable=False) as ctx:
        ctx.user("Begin.")
        ctx.working.plan(["one", ("two", "doing")])
        ctx.working.evidence("e", "it is so", ["a"], 0.7)
        ctx.events.signal("s", "it broke", urgency="high")
        ctx.pin("Never push.")
        ctx.turn()
        ctx.renew()
    [*_, newest] = sorted((folder / "w" / "snapshots").iterdir())
    return newest.read_bytes()


def test_a_damaged_snapshot(snapshot: bytes, tmp_path: Path) -> None:
    """Cut off, or with a bit of it flipped, it is refused, and no folder is made."""
    file, place = tmp_path / "s.json", tmp_path / "w"

    @given(st.integers(0, len(snapshot) - 1), st.none() | st.integers(0, 7))
    def tried(at: int, bit: int | None) -> None:
        data = bytearray(snapshot)
        if bit is None:
            del data[at:]
        else:
            data[at] ^= 1 << bit
        file.write_bytes(data)
        for one in (file, bytes(data)):
            if data.rstrip() != snapshot.rstrip():  # all but the line end is under its seal
                with pytest.raises(loom.BadSnapshot):
                    loom.open(place, window=8_192, durable=False, snapshot=one)
            assert not place.exists()

    tried()
