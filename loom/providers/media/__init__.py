"""Images and documents: their types, token costs and content parts in requests. No I/O."""

SHOWN = frozenset({"image", "pdf", "audio", "video"})
STEMS = SHOWN | {"file"}  # of the pages payloads rest on; no text has a page of such a name


def is_payload_page(page: str) -> bool:
    """Tell whether a page's name, such as `outputs/image_0003.png`, is that of an image, a document
    or another file."""
    return page.rpartition("/")[2].partition("_")[0] in STEMS
