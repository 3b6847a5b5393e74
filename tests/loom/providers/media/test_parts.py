"""Content parts between the formats: what is taken, by whom, and what their own types say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.formats import FORMATS
from loom.providers.media.inspect import inspect
from loom.providers.media.parts import READERS, Attached, attached, part_of
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
    return Attached(inspect(data, declared, called), data, detail)


def request(format: str, part: Part) -> Part:
    """The least request that carries a part, said by the user."""
    if format == "gemini":
        return {"model": "m", "contents": [{"role": "user", "parts": [part]}]}
    messages = [{"role": "user", "content": [part]}]
    limit = {"max_tokens": 1} if format == "anthropic" else {}
    return {"model": "m", "input" if format == "responses" else "messages": messages, **limit}


ADDRESS = "https://x.test/a.png?s=1"
IMAGE = {"type": "image_url", "image_url": {"url": ADDRESS}}
PAGE = "https://x.test/r.pdf"
BARE = "https://x.test/r"
FILM = "https://y.test/v.mp4"


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
    found = attached(part, format)
    assert found is not None
    assert (found.data, found.media.type, found.media.url) == (None, type, url)
    assert part_of(found, format) == part


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
    found = attached(AWAY[part][1], AWAY[part][0])
    assert found is not None
    assert part_of(found, format) == written


@all_cases("format", FORMATS)
def test_what_a_provider_takes(format: str) -> None:
    """Types that a provider takes are written, and read again byte for byte; others are none."""
    assert {*READERS} == {*TAKEN} == {*FORMATS}
    taken = set()
    for name, (data, _, _) in PAYLOADS.items():
        part = part_of(payload(name), format)
        if part is not None:
            taken.add(name)
            again = attached(part, format)
            assert again is not None and again.data == data
    assert taken == TAKES[format]


@pytest.mark.skipif(not available(), reason="the providers' own libraries are not installed")
@pytest.mark.parametrize("format", FORMATS)
def test_providers_types_take_what_is_written(format: str) -> None:
    """The request types of every SDK accept every part."""
    types = SdkTypes(format)
    away = [attached(part, said) for said, part, _, _ in AWAY]
    details = ("", "low", "original", "MEDIA_RESOLUTION_LOW")
    given = [payload(name, detail) for name in PAYLOADS for detail in details]
    written = [part for one in [*given, *away] if one and (part := part_of(one, format))]
    assert len(written) > 10
    for part in written:
        assert types.refused(request(format, part)) == []
    assert types.refused(request(format, {"type": "nothing", "nothing": {}})) != []


@given(st.binary(min_size=1, max_size=400), st.sampled_from(["openai", "responses", "anthropic"]))
def test_any_bytes_come_back(data: bytes, format: str) -> None:
    """Written and read again, a payload is the same, whichever provider carried it."""
    sent = Attached(inspect(PNG + data, name="a b.png"), PNG + data, "high")
    for name in (format, "gemini"):
        part = part_of(sent, name)
        found = attached(part or {}, name)
        assert found is not None and found.data == sent.data
        assert found.media.type == sent.media.type
