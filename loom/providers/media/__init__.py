"""Images and documents: their types, their cost in tokens, and their parts of a request. Pure."""

SHOWN = frozenset({"image", "pdf", "audio", "video"})
STEMS = SHOWN | {"file"}  # of the pages payloads rest on; no text has a page of such a name


def is_payload_page(page: str) -> bool:
    """Tell whether a page's name is that of a page for an image, a document or another file:
    `outputs/image_0003.png`."""
    return page.rpartition("/")[2].partition("_")[0] in STEMS
