"""Images and documents: what they are, what they cost, how a request spells them. Pure."""

SHOWN = frozenset({"image", "pdf", "audio", "video"})
STEMS = SHOWN | {"file"}  # of the pages payloads rest on; no text has a page of such a name


def is_payload_page(page: str) -> bool:
    """True when a page is named as that of an image, a document or another file."""
    return page.rpartition("/")[2].partition("_")[0] in STEMS
