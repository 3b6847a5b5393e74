"""What a payload is taken for: by its first bytes, what was said of it, its name, or as text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.providers.media.inspect import Media, cleaned, elsewhere, inspect
from tests.kit.cases import all_cases

PDF = b"%PDF-1.4\n1 0 obj\n<</Type/Page>>\nendobj\n"
ZIP = b"PK\x03\x04\x14\0"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@all_cases(
    ("data", "declared", "name", "type", "kind"),
    [
        (b"", "", "", "application/octet-stream", "file"),
        (b"\0\1\2\3", "", "", "application/octet-stream", "file"),
        (b"\0\1\2\3", "application/octet-stream", "", "application/octet-stream", "file"),
        (b"\0\1\2\3", "image/png", "", "image/png", "image"),
        (b"\0\1\2\3", "no type", "x.webp", "image/webp", "image"),
        (b"BMW and others", "", "", "text/plain", "text"),
        ("größer".encode(), "", "", "text/plain", "text"),
        ("größer".encode("latin-1"), "", "", "application/octet-stream", "file"),
        (b"a,b\n1,2\n", "", "t.csv", "text/csv", "text"),
        (b"{}", "Application/JSON; charset=utf-8", "", "application/json", "text"),
        (b"<svg/>", "image/svg+xml", "", "image/svg+xml", "text"),
        (b"<a/>", "application/atom+xml", "", "application/atom+xml", "text"),
        (PDF, "text/plain", "a.txt", "application/pdf", "pdf"),
        (b"\n\n" + PDF, "", "", "application/pdf", "pdf"),
        (b"\xff\xd8\xff\xe0", "image/png", "a.gif", "image/jpeg", "image"),
        (b"RIFF\0\0\0\0WAVEfmt ", "", "", "audio/wav", "audio"),
        (b"RIFF\0\0\0\0????", "", "", "application/octet-stream", "file"),
        (b"ID3\4", "", "", "audio/mpeg", "audio"),
        (b"\0\0\0\x18ftypheic", "", "", "image/heic", "image"),
        (b"\0\0\0\x18ftypisom", "", "", "video/mp4", "video"),
        (ZIP, "", "", "application/zip", "file"),
        (ZIP, "", "a.docx", DOCX, "file"),
        (ZIP, DOCX, "", DOCX, "file"),
        (b"\x1aE\xdf\xa3", "audio/webm", "", "audio/webm", "audio"),
    ],
)
def test_types(data: bytes, declared: str, name: str, type: str, kind: str) -> None:
    """First bytes count most, then the declared type, then the name; text is told by reading it."""
    media = inspect(data, declared, name)
    assert (media.type, media.kind, media.size, media.name) == (type, kind, len(data), name)


@all_cases(
    ("given", "type"),
    [
        ("", ""),
        ("image", ""),
        ("image/", ""),
        ("image/png; q=1", "image/png"),
        (" IMAGE/JPG ", "image/jpeg"),
        ("audio/mp3", "audio/mpeg"),
        ("application/octet-stream", ""),
        ("a/" + "b" * 300, ""),
        ("text/plain\nX-Evil: 1", ""),
    ],
)
def test_declared_types_are_cleaned(given: str, type: str) -> None:
    """Small letters, no parameters, the registered name; what is no type is none."""
    assert cleaned(given) == type


@all_cases(
    ("url", "declared", "name", "type"),
    [
        ("file-abc123", "", "", "application/octet-stream"),
        ("https://x.test/a/b.PNG?sig=a/b.pdf#c.txt", "", "", "image/png"),
        ("https://x.test/a", "image/webp", "", "image/webp"),
        ("https://x.test/a", "", "r.pdf", "application/pdf"),
        ("https://x.test/", "", "", "application/octet-stream"),
    ],
)
def test_what_is_elsewhere(url: str, declared: str, name: str, type: str) -> None:
    """Of a payload that is not here the address, the name and what was said tell the type."""
    assert elsewhere(url, declared, name) == Media(type, 0, name=name, url=url)


@given(st.binary(max_size=200), st.text(max_size=40), st.text(max_size=40))
def test_any_bytes_are_described(data: bytes, declared: str, name: str) -> None:
    """No bytes, type or name raises, and the description is the same every time."""
    media = inspect(data, declared, name)
    assert media == inspect(data, declared, name)
    assert media.kind in {"image", "pdf", "text", "audio", "video", "file"}
    assert cleaned(media.type) in {media.type, ""}


@given(
    st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"BM", b"%PDF-", b"RIFF"]),
    st.binary(max_size=120),
)
def test_any_bytes_behind_a_known_beginning(magic: bytes, rest: bytes) -> None:
    """A header of noise is none."""
    assert inspect(magic + rest).size == len(magic) + len(rest)
