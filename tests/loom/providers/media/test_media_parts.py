"""Content parts between the formats: what is taken, by whom, what their own types say; and read, in
every spelling, broken, and of any shape at all."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.formats import FORMATS
from loom.providers.media.inspect import Media, inspect_payload
from loom.providers.media.media_parts import READERS, Attached, read_part, write_part
from loom.providers.media.payload import provider_part_of
from loom.providers.media.writing import TAKEN
from loom_bench.laws.sdk_types import SdkTypes, available
from tests.kit.cases import all_cases

Part = dict[str, Any]
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\4\0\0\0\3\0\x08\0\0\0\0" + bytes(range(256))
PDF = b"%PDF-1.4\n1 0 obj\n<</Type/Page>>\nendobj\n" + bytes(range(256))
WAV = b"RIFF\0\0\0\0WAVEfmt " + bytes(range(64))
MP3 = b"ID3\4" + bytes(range(64))
TEXT = "größer, 猫\n".encode()
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PAYLOADS: dict[str, tuple[bytes, str, str]] = {
    "png": (PNG, "", "shot.png"),
    "pdf": (PDF, "", "report.pdf"),
    "text": (TEXT, "text/markdown", "notes.md"),
    "wav": (WAV, "", ""),
    "mp3": (MP3, "", ""),
    "docx": (b"PK\x03\x04" + bytes(40), DOCX, "a.docx"),
    "bmp": (b"BM" + bytes(12) + b"\x28" + bytes(60), "", ""),
    "video": (b"\0\0\0\x18ftypisom" + bytes(40), "", ""),
    "latin": ("größer".encode("latin-1"), "text/plain", ""),
}
TAKES = {
    "openai": {"png", "pdf", "wav", "mp3"},
    "responses": {"png", "pdf", "text", "docx", "latin"},
    "anthropic": {"png", "pdf", "text"},
    "gemini": {"png", "pdf", "text", "wav", "mp3", "video", "latin"},
}


def payload(name: str, detail: str = "") -> Attached:
    """A payload by its short name."""
    data, declared, called = PAYLOADS[name]
    return Attached(inspect_payload(data, declared, called), data, detail)


def request(format: str, part: Part) -> Part:
    """The least request that carries a part, said by the user."""
    if format == "gemini":
        return {"model": "m", "contents": [{"role": "user", "parts": [part]}]}
    messages = [{"role": "user", "content": [part]}]
    limit = {"max_tokens": 1} if format == "anthropic" else {}
    return {"model": "m", "input" if format == "responses" else "messages": messages, **limit}


ADDRESS = "https://x.test/a.png?s=1"
IMAGE = {"type": "image_url", "image_url": {"url": ADDRESS}}
PAGE, BARE, FILM = "https://x.test/r.pdf", "https://x.test/r", "https://y.test/v.mp4"


def source(kind: str, type: str, **fields: Any) -> Part:
    """An image or a document of Anthropic's."""
    return {"type": kind, "source": {"type": type, **fields}}


TOLD = source("document", "content", content=[{"type": "text", "text": "ab"}])
KEPT = {**source("document", "file", file_id="file_1"), "title": "r.pdf"}
STORED = {"type": "input_image", "file_id": "file-1", "detail": "auto"}
UPLOADED = {"fileData": {"fileUri": "gs://b/v", "mimeType": "video/mp4"}}
# Format, part, type, address or id.
AWAY: list[tuple[str, Part, str, str]] = [
    ("openai", IMAGE, "image/png", ADDRESS),
    ("openai", {"type": "image_url", "image_url": {"url": BARE}}, "image/*", BARE),
    ("openai", {"type": "file", "file": {"file_id": "file-1"}}, "application/octet-stream",
     "file-1"),
    ("responses", STORED, "image/*", "file-1"),
    ("responses", {"type": "input_file", "file_url": PAGE}, "application/pdf", PAGE),
    ("anthropic", source("image", "url", url=ADDRESS), "image/png", ADDRESS),
    ("anthropic", source("document", "url", url=BARE), "application/pdf", BARE),
    ("anthropic", KEPT, "application/pdf", "file_1"),
    ("anthropic", TOLD, "text/plain", ""),
    ("gemini", UPLOADED, "video/mp4", "gs://b/v"),
    ("gemini", {"file_data": {"file_uri": FILM}}, "video/mp4", FILM),
]  # fmt: skip


