"""What a payload is taken for: by its first bytes, what was said of it, its name; and its line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.providers.media.described import LONGEST, described
from loom.providers.media.inspect import Media, cleaned, elsewhere, inspect
from tests.kit.cases import all_cases

PDF = b"%PDF-1.4\n1 0 obj\n<</Type/Page>>\nendobj\n"
ZIP = b"PK\x03\x04\x14\0"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
STREAM = "application/octet-stream"


@all_cases(
    ("data", "declared", "name", "type", "kind"),
    [
        (b"", "", "", STREAM, "file"),
        (b"\0\1\2\3", STREAM, "", STREAM, "file"),
        (b"\0\1\2\3", "image/png", "", "image/png", "image"),
        (b"\0\1\2\3", "no type", "x.webp", "image/webp", "image"),
        (b"BMW and others", "", "", "text/plain", "text"),
        ("größer".encode("latin-1"), "", "", STREAM, "file"),
        (b"a,b\n1,2\n", "", "t.csv", "text/csv", "text"),
        (b"{}", "Application/JSON; charset=utf-8", "", "application/json", "text"),
        (b"<svg/>", "image/svg+xml", "", "image/svg+xml", "text"),
        (b"\n\n" + PDF, "text/plain", "a.txt", "application/pdf", "pdf"),
        (b"\xff\xd8\xff\xe0", "image/png", "a.gif", "image/jpeg", "image"),
        (b"RIFF\0\0\0\0WAVEfmt ", "", "", "audio/wav", "audio"),
        (b"RIFF\0\0\0\0????", "", "", STREAM, "file"),
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
    ("url", "declared", "name", "type"),
    [
        ("file-abc123", "", "", STREAM),
        ("https://x.test/a/b.PNG?sig=a/b.pdf#c.txt", "", "", "image/png"),
        ("https://x.test/a", "image/webp", "", "image/webp"),
        ("https://x.test/a", "", "r.pdf", "application/pdf"),
    ],
)
def test_what_is_elsewhere(url: str, declared: str, name: str, type: str) -> None:
    """Of a payload that is not here the address, the name and what was said tell the type."""
    assert elsewhere(url, declared, name) == Media(type, 0, name=name, url=url)


MAGIC = [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"BM", b"%PDF-", b"RIFF"]


@given(st.sampled_from(MAGIC), st.binary(max_size=200), st.text(max_size=40), st.text(max_size=40))
def test_any_bytes_are_described(magic: bytes, data: bytes, declared: str, name: str) -> None:
    """No bytes, type or name raises, and the description is the same every time."""
    media = inspect(magic + data, declared, name)
    assert media == inspect(magic + data, declared, name)
    assert media.kind in {"image", "pdf", "text", "audio", "video", "file"}
    assert cleaned(media.type) in {media.type, ""}


SHOT = Media("image/png", 233_144, width=1024, height=768)
REPORT = Media("application/pdf", 1_204_000, pages=12, name="report.pdf")
AWAY = Media("image/*", 0, url="https://x.test/a.png")


@all_cases(
    ("media", "ref", "line"),
    [
        (Media("", 0), "", "[application/octet-stream]"),
        (SHOT, "out/i.png", "[image/png, 1,024×768, 233 KB → out/i.png]"),
        (REPORT, "out/f.pdf", "[application/pdf, 12 pages, 1.2 MB, report.pdf → out/f.pdf]"),
        (AWAY, "", "[image/*, https://x.test/a.png]"),
        (AWAY, "a.png", "[image/* → a.png]"),
        (Media("text/plain", 3, name="a\nb\x1b[31m.txt"), "", "[text/plain, 3 B, a b .txt]"),
    ],
)
def test_described(media: Media, ref: str, line: str) -> None:
    """Type, pixels or pages, size and name, and where it can be read."""
    assert described(media, ref) == line


LONG = st.text(max_size=900)
BIG = st.integers(0, 10**40)


@given(st.builds(Media, LONG, st.integers(0, 10**400), BIG, BIG, BIG, LONG, LONG), LONG)
def test_any_description_is_one_line_of_bounded_length(media: Media, ref: str) -> None:
    """Whatever is said of a payload, it stands on one line of at most 160 characters."""
    line = described(media, ref)
    assert len(line) <= LONGEST and len(line.splitlines()) == 1
    assert line.startswith("[") and line.endswith("]")
