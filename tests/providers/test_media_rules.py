"""Images and documents in requests: which parts the server takes, and which it refuses.

A request of two tool steps is broken in one thing at a time, as in the other rules' tests.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tests.kit.cases import all_cases
from tests.providers.serving.pictures import chat, coded, png, url

Request = dict[str, Any]
Change = Callable[[Request], object]
PDF = b"%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n"


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


@all_cases(("api", "change"), TAKEN)
def test_the_documented_parts_are_taken(api: str, change: Change, talks: dict[str, Any]) -> None:
    """Each kind of part, from each source, in a message of the user."""
    ask, lawful = talks[api]
    request = copy.deepcopy(lawful)
    change(request)
    ask(**request)


@all_cases(
    ("name", "api", "change", "words"), REFUSED, ids=[f"{row[1]}: {row[0]}" for row in REFUSED]
)
def test_a_wrong_part_is_refused(
    name: str, api: str, change: Change, words: str, refusal: Callable[[str, Change], Any]
) -> None:
    """A part of the wrong place, type or base64 is answered with a 400 that says so."""
    error = refusal(api, change)
    assert getattr(error, "status_code", None) == 400 or error.code == 400
    assert words in str(error)
