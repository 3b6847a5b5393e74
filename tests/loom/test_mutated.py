"""What providers and tools give, spoilt anywhere: it is taken, or refused by a typed error.

Nothing is stored of what is refused; the context goes on either way, and opened again it sends the
same. What an object of the host's raises itself comes out as it is.
"""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.providers.formats import FORMATS
from tests.kit.cases import SIMULATED, all_cases
from tests.kit.journal import stored
from tests.kit.replies import REPLIES, STREAMS
from tests.kit.spoilt import CHANGES, VALUES, Change, nested, spoilt
from tests.kit.step import calls

# Each of the shapes has its own examples.
SOME = settings() if SIMULATED else settings(max_examples=12)
Give = Callable[[loom.Context, Any], object]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
PARTS: list[dict[str, Any]] = [
    {"type": "text", "text": "Look."},
    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
    {"type": "document", "title": "t", "source": {"type": "text", "media_type": "text/plain",
                                                  "data": "x"}},
    {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
    {"type": "input_file", "filename": "a.pdf",
     "file_data": "data:application/pdf;base64,JVBERi0="},
    {"type": "file", "file": {"filename": "a.pdf", "file_data": "JVBERi0="}},
    {"inlineData": {"mimeType": "image/png", "data": PNG}},
    {"fileData": {"mimeType": "image/png", "fileUri": "gs://a/b"}},
    {"type": "image", "data": PNG, "mimeType": "image/png"},
]  # fmt: skip
PARAMETERS = {
    "type": "object", "required": ["path"],
    "properties": {"path": {"type": "string", "enum": ["a"]}, "n": {"anyOf": [{"type": "null"}]}},
}  # fmt: skip
TOOLS: list[dict[str, Any]] = [
    {"name": "read", "description": "Read.", "parameters": PARAMETERS},
    {"type": "function", "function": {"name": "read", "parameters": PARAMETERS}},
    {"name": "read", "description": "Read.", "input_schema": PARAMETERS},
    {"functionDeclarations": [{"name": "read", "description": "R", "parameters": PARAMETERS}]},
]  # fmt: skip


def objects(name: str, value: Any) -> object:
    """What the provider's own library makes of a reply, whatever is in it."""
    if not isinstance(value, dict):
        return value
    value = {key: item for key, item in value.items() if isinstance(key, str)}
    if name == "gemini":
        return pytest.importorskip("google.genai").types.GenerateContentResponse.model_construct(
            **value
        )
    library = pytest.importorskip("anthropic" if name == "anthropic" else "openai")
    kinds = {
        "openai": lambda: library.types.chat.ChatCompletion,
        "responses": lambda: library.types.responses.Response,
        "anthropic": lambda: library.types.Message,
    }
    return library._models.construct_type(value=value, type_=kinds[name]())


def gone_on(give: Give, value: Any, *, waiting: bool) -> bool:
    """Give it to a context, and let that go on; True when it was taken.

    What it refuses is a LoomError, and leaves nothing behind.
    """
    with TemporaryDirectory() as place:
        folder = Path(place)
        with loom.open(folder, window=8_000, goal="Fix it.", durable=False) as ctx:
            ctx.user("go on")
            if waiting:
                ctx.reply(calls("open"))
            before, window, taken = stored(folder), ctx.window, True
            try:
                give(ctx, value)
            except loom.LoomError as error:
                assert str(error) and stored(folder) == before and ctx.window is window
                taken = False
            if ctx.window.history.open_calls:
                ctx.abandon()
            ctx.user("afterwards")
            turn = ctx.turn()
            for format in FORMATS:
                turn.request(format)
        with loom.open(folder, durable=False) as again:
            assert again.turn().sha256 == turn.sha256
        return taken


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """What a library warns of its own objects with other types is no matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@all_cases("name", REPLIES)
def test_what_is_whole_is_taken(name: str) -> None:
    """Unspoilt, each is read by its shape."""
    assert gone_on(loom.Context.reply, REPLIES[name], waiting=False)
    assert gone_on(loom.Context.reply, objects(name, REPLIES[name]), waiting=False)
    assert gone_on(lambda ctx, chunks: [*ctx.collect(chunks)], STREAMS[name], waiting=False)


@pytest.mark.parametrize("name", REPLIES)
@pytest.mark.parametrize("shape", ["dict", "object"])
@SOME
@given(CHANGES)
def test_a_reply(name: str, shape: str, changes: list[Change]) -> None:
    """A reply of a provider, as a dict and as its library's object."""
    value = spoilt(REPLIES[name], changes)
    gone_on(loom.Context.reply, value if shape == "dict" else objects(name, value), waiting=False)


@pytest.mark.parametrize("name", STREAMS)
@SOME
@given(CHANGES)
def test_a_stream(name: str, changes: list[Change]) -> None:
    """A stream whose chunks are lost, doubled, or hold anything."""
    value = spoilt(STREAMS[name], changes)
    gone_on(
        lambda ctx, chunks: [*ctx.collect(chunks if isinstance(chunks, list) else [chunks])],
        value,
        waiting=False,
    )


@settings(max_examples=settings.default.max_examples // 2)
@given(st.sampled_from(PARTS), CHANGES, st.booleans())
def test_content(part: dict[str, Any], changes: list[Change], heard: bool) -> None:
    """A part of a message of the user, and of a tool's result."""
    value = spoilt([part, "text"], changes)
    if heard:
        gone_on(lambda ctx, given: ctx.user(given), value, waiting=False)
    else:
        gone_on(lambda ctx, given: ctx.result("open", given), value, waiting=True)


@settings(max_examples=settings.default.max_examples // 2)
@given(st.sampled_from(TOOLS), CHANGES)
def test_a_tool(tool: dict[str, Any], changes: list[Change]) -> None:
    """The declaration of a tool, in any provider's shape."""
    gone_on(lambda ctx, given: ctx.tools.declare(given), spoilt(tool, changes), waiting=True)


@settings(max_examples=settings.default.max_examples // 2)
@given(VALUES)
def test_anything_as_a_result(value: object) -> None:
    """Whatever Python value a tool gave."""
    gone_on(lambda ctx, given: ctx.result("open", given), value, waiting=True)


@pytest.mark.parametrize("depth", [500, 3_000, 1_000_000])
def test_nested_without_end(depth: int) -> None:
    """Deeper than any stack, wherever it is given."""
    value = nested("x", depth)
    gone_on(loom.Context.reply, {"role": "assistant", "content": value}, waiting=False)
    gone_on(lambda ctx, given: ctx.result("open", given), value, waiting=True)
    gone_on(lambda ctx, given: ctx.user(given), value, waiting=False)
    gone_on(lambda ctx, given: ctx.tools.declare({"name": "t", "x": given}), value, waiting=False)
    gone_on(lambda ctx, given: [*ctx.collect([{"choices": given}])], value, waiting=False)
    while isinstance(value, list):  # its own end would need a stack too
        [value] = value
