"""Content parts of the four formats: read, written, and taken by the providers' own types."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.types import Types, available
from loom.formats import FORMATS
from loom.media.inspect import Media, inspect
from loom.media.parts import Attached, attached, in_result, part_of
from loom.media.payload import own_of
from loom.media.reading import READERS
from loom.media.writing import RESULTS, TAKEN

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
HELD = {  # by the result of a tool
    "openai": set(),
    "responses": {"png", "pdf", "text", "docx", "latin"},
    "anthropic": {"png", "pdf", "text", "latin"},
    "gemini": {"png", "pdf", "text", "latin"},
}


def b64(data: bytes) -> str:
    """Base64 as it is sent."""
    return b64encode(data).decode()


def payload(name: str, detail: str = "") -> Attached:
    """A payload by its short name."""
    data, declared, called = PAYLOADS[name]
    return Attached(inspect(data, declared, called), data, detail)


def request(format: str, part: Part, *, result: bool = False) -> Part:
    """The least request that carries a part, said by the user or in the result of a call."""
    if format == "openai":
        return {"model": "m", "messages": [{"role": "user", "content": [part]}]}
    if format == "responses":
        item: Part = {"role": "user", "content": [part]}
        if result:
            item = {"type": "function_call_output", "call_id": "c", "output": [part]}
        return {"model": "m", "input": [item]}
    if format == "anthropic":
        if result:
            part = {"type": "tool_result", "tool_use_id": "c", "content": [part]}
        return {
            "model": "m",
            "max_tokens": 1,
            "messages": [{"role": "user", "content": [part]}],
        }
    if result:
        part = {"function_response": {"name": "f", "response": {}, "parts": [part]}}
    return {"model": "m", "contents": [{"role": "user", "parts": [part]}]}


NO_MEDIA: list[Part] = [
    {},
    {"type": "text", "text": "a"},
    {"type": 7},
    {"type": ["image"]},
    {"type": "tool_use", "id": "c", "name": "f", "input": {}},
    {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "image"}]},
    {"type": "image"},
    {"type": "image", "source": {"type": "unknown"}},
    {"type": "image", "source": "text"},
    {"type": "image_url", "image_url": {"detail": "low"}},
    {"type": "file", "file": {}},
    {"type": "input_audio", "input_audio": None},
    {"type": "input_image", "detail": "low"},
    {"type": "input_file"},
    {"text": "a"},
    {"inline_data": None, "file_data": {}},
    {"function_response": {"name": "f", "parts": [{"inline_data": {"data": b"a"}}]}},
]


@pytest.mark.parametrize("format", [*FORMATS, "another"])
@pytest.mark.parametrize("part", NO_MEDIA)
def test_what_is_no_media_is_none(part: Part, format: str) -> None:
    """Texts, calls, results and parts without a payload are left to others."""
    assert attached(part, format) is None


# Format, part, payload, name, detail.
HERE: list[tuple[str, Part, bytes, str, str]] = [
    (
        "openai",
        {
            "type": "image_url",
            "image_url": {"url": f"data:image/png;base64,{b64(PNG)}", "detail": "low"},
        },
        PNG,
        "",
        "low",
    ),
    (
        "openai",
        {"type": "image_url", "image_url": f"DATA:;base64,{b64(PNG)}"},
        PNG,
        "",
        "",
    ),
    (
        "openai",
        {
            "type": "file",
            "file": {"file_data": f"data:application/pdf;base64,{b64(PDF)}", "filename": "a.pdf"},
        },
        PDF,
        "a.pdf",
        "",
    ),
    ("openai", {"type": "file", "file": {"file_data": b64(PDF)}}, PDF, "", ""),
    (
        "openai",
        {"type": "input_audio", "input_audio": {"data": b64(WAV), "format": "wav"}},
        WAV,
        "",
        "",
    ),
    (
        "responses",
        {"type": "input_image", "image_url": f"data:;base64,{b64(PNG)}", "detail": "original"},
        PNG,
        "",
        "original",
    ),
    (
        "responses",
        {"type": "input_file", "file_data": b64(PDF), "filename": "a.pdf", "detail": "high"},
        PDF,
        "a.pdf",
        "high",
    ),
    (
        "anthropic",
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": b64(PNG)},
        },
        PNG,
        "",
        "",
    ),
    (
        "anthropic",
        {
            "type": "document",
            "title": "R",
            "source": {"type": "base64", "media_type": "application/pdf", "data": b64(PDF)},
        },
        PDF,
        "R",
        "",
    ),
    (
        "anthropic",
        {"type": "document", "source": {"type": "text", "data": TEXT.decode()}},
        TEXT,
        "",
        "",
    ),
    (
        "anthropic",
        {"type": "document", "source": {"type": "content", "content": TEXT.decode()}},
        TEXT,
        "",
        "",
    ),
    ("gemini", {"inlineData": {"mimeType": "image/png", "data": b64(PNG)}}, PNG, "", ""),
    (
        "gemini",
        {
            "inline_data": {"mime_type": "image/png", "data": PNG, "display_name": "a"},
            "media_resolution": {"level": "MEDIA_RESOLUTION_LOW"},
        },
        PNG,
        "a",
        "MEDIA_RESOLUTION_LOW",
    ),
]


@pytest.mark.parametrize(("format", "part", "data", "name", "detail"), HERE)
def test_payloads_that_are_here(
    format: str, part: Part, data: bytes, name: str, detail: str
) -> None:
    """Bytes, type, name and detail are read from every spelling."""
    found = attached(part, format)
    assert found is not None
    assert (found.data, found.media.name, found.detail, found.opaque) == (data, name, detail, "")
    assert found.media.size == len(data)
    assert found.media.type == inspect(data).type


ADDRESS = "https://x.test/a.png?s=1"
# Format, part, type, address or id.
AWAY: list[tuple[str, Part, str, str]] = [
    ("openai", {"type": "image_url", "image_url": {"url": ADDRESS}}, "image/png", ADDRESS),
    (
        "openai",
        {"type": "image_url", "image_url": {"url": "https://x.test/i"}},
        "image/*",
        "https://x.test/i",
    ),
    (
        "openai",
        {"type": "file", "file": {"file_id": "file-1"}},
        "application/octet-stream",
        "file-1",
    ),
    (
        "responses",
        {"type": "input_image", "file_id": "file-1", "detail": "auto"},
        "image/*",
        "file-1",
    ),
    (
        "responses",
        {"type": "input_file", "file_url": "https://x.test/r.pdf"},
        "application/pdf",
        "https://x.test/r.pdf",
    ),
    (
        "anthropic",
        {"type": "image", "source": {"type": "url", "url": ADDRESS}},
        "image/png",
        ADDRESS,
    ),
    (
        "anthropic",
        {"type": "document", "source": {"type": "url", "url": "https://x.test/r"}},
        "application/pdf",
        "https://x.test/r",
    ),
    (
        "anthropic",
        {"type": "document", "title": "r.pdf", "source": {"type": "file", "file_id": "file_1"}},
        "application/pdf",
        "file_1",
    ),
    (
        "anthropic",
        {
            "type": "document",
            "source": {"type": "content", "content": [{"type": "text", "text": "ab"}]},
        },
        "text/plain",
        "",
    ),
    (
        "gemini",
        {"fileData": {"fileUri": "gs://b/v", "mimeType": "video/mp4"}},
        "video/mp4",
        "gs://b/v",
    ),
    (
        "gemini",
        {"file_data": {"file_uri": "https://y.test/v.mp4"}},
        "video/mp4",
        "https://y.test/v.mp4",
    ),
]


@pytest.mark.parametrize(("format", "part", "type", "url"), AWAY)
def test_payloads_that_are_elsewhere(format: str, part: Part, type: str, url: str) -> None:
    """The part goes back as it came to its own provider; the type is told by what there is."""
    found = attached(part, format)
    assert found is not None
    assert (found.data, found.media.type, found.media.url) == (None, type, url)
    assert part_of(found, format) == part


@pytest.mark.parametrize(
    ("part", "format", "written"),
    [
        (0, "anthropic", {"type": "image", "source": {"type": "url", "url": ADDRESS}}),
        (0, "responses", {"type": "input_image", "image_url": ADDRESS, "detail": "auto"}),
        (0, "gemini", None),
        (2, "responses", {"type": "input_file", "file_id": "file-1"}),
        (2, "anthropic", None),
        (3, "openai", None),
        (4, "openai", None),
        (
            4,
            "anthropic",
            {"type": "document", "source": {"type": "url", "url": "https://x.test/r.pdf"}},
        ),
        (5, "openai", {"type": "image_url", "image_url": {"url": ADDRESS}}),
        (6, "responses", {"type": "input_file", "file_url": "https://x.test/r"}),
        (7, "responses", None),
        (8, "openai", None),
        (9, "anthropic", None),
    ],
)
def test_an_address_goes_to_other_providers_and_an_id_does_not(
    part: int, format: str, written: Part | None
) -> None:
    """Who fetches addresses gets one; ids are shared by OpenAI's two formats alone."""
    found = attached(AWAY[part][1], AWAY[part][0])
    assert found is not None
    assert part_of(found, format) == written


