"""The texts of a PDF's pages: what they take as input is counted from them."""

from __future__ import annotations

from io import BytesIO

LARGEST = 4 << 20  # bytes of a document that is looked into, of pages of it that many
PAGES = 100


def page_texts(data: bytes) -> tuple[str, ...] | None:
    """The text of each page, in order; None where they cannot be read, as of a document that is
    damaged, encrypted or too large to look into, or where pypdf is not installed."""
    if len(data) > LARGEST:
        return None
    try:
        from pypdf import PdfReader

        pages = PdfReader(BytesIO(data)).pages
        return tuple(page.extract_text() for page in pages) if len(pages) <= PAGES else None
    except Exception:  # of what is damaged, it raises what it likes
        return None
