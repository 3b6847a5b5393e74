"""Pages of PDFs made by hand: plain, compressed, updated, damaged, and meant to do harm."""

from __future__ import annotations

import zlib

from hypothesis import given
from hypothesis import strategies as st

from loom.providers.media.pdf import INFLATED, page_count
from tests.kit.cases import all_cases

HEAD = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"


def objects(*bodies: bytes, first: int = 1) -> bytes:
    """Numbered objects, one after another."""
    return b"".join(b"%d 0 obj\n%s\nendobj\n" % (first + at, one) for at, one in enumerate(bodies))


def tree(count: int) -> tuple[bytes, ...]:
    """A catalog, the root of the page tree, and its pages."""
    kids = b" ".join(b"%d 0 R" % (3 + at) for at in range(count))
    root = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count)
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 99 0 R>>"
    return (CATALOG, root, *([page] * count))


def packed(*bodies: bytes, first: int = 1, flate: bool = True) -> bytes:
    """The body of an object stream that holds these objects."""
    offsets, place = [], 0
    for one in bodies:
        offsets.append(place)
        place += len(one) + 1
    index = b" ".join(b"%d %d" % (first + at, offset) for at, offset in enumerate(offsets)) + b"\n"
    plain = index + b" ".join(bodies)
    data = zlib.compress(plain) if flate else plain
    way = b"/Filter /FlateDecode " if flate else b""
    counts = (len(bodies), len(index), way, len(data), data)
    return b"<< /Type /ObjStm /N %d /First %d %s/Length %d >>\nstream\n%s\nendstream" % counts


def file(*parts: bytes) -> bytes:
    """A PDF of these parts."""
    return b"".join((HEAD, *parts, b"trailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF\n"))


@all_cases(
    ("data", "count"),
    [
        (b"", 0),
        (b"no PDF at all", 0),
        (file(), 0),
        (file(objects(*tree(1))), 1),
        (file(objects(*tree(12))), 12),
        (file(objects(packed(*tree(7)), first=50)), 7),
        (file(objects(packed(*tree(7), flate=False), first=50)), 7),
        (file(objects(*tree(3))).replace(b"\n", b"\r\n"), 3),
        # A tree of trees: the root counts, which has no parent.
        (file(objects(b"<</Type/Pages/Count 9>>", b"<</Type/Pages/Parent 2 0 R/Count 5>>")), 9),
        # An update appends the objects it changes.
        (file(objects(*tree(2)), objects(b"<</Type/Pages/Count 5>>", first=2)), 5),
        # No catalog, no root that counts: the pages are counted.
        (file(objects(*tree(4)[2:])), 4),
        (file(objects(*tree(4)).replace(b"/Count 4", b"/Count 9 0 R")), 4),
        (file(objects(*tree(4)).replace(b"/Count 4", b"/Count 99999999")), 4),
        (file(objects(*tree(4)[1:])), 4),
        # A filter nobody reads here, and a stream that is none (as when it is encrypted).
        (file(objects(packed(*tree(2)).replace(b"Flate", b"LZW"))), 0),
        (file(objects(packed(*tree(2)).replace(b"stream\nx", b"stream\n!"))), 0),
    ],
)
def test_pages(data: bytes, count: int) -> None:
    """The count of the root is the number of pages; without it they are counted, or unknown."""
    assert page_count(data) == count


def test_a_bomb_is_inflated_in_part() -> None:
    """A gigabyte of zeros in a megabyte: the part that is made holds no more than was allowed."""
    deflate = zlib.compressobj(9)
    block = b" " * (1 << 20)
    bomb = b"".join(deflate.compress(block) for _ in range(4 * INFLATED >> 20)) + deflate.flush()
    held = b"<</Type/ObjStm/N 1/First 9/Filter/FlateDecode>>stream\n%s\nendstream" % bomb
    assert page_count(file(objects(*[held] * 20, first=50))) == 0
    # Pages beside it are no longer all there are; a root still says so itself.
    assert page_count(file(objects(*tree(4)[2:]), objects(held, first=50))) == 0
    assert page_count(file(objects(*tree(4)), objects(held, first=50))) == 4


def test_parts_of_a_stream_are_read_once() -> None:
    """Offsets that jump back and forth would have one part read over and over."""
    index = b" ".join(b"%d %d" % (at, 900_000 * (at % 2)) for at in range(50_000)) + b"\n"
    body = index + b"<</Type/Page>>" * 100_000
    stream = b"<</Type/ObjStm/First %d>>stream\n%s\nendstream" % (len(index), body)
    assert page_count(file(objects(stream))) == 0


def test_objects_without_end_are_passed_over() -> None:
    """Millions of beginnings and no end, or ends alone, take one pass."""
    assert page_count(HEAD + b"1 0 obj /Type /Page " * 150_000) == 1
    assert page_count(HEAD + b"endobj" * 600_000) == 0
    assert page_count(HEAD + b"1" * 3_000_000 + b" /Type /Pages") == 0


@given(st.binary(max_size=300), st.integers(0, 600), st.booleans())
def test_spoilt_files_have_some_number_of_pages(noise: bytes, at: int, compressed: bool) -> None:
    """Cut off or overwritten anywhere, a PDF is counted or not, and nothing is raised."""
    whole = file(objects(packed(*tree(5)), first=50) if compressed else objects(*tree(5)))
    assert page_count(whole[:at]) >= 0
    assert page_count(whole[:at] + noise + whole[at + len(noise) :]) >= 0
    assert page_count(noise) == 0