@pytest.mark.parametrize("format", FORMATS)
def test_what_a_provider_takes(format: str) -> None:
    """Types that a provider takes are written, and read again byte for byte; others are none."""
    assert {*READERS} == {*TAKEN} == {*RESULTS} == {*FORMATS}
    taken = set()
    for name, (data, _, _) in PAYLOADS.items():
        part = part_of(payload(name), format)
        if part is not None:
            taken.add(name)
            again = attached(part, format)
            assert again is not None and again.data == data
    assert taken == TAKES[format]
    assert {name for name in PAYLOADS if in_result(format, payload(name).media)} == HELD[format]


@pytest.mark.skipif(not available(), reason="the providers' own libraries are not installed")
@pytest.mark.parametrize("format", FORMATS)
def test_providers_types_take_what_is_written(format: str) -> None:
    """The request types of every SDK accept every part, said by the user or in a result."""
    types = Types(format)
    away = [attached(part, said) for said, part, _, _ in AWAY]
    details = ("", "low", "original", "MEDIA_RESOLUTION_LOW")
    given = [payload(name, detail) for name in PAYLOADS for detail in details]
    parts = [(one, part_of(one, format)) for one in [*given, *away] if one is not None]
    written = [(one, part) for one, part in parts if part is not None]
    assert len(written) > 10
    for one, part in written:
        assert types.refused(request(format, part)) == []
        if in_result(format, one.media):
            assert types.refused(request(format, part, result=True)) == []
    assert types.refused(request(format, {"type": "nothing", "nothing": {}})) != []


