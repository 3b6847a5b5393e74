"""Images and documents: what the server takes, refuses and counts, and whole sessions with them.

A request of two tool steps is broken in one thing at a time, as in the rules' own tests.
"""

from __future__ import annotations

import copy
import json
import zlib
from base64 import b64encode
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from struct import pack
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.media.cost import tokens
from loom.media.inspect import inspect

Request = dict[str, Any]
Change = Callable[[Request], object]
APIS = ("openai", "responses", "anthropic", "gemini")
PDF = b"%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n"


def png(width: int, height: int, shade: int = 0) -> bytes:
    """A grey picture; of one larger than 64 pixels a side, some rows are missing."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + name + data + pack(">I", zlib.crc32(name + data))

    rows = (b"\0" + bytes([shade]) * min(width, 64)) * min(height, 64)
    head = chunk(b"IHDR", pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def coded(data: bytes) -> str:
    """Base64 of it."""
    return b64encode(data).decode()


def url(data: bytes, kind: str = "image/png") -> str:
    """A data URL of it."""
    return f"data:{kind};base64,{coded(data)}"


def chat(address: str) -> dict[str, Any]:
    """An image in Chat Completions."""
    return {"type": "image_url", "image_url": {"url": address, "detail": "auto"}}


def block(data: str, kind: str = "image/png", type: str = "image") -> dict[str, Any]:
    """An image or document of Anthropic's."""
    return {"type": type, "source": {"type": "base64", "media_type": kind, "data": data}}


def source(type: str, **fields: str) -> dict[str, Any]:
    """A source of Anthropic's."""
    return {"type": type, **fields}


def said(api: str, *parts: Any) -> Change:
    """A message of the user at the end, of these parts and a text."""
    text = {"type": "input_text" if api == "responses" else "text", "text": "Look."}
    name = "input" if api == "responses" else "messages"
    return lambda r: r[name].append({"role": "user", "content": [text, *parts]})


def shown(**part: Any) -> Change:
    """A content with a part, past the checks of Google's SDK."""
    contents = [{"role": "user", "parts": [{"text": "Look."}, part]}]
    return lambda r: r["config"].update(http_options={"extra_body": {"contents": contents}})


