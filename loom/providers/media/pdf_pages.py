"""Pages of a PDF, if pypdf is installed: their texts, and a PDF of only some pages for a window
that has no room for all of them."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from loom.lazy import lazy_re

LARGEST = 4 << 20  # bytes of a document that is looked into, of pages of it that many
PAGES = 100


def pdf_page_texts(data: bytes) -> tuple[str, ...] | None:
    """Return the text of each page of a PDF, in order; None if the text cannot be read, or if pypdf
    is not installed."""
    if len(data) > LARGEST:
        return None
    try:
        from pypdf import PdfReader

        pages = PdfReader(BytesIO(data)).pages
        return tuple(page.extract_text() for page in pages) if len(pages) <= PAGES else None
    except Exception:  # of what is damaged, it raises what it likes
        return None


_CATALOG = lazy_re(rb"(\d{1,10}\s{1,8}\d{1,5})\s{1,8}obj\b[^>]{0,500}?/Type\s{0,8}/Catalog\b")


def pdf_page_range(data: bytes, first: int, last: int) -> bytes | None:
    """Return a new PDF with the pages `first` to `last` of a PDF, counted from 1, both included;
    None if that fails. Raises ImportError if pypdf is not installed."""
    from pypdf import PdfReader, PdfWriter

    def read(data: bytes) -> Any:
        reader = PdfReader(BytesIO(data))
        return reader if len(reader.pages) >= last else None

    for attempt in (data, _with_trailer(data)):
        made = BytesIO()
        try:
            writer = PdfWriter()
            writer.append(read(attempt), pages=(first - 1, last), import_outline=False)
            writer.write(made)
        except Exception:  # of what is damaged, it raises what it likes
            continue
        return made.getvalue()
    return None


def _with_trailer(data: bytes) -> bytes:
    """Return the PDF with a second trailer that names only its root object."""
    # A reader then searches for the objects itself: a damaged table of references does no harm.
    found = _CATALOG.search(data)
    root = found[1] if found else b"1 0"
    return data + b"\ntrailer<</Root %s R>>\nstartxref\n0\n%%%%EOF\n" % root