@all_cases(("format", "part", "type", "url"), AWAY)
def test_payloads_that_are_elsewhere(format: str, part: Part, type: str, url: str) -> None:
    """The part goes back as it came to its own provider; the type is told by what there is."""
    found = read_part(part, format)
    assert found is not None
    assert (found.data, found.media.type, found.media.url) == (None, type, url)
    assert write_part(found, format) == part


@all_cases(
    ("part", "format", "written"),
    [
        (0, "anthropic", source("image", "url", url=ADDRESS)),
        (0, "responses", {"type": "input_image", "image_url": ADDRESS, "detail": "auto"}),
        (0, "gemini", None),
        (2, "responses", {"type": "input_file", "file_id": "file-1"}),
        (2, "anthropic", None),
        (4, "openai", None),
        (4, "anthropic", source("document", "url", url=PAGE)),
        (5, "openai", IMAGE),
        (8, "openai", None),
    ],
)
def test_an_address_goes_to_other_providers_and_an_id_does_not(
    part: int, format: str, written: Part | None
) -> None:
    """Who fetches addresses gets one; ids are shared by OpenAI's two formats alone."""
    found = read_part(AWAY[part][1], AWAY[part][0])
    assert found is not None
    assert write_part(found, format) == written


@all_cases("format", FORMATS)
def test_what_a_provider_takes(format: str) -> None:
    """Types that a provider takes are written, and read again byte for byte; others are none."""
    assert {*READERS} == {*TAKEN} == {*FORMATS}
    taken = set()
    for name, (data, _, _) in PAYLOADS.items():
        part = write_part(payload(name), format)
        if part is not None:
            taken.add(name)
            again = read_part(part, format)
            assert again is not None and again.data == data
    assert taken == TAKES[format]


@pytest.mark.skipif(not available(), reason="the providers' own libraries are not installed")
@pytest.mark.parametrize("format", FORMATS)
def test_providers_types_take_what_is_written(format: str) -> None:
    """The request types of every SDK accept every part."""
    types = SdkTypes(format)
    away = [read_part(part, said) for said, part, _, _ in AWAY]
    details = ("", "low", "original", "MEDIA_RESOLUTION_LOW")
    given = [payload(name, detail) for name in PAYLOADS for detail in details]
    written = [part for one in [*given, *away] if one and (part := write_part(one, format))]
    assert len(written) > 10
    for part in written:
        assert types.refused(request(format, part)) == []
    assert types.refused(request(format, {"type": "nothing", "nothing": {}})) != []


@given(st.binary(min_size=1, max_size=400), st.sampled_from(["openai", "responses", "anthropic"]))
def test_any_bytes_come_back(data: bytes, format: str) -> None:
    """Written and read again, a payload is the same, whichever provider carried it."""
    sent = Attached(inspect_payload(PNG + data, name="a b.png"), PNG + data, "high")
    for name in (format, "gemini"):
        part = write_part(sent, name)
        found = read_part(part or {}, name)
        assert found is not None and found.data == sent.data
        assert found.media.type == sent.media.type


def b64(data: bytes) -> str:
    """Base64 as it is sent."""
    return b64encode(data).decode()


NO_MEDIA: list[Part] = [
    {},
    {"type": "text", "text": "a"},
    {"type": 7},
    {"type": "tool_use", "id": "c", "name": "f", "input": {}},
    {"type": "image", "source": {"type": "unknown"}},
    {"type": "image_url", "image_url": {"detail": "low"}},
    {"type": "file", "file": {}},
    {"text": "a"},
    {"inline_data": None, "file_data": {}},
    {"function_response": {"name": "f", "parts": [{"inline_data": {"data": b"a"}}]}},
]


@all_cases("format", [*FORMATS, "another"])
@all_cases("part", NO_MEDIA)
def test_what_is_no_media_is_none(part: Part, format: str) -> None:
    """Texts, calls, results and parts without a payload are left to others."""
    assert read_part(part, format) is None