IMAGE = png(40, 30)
TAKEN: list[tuple[str, Change]] = [
    ("openai", said("openai", chat(url(IMAGE)), chat("https://example.org/a.png"))),
    ("openai", said("openai", {"type": "file", "file": {"file_id": "file-1"}})),
    (
        "openai",
        said(
            "openai",
            {
                "type": "file",
                "file": {"filename": "a.pdf", "file_data": url(PDF, "application/pdf")},
            },
        ),
    ),
    (
        "openai",
        said(
            "openai",
            {"type": "input_audio", "input_audio": {"data": coded(b"ID3"), "format": "mp3"}},
        ),
    ),
    ("responses", said("responses", {"type": "input_image", "image_url": url(IMAGE)})),
    ("responses", said("responses", {"type": "input_image", "file_id": "f", "detail": "low"})),
    (
        "responses",
        said(
            "responses",
            {
                "type": "input_file",
                "filename": "a.pdf",
                "file_data": url(PDF, "application/pdf"),
                "detail": "low",
            },
            {"type": "input_file", "file_url": "https://example.org/a.pdf"},
        ),
    ),
    ("anthropic", said("anthropic", block(coded(IMAGE)))),
    ("anthropic", said("anthropic", block(coded(PDF), "application/pdf", "document"))),
    (
        "anthropic",
        lambda r: r["messages"][4]["content"].extend(
            [
                {"type": "image", "source": source("url", url="https://example.org/a.png")},
                {"type": "image", "source": source("file", file_id="file_1")},
                {
                    "type": "document",
                    "title": "a.txt",
                    "source": source("text", media_type="text/plain", data="Some text."),
                },
            ]
        ),
    ),
    ("anthropic", lambda r: r["messages"][4]["content"][0].update(content=[block(coded(IMAGE))])),
    ("gemini", shown(inlineData={"mimeType": "image/png", "data": coded(IMAGE)})),
    ("gemini", shown(inline_data={"mime_type": "application/pdf", "data": coded(PDF)})),
    ("gemini", shown(fileData={"mimeType": "video/mp4", "fileUri": "https://g/v1/files/a"})),
]
REFUSED: list[tuple[str, str, Change, str]] = [
    (
        "an image a tool gave",
        "openai",
        lambda r: r["messages"][-1].update(content=[chat(url(IMAGE))]),
        "Invalid value: 'image_url'. Supported values are: 'text'.",
    ),
    (
        "an image of the system",
        "openai",
        lambda r: r["messages"][0].update(content=[chat(url(IMAGE))]),
        "Invalid value: 'image_url'. Supported values are: 'text'.",
    ),
    (
        "an image of the model",
        "openai",
        lambda r: r["messages"][2].update(content=[chat(url(IMAGE))]),
        "Invalid value: 'image_url'. Supported values are: 'text'.",
    ),
    (
        "broken base64",
        "openai",
        said("openai", chat(url(IMAGE)[:-1])),
        "Invalid 'messages[7].content[1].image_url.url'. Invalid base64 data.",
    ),
    ("bare base64", "openai", said("openai", chat(coded(IMAGE))), "without the 'data:' prefix."),
    ("no bytes", "openai", said("openai", chat(url(b""))), "but got empty base64-encoded bytes."),
    (
        "a type that is no image",
        "openai",
        said("openai", chat(url(IMAGE, "image/bmp"))),
        "but got unsupported MIME type 'image/bmp'.",
    ),
    (
        "another image",
        "openai",
        said("openai", chat(url(IMAGE, "image/gif"))),
        "does not represent a valid image",
    ),
    (
        "a file without bytes",
        "openai",
        said("openai", {"type": "file", "file": {"filename": "a.pdf"}}),
        "Missing required parameter: 'messages[7].content[1].file.file_id'.",
    ),
    (
        "Chat's image",
        "responses",
        said("responses", chat(url(IMAGE))),
        "Invalid value: 'image_url'. Supported values are: 'input_text', 'input_image',",
    ),
    (
        "broken base64",
        "responses",
        said("responses", {"type": "input_image", "image_url": url(IMAGE) + "?"}),
        "content[1].image_url'. Invalid base64 data.",
    ),
    (
        "an image of the developer",
        "responses",
        lambda r: r["input"].insert(
            0,
            {"role": "developer", "content": [{"type": "input_image", "image_url": url(IMAGE)}]},
        ),
        "Invalid value: 'input_image'. Supported values are: 'input_text'.",
    ),
    ("an image nowhere", "responses", said("responses", {"type": "input_image"}), "Missing req"),
    (
        "broken base64",
        "anthropic",
        said("anthropic", block("~" + coded(IMAGE))),
        "messages.5.content.1.image.source.base64.data: Invalid base64 data",
    ),
    (
        "another image",
        "anthropic",
        said("anthropic", block(coded(IMAGE), "image/jpeg")),
        "source.base64.data: Image does not match the provided media type image/jpeg",
    ),
    (
        "a type that is no image",
        "anthropic",
        said("anthropic", block(coded(IMAGE), "image/bmp")),
        "messages.5.content.1.image.source.base64.media_type: Input should be 'image/jpeg'",
    ),
    (
        "an image of the model",
        "anthropic",
        lambda r: r["messages"][3]["content"].insert(1, block(coded(IMAGE))),
        "`image` blocks can only be in `user` messages",
    ),
    (
        "an image before the results",
        "anthropic",
        lambda r: r["messages"][4]["content"].insert(0, block(coded(IMAGE))),
        "`tool_use` ids were found without `tool_result` blocks immediately after",
    ),
    (
        "broken base64",
        "gemini",
        shown(inlineData={"mimeType": "image/png", "data": "~~~~"}),
        '(TYPE_BYTES), Base64 decoding failed for "~~~~"',
    ),
    (
        "a type that is not taken",
        "gemini",
        shown(inlineData={"mimeType": "image/tiff", "data": coded(IMAGE)}),
        "Unsupported MIME type: image/tiff",
    ),
    (
        "no type",
        "gemini",
        shown(inlineData={"data": coded(IMAGE)}),
        "is not specified",
    ),
]