def test_results_of_older_gemini_models_hold_no_media() -> None:
    """Gemini 2.5 answers 400 to what Gemini 3 takes."""
    media = payload("png").media
    assert in_result("gemini", media, "gemini-3-pro") and in_result("gemini", media)
    assert not in_result("gemini", media, "models/gemini-2.5-pro")
    assert in_result("anthropic", Media("image/*", 0, url=ADDRESS))


NOISE = bytes(range(250, 256)) * 11  # its base64 has both of the letters that alphabets differ in


@pytest.mark.parametrize(
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
    found = attached(part, "responses")
    assert found is not None and found.data == NOISE and found.media.type == "image/png"
    if "%" not in text:
        blob = {"inlineData": {"mimeType": "image/png", "data": text}}
        found = attached(blob, "gemini")
        assert found is not None and found.data == NOISE


@pytest.mark.parametrize(
    ("url", "data", "type"),
    [
        ("data:,a%20b", b"a b", "text/plain"),
        ("data:text/csv;charset=utf-8,a%2Cb,c", b"a,b,c", "text/csv"),
        ("data:;charset=utf-8,%C3%A9", "é".encode(), "text/plain"),
        ("  data:image/png;base64," + b64(PNG), PNG, "image/png"),
    ],
)
def test_data_urls(url: str, data: bytes, type: str) -> None:
    """Parameters, percent signs, and commas in the payload."""
    part = {"type": "file", "file": {"file_data": url}}
    found = attached(part, "openai")
    assert found is not None and (found.data, found.media.type) == (data, type)


@pytest.mark.parametrize("text", ["", "a", "no base64!", "ab=c", "é", "====", "\ud800"])
def test_broken_base64_is_kept_and_goes_nowhere(text: str) -> None:
    """What cannot be read stays as it came, and no request is refused for it."""
    part = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": text},
    }
    found = attached(part, "anthropic")
    assert found is not None and found.data is None and found.media == Media("image/png", 0)
    own = own_of(found.opaque)
    assert own is not None and own.broken and own.part == part
    assert all(part_of(found, format) is None for format in FORMATS)


def test_an_empty_payload_is_not_sent() -> None:
    """Every provider refuses one."""
    for format in FORMATS:
        assert part_of(Attached(Media("image/png", 0), b""), format) is None
        assert part_of(Attached(Media("image/png", 0), None), format) is None


@given(st.binary(min_size=1, max_size=400), st.sampled_from(["openai", "responses", "anthropic"]))
def test_any_bytes_come_back(data: bytes, format: str) -> None:
    """Written and read again, a payload is the same, whichever provider carried it."""
    sent = Attached(inspect(PNG + data, name="a b.png"), PNG + data, "high")
    for name in (format, "gemini"):
        part = part_of(sent, name)
        found = attached(part or {}, name)
        assert found is not None and found.data == sent.data
        assert found.media.type == sent.media.type


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.binary(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "type source data url file_id image_url file file_data inlineData inline_data fileUri"
                " file_uri mime_type media_type input_audio format content title level".split()
            )
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
KINDS = ["image", "document", "image_url", "file", "input_audio", "input_image", "input_file", "?"]


@given(
    st.dictionaries(
        st.sampled_from("source image_url file input_audio file_data file_id file_url".split()),
        VALUES,
    ),
    st.dictionaries(st.sampled_from(["inline_data", "inlineData", "fileData"]), VALUES),
    st.sampled_from(KINDS),
)
def test_any_part_is_read(part: Part, more: Part, kind: str) -> None:
    """No part raises, and what is read of it can be asked to be written."""
    for format in FORMATS:
        found = attached({**part, **more, "type": kind}, format)
        if found is not None:
            for other in FORMATS:
                part_of(found, other)
                in_result(other, found.media)