RESOLUTION = "MEDIA_RESOLUTION_LOW"
SIZED = {"media_resolution": {"level": RESOLUTION}}
SHOT = {"mime_type": "image/png", "data": PNG, "display_name": "a"}
FILE = {"type": "input_file", "file_data": b64(PDF), "filename": "a.pdf", "detail": "high"}
LOW = {"url": f"data:image/png;base64,{b64(PNG)}", "detail": "low"}
# Format, part, payload, name, detail.
HERE: list[tuple[str, Part, bytes, str, str]] = [
    ("openai", {"type": "image_url", "image_url": LOW}, PNG, "", "low"),
    ("openai", {"type": "image_url", "image_url": f"DATA:;base64,{b64(PNG)}"}, PNG, "", ""),
    ("openai", {"type": "file", "file": {"file_data": b64(PDF)}}, PDF, "", ""),
    ("responses", FILE, PDF, "a.pdf", "high"),
    ("anthropic", {**source("document", "base64", data=b64(PDF)), "title": "R"}, PDF, "R", ""),
    ("anthropic", source("document", "text", data=TEXT.decode()), TEXT, "", ""),
    ("anthropic", source("document", "content", content=TEXT.decode()), TEXT, "", ""),
    ("gemini", {"inlineData": {"mimeType": "image/png", "data": b64(PNG)}}, PNG, "", ""),
    ("gemini", {"inline_data": SHOT, **SIZED}, PNG, "a", RESOLUTION),
]


@all_cases(("format", "part", "data", "name", "detail"), HERE)
def test_payloads_that_are_here(
    format: str, part: Part, data: bytes, name: str, detail: str
) -> None:
    """Bytes, type, name and detail are read from every spelling."""
    found = read_part(part, format)
    assert found is not None
    assert (found.data, found.media.name, found.detail, found.opaque) == (data, name, detail, "")
    assert found.media.size == len(data)
    assert found.media.type == inspect_payload(data).type


NOISE = bytes(range(250, 256)) * 11  # its base64 has both of the letters that alphabets differ in


@all_cases(
    "text",
    [
        b64(NOISE),
        urlsafe_b64encode(NOISE).decode(),
        b64(NOISE).rstrip("="),
        "\n".join(b64(NOISE)[at : at + 20] for at in range(0, 99, 20)) + "\r\n",
        quote(b64(NOISE), safe=""),
    ],
)
def test_base64_is_read_as_it_is_written(text: str) -> None:
    """Line breaks, the other alphabet, missing padding, and percent signs in a data URL."""
    part = {"type": "input_image", "image_url": f"data:image/png;name=a;base64,{text}"}
    found = read_part(part, "responses")
    assert found is not None and found.data == NOISE and found.media.type == "image/png"
    if "%" not in text:
        blob = {"inlineData": {"mimeType": "image/png", "data": text}}
        found = read_part(blob, "gemini")
        assert found is not None and found.data == NOISE


@all_cases(
    ("url", "data", "type"),
    [
        ("data:text/csv;charset=utf-8,a%2Cb,c", b"a,b,c", "text/csv"),
        ("data:;charset=utf-8,%C3%A9", "é".encode(), "text/plain"),
        ("  data:image/png;base64," + b64(PNG), PNG, "image/png"),
    ],
)
def test_data_urls(url: str, data: bytes, type: str) -> None:
    """Parameters, percent signs, and commas in the payload."""
    found = read_part({"type": "file", "file": {"file_data": url}}, "openai")
    assert found is not None and (found.data, found.media.type) == (data, type)


@all_cases("text", ["", "a", "no base64!", "ab=c", "é", "====", "\ud800"])
def test_broken_base64_is_kept_and_goes_nowhere(text: str) -> None:
    """What cannot be read stays as it came, and no request is refused for it."""
    source = {"type": "base64", "media_type": "image/png", "data": text}
    part = {"type": "image", "source": source}
    found = read_part(part, "anthropic")
    assert found is not None and found.data is None and found.media == Media("image/png", 0)
    own = provider_part_of(found.opaque)
    assert own is not None and own.broken and own.part == part
    assert all(write_part(found, format) is None for format in FORMATS)


NAMES = [
    *("type", "source", "data", "url", "file_id", "image_url", "file", "content", "inline_data"),
    *("file_uri", "mime_type", "media_type", "input_audio", "format", "title", "level"),
]
MEMBERS = ("source", "image_url", "file", "input_audio", "file_data", "file_id", "file_url")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.binary(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
KINDS = ["image", "document", "image_url", "file", "input_audio", "input_image", "input_file", "?"]


@given(
    st.dictionaries(st.sampled_from(MEMBERS), VALUES),
    st.dictionaries(st.sampled_from(["inline_data", "inlineData", "fileData"]), VALUES),
    st.sampled_from(KINDS),
)
def test_any_part_is_read(part: Part, more: Part, kind: str) -> None:
    """No part raises, and what is read of it can be asked to be written."""
    for format in FORMATS:
        found = read_part({**part, **more, "type": kind}, format)
        if found is not None:
            for other in FORMATS:
                write_part(found, other)