@pytest.mark.parametrize(("api", "change"), TAKEN)
def test_the_documented_parts_are_taken(api: str, change: Change, talks: dict[str, Any]) -> None:
    """Each kind of part, from each source, in a message of the user."""
    ask, lawful = talks[api]
    request = copy.deepcopy(lawful)
    change(request)
    ask(**request)


@pytest.mark.parametrize(
    ("name", "api", "change", "words"), REFUSED, ids=[f"{row[1]}: {row[0]}" for row in REFUSED]
)
def test_a_wrong_part_is_refused(
    name: str, api: str, change: Change, words: str, refusal: Callable[[str, Change], Any]
) -> None:
    """A part of the wrong place, type or base64 is answered with a 400 that says so."""
    error = refusal(api, change)
    assert getattr(error, "status_code", None) == 400 or error.code == 400
    assert words in str(error)


SIDES = st.one_of(st.integers(1, 4_000), st.sampled_from([384, 512, 513, 768, 1_568, 2_048]))


@given(SIDES, SIDES)
def test_the_servers_count_of_an_image_is_within_looms(width: int, height: int) -> None:
    """Loom's figure is an upper bound of what is counted here from the pages, for any pixels."""
    media, models = import_module("serving.media"), import_module("serving.clients").MODELS
    rules = {"anthropic": media.by_area, "gemini": media.flat}
    data = png(width, height)
    for api in APIS:
        counted = rules.get(api, media.by_tiles)(data)
        assert 1 <= counted <= tokens(inspect(data), api, models[api])


def test_every_byte_of_an_image_is_part_of_the_prefix(
    serve: Callable[..., Any], clients: ModuleType
) -> None:
    """The same image again is read from the cache, another of the same size is not."""
    server = serve()
    text = {"type": "text", "text": "word " * 3_000}
    with clients.connected(server, "openai") as (ask, _):
        for image in (png(8, 8), png(8, 8), png(8, 8, shade=1)):
            content = [chat(url(image)), text]
            after = {"role": "user", "content": "word " * 2_000}
            ask(model="gpt-5", messages=[{"role": "user", "content": content}, after])
    first, again, other = server.exchanges
    assert first.tokens == again.tokens == other.tokens < 6_000
    assert first.read == 0
    assert other.read < again.read
    assert again.read > 4_900


@pytest.mark.parametrize(
    ("api", "model"), [*((api, "") for api in APIS), ("gemini", "gemini-2.5-pro")]
)
def test_a_session_with_images(
    api: str,
    model: str,
    serve: Callable[..., Any],
    clients: ModuleType,
    hosting: ModuleType,
    tmp_path: Path,
) -> None:
    """A tool's image and the user's: both reach the provider as they are, and nothing is refused.

    Later steps cut; each request is within the limit as the server counts it.
    """
    host = import_module("hosting.host")
    made, asked = png(200, 120, shade=7), png(64, 48, shade=9)
    server = serve(limit=16_000, seed="seen", steps=14, avoid=host.OWN_TOOLS)
    named = model or clients.MODELS[api]
    options = {"tools": host.TOOLS, "durable": False, "window": 16_000, "model": named}
    with (
        clients.connected(server, api) as (ask, _),
        loom.open(path=tmp_path, own_tools=False, **options) as ctx,
    ):
        hosting.run(ctx, hosting.begun(), ask)
        ctx.user(["What is this?", asked])
        ctx.reply(ask(**hosting.requested(ctx.turn(), api)))
        first, *rest = ctx.calls
        ctx.result(first, made)
        for call in rest:
            ctx.result(call, "nothing")
        ctx.reply(ask(**hosting.requested(ctx.turn(), api)))
        hosting.run(ctx, hosting.until_done(ctx, host.Host("seen"), api), ask)
        assert ctx.window.cuts > 0
    assert not server.refused
    sent = json.dumps(server.exchanges[1].body).replace("-", "+").replace("_", "/")
    assert all(coded(image) in sent for image in (made, asked))
