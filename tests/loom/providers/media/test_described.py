"""One line of a payload."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.providers.media.described import LONGEST, bytes_of, described, extension
from loom.providers.media.inspect import Media
from tests.kit.cases import all_cases

SHOT = Media("image/png", 233_144, width=1024, height=768)
REPORT = Media("application/pdf", 1_204_000, pages=12, name="report.pdf")


@all_cases(
    ("media", "ref", "line"),
    [
        (Media("", 0), "", "[application/octet-stream]"),
        (SHOT, "", "[image/png, 1,024×768, 233 KB]"),
        (
            SHOT,
            "outputs/image_0003.png",
            "[image/png, 1,024×768, 233 KB → outputs/image_0003.png]",
        ),
        (
            REPORT,
            "outputs/file_0004.pdf",
            "[application/pdf, 12 pages, 1.2 MB, report.pdf → outputs/file_0004.pdf]",
        ),
        (
            Media("image/*", 0, url="https://x.test/a.png"),
            "",
            "[image/*, https://x.test/a.png]",
        ),
        (Media("image/*", 0, url="https://x.test/a.png"), "a.png", "[image/* → a.png]"),
        (Media("text/plain", 3, name="a\nb\x1b[31m.txt"), "", "[text/plain, 3 B, a b .txt]"),
    ],
)
def test_described(media: Media, ref: str, line: str) -> None:
    """Type, pixels or pages, size and name, and where it can be read."""
    assert described(media, ref) == line


@all_cases(
    ("size", "text"),
    [
        (0, "0 B"),
        (1000, "1.0 KB"),
        (99_960, "100 KB"),
        (999_400, "999 KB"),
        (999_600, "1.0 MB"),
        (10**30, "1,000,000 TB"),
    ],
)
def test_sizes(size: int, text: str) -> None:
    """Powers of ten, three figures."""
    assert bytes_of(size) == text


@all_cases(
    ("type", "ending"),
    [
        ("image/png", ".png"),
        ("application/pdf", ".pdf"),
        ("text/x-python", ".txt"),
        ("application/octet-stream", ".bin"),
        ("image/*", ".bin"),
    ],
)
def test_extensions(type: str, ending: str) -> None:
    """A file of a type ends as readers of it expect; of an unknown one, in `.bin`."""
    assert extension(Media(type, 1)) == ending


@given(
    st.builds(
        Media,
        type=st.text(max_size=300),
        size=st.integers(0, 10**400),
        width=st.integers(0, 2**31),
        height=st.integers(0, 2**31),
        pages=st.integers(0, 10**30),
        name=st.text(max_size=900),
        url=st.text(max_size=900),
    ),
    st.text(max_size=900),
)
def test_any_description_is_one_line_of_bounded_length(media: Media, ref: str) -> None:
    """Whatever is said of a payload, it stands on one line of at most 160 characters."""
    line = described(media, ref)
    assert len(line) <= LONGEST
    assert line.startswith("[") and line.endswith("]")
    assert len(line.splitlines()) == 1
