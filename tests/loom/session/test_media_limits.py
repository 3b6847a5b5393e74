"""Requests within what providers take of images and documents, whoever keeps the messages."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.providers.formats import FORMATS
from loom.providers.media.inspect import Media
from loom.providers.media.media_parts import read_part
from loom_partitions.records import Compressed
from tests.kit.cases import all_cases, each_value
from tests.kit.journal import records
from tests.kit.standins import TooLong
from tests.providers.serving.pictures import coded, png

MODELS = {"anthropic": "claude-sonnet-4-5", "openai": "claude-sonnet-4-5", "": ""}
WINDOW = 200_000
MANY_IMAGES = (
    "messages.9.content.1.image.source.base64.data: At least one of the image dimensions exceed max"
    " allowed size for many-image requests: 2000 pixels"
)


def media_in(value: Any) -> Iterator[Media]:
    """The images and documents of a request, wherever they stand."""
    if isinstance(value, dict):
        for format in FORMATS:
            if (found := read_part(value, format)) is not None:
                yield found.media
                return
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from media_in(one)


def taken(turn: loom.Turn, format: str) -> list[Media]:
    """The images of a request, which are within what Anthropic's documents say."""
    found = list(media_in(turn.request(format, model="m")))
    assert len(found) <= 100
    assert len(found) <= 20 or all(max(one.width, one.height) <= 2_000 for one in found)
    return found


def part(data: bytes) -> dict[str, Any]:
    """A picture as Anthropic spells it."""
    source = {"type": "base64", "media_type": "image/png", "data": coded(data)}
    return {"type": "image", "source": source}


@all_cases(("model", "side"), each_value(MODELS.values(), [64, 2_100]))
def test_a_loop_of_screenshots(tmp_path: Path, model: str, side: int) -> None:
    """Each request of a long loop keeps the limits and has the newest; what left is a line with its
    page, and one cut serves some turns."""
    with loom.open(tmp_path / "w", window=WINDOW, model=model, durable=False) as ctx:
        ctx.user("Look.")
        for number in range(110 if side < 2_000 else 30):
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "screenshot", "{}"),)))
            ctx.result(f"c{number}", png(side, 8, number))
            for format in FORMATS if number % 10 == 9 else [[*FORMATS][number % len(FORMATS)]]:
                assert taken(ctx.turn(), format)
        cuts = [one for one in records(ctx) if isinstance(one, Compressed) and one.level == "media"]
        said = str(ctx.turn().request("anthropic"))
    assert "outputs/image_0001.png" in said
    assert 1 <= len(cuts) <= 3


def test_a_list_of_images(tmp_path: Path) -> None:
    """A host's list with more of them than are taken: the newest stay, in one message or many."""
    pictures = [part(png(2_100, 8, number)) for number in range(30)]
    for name, messages in {
        "one": [{"role": "user", "content": pictures}],
        "many": [{"role": "user", "content": [one]} for one in pictures],
    }.items():
        with loom.open(tmp_path / name, window=WINDOW, model="claude-opus-5", durable=False) as ctx:
            turn = ctx.sync(messages, format="anthropic")
            assert len(taken(turn, "anthropic")) == 20
            sent = json.dumps(turn.request("anthropic"))
            assert pictures[-1]["source"]["data"] in sent
            assert pictures[0]["source"]["data"] not in sent


@pytest.mark.parametrize("way", ["user", "result"])
def test_a_side_nobody_takes(tmp_path: Path, way: str) -> None:
    """A picture of over 8,000 pixels is told of, with why; its page has it."""
    data = png(8_001, 4)
    with loom.open(tmp_path / "w", window=WINDOW, model="claude-opus-5", durable=False) as ctx:
        if way == "user":
            ctx.user(["Look.", data])
        else:
            ctx.reply(loom.Reply((loom.ToolCall("c", "screenshot", "{}"),)))
            ctx.result("c", data)
        said = str(ctx.turn().request("anthropic"))
    assert "8,000 pixels" in said and "base64" not in said
    assert any(path.read_bytes() == data for path in (tmp_path / "w" / "outputs").iterdir())


@all_cases(
    ("text", "obeys"),
    [
        ("too many images and documents: 12 + 0 > 5", lambda found: len(found) <= 5),
        ("Exceeded maximum number of images (5) allowed in the request.", lambda f: len(f) <= 5),
        ("At most 3 image(s) may be provided in one request.", lambda found: len(found) <= 3),
        ("Too many images were provided.", lambda found: len(found) <= 9),
        (MANY_IMAGES, lambda found: len(found) <= 20),
        ("At least one of the image dimensions exceed max allowed size: 90 pixels",
         lambda found: all(one.width <= 90 for one in found)),
        ("image exceeds 5 MB maximum: 99 bytes > 74 bytes",
         lambda found: all(one.size <= 74 for one in found)),
    ],
)  # fmt: skip
@all_cases("window", [100_000, 200_000])
def test_a_refusal_is_obeyed(
    tmp_path: Path, text: str, obeys: Callable[[list[Media]], bool], window: int
) -> None:
    """The next request keeps the limit that was said, and so do all that follow, opened again
    too; texts stay, and the window is as large as before."""
    path = tmp_path / "w"
    with loom.open(path, window=window, model="grok-4", durable=False) as ctx:
        ctx.user("Remember the word heliotrope.")
        wide = 2_000 if "many-image" in text else 0
        for number in range(24 if wide else 12):
            ctx.user(png(wide + 30 + 9 * number, 8, number))
        ctx.turn()
        capacity = ctx.window.limits.capacity
        ctx.overflowed(TooLong(text, 400))
        found = list(media_in(ctx.turn().request("openai", model="m")))
        assert found and obeys(found)
        assert "heliotrope" in str(ctx.turn().request("openai", model="m"))
        assert ctx.window.limits.capacity == capacity
        ctx.reply("Seen.")
    with loom.open(path, durable=False) as ctx:
        for number in range(6):
            ctx.user(png(130, 60, number))
            assert obeys(list(media_in(ctx.turn().request("openai", model="m"))))
            ctx.reply("Seen.")
        ctx.resize(window, model="gemini-3-pro")
        assert ctx.window.limits.media is None
