"""A line that describes a payload, for a window that does not hold the payload itself."""

from __future__ import annotations

from loom.providers.media.inspect import EXTENSIONS, UNKNOWN, Media
from loom.text import clip_front, clip_text, one_line

LONGEST = 160  # characters of a line
TYPE_LONGEST = 48
NAME_LONGEST = 40
PLACE_LEAST = 60  # characters of `ref` that nothing else takes
LARGEST = 10**18  # bytes; anything above is as good as that


def media_line(media: Media, ref: str = "") -> str:
    """Return a line of at most 160 characters that describes a payload: `[image/png, 1,024×768, 233
    KB → outputs/image_0003.png]`. `ref` is the page that holds the payload."""
    named = media.name or (media.url if not ref else "")
    said = (
        one_line(media.type, TYPE_LONGEST) or UNKNOWN,
        f"{media.width:,}×{media.height:,}" if media.width and media.height else "",
        f"{media.pages:,} page{'s' * (media.pages != 1)}" if media.pages else "",
        size_text(media.size) if media.size else "",
        clip_front(_end_on_one_line(named), NAME_LONGEST),
    )
    text = ", ".join(part for part in said if part)
    place = _end_on_one_line(ref)
    if not place:
        return f"[{clip_text(text, LONGEST - 2)}]"
    text = clip_text(text, LONGEST - 5 - min(len(place), PLACE_LEAST))
    return f"[{text} → {clip_front(place, LONGEST - 5 - len(text))}]"


def size_text(size: int) -> str:
    """Return a size in bytes as text, such as `812 B`, `14.2 KB`, `233 KB`, `3.1 MB`."""
    count, unit = float(min(size, LARGEST)), "B"
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if count < 999.5 or unit == "TB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if unit == "B" or count >= 99.95 else f"{count:.1f} {unit}"


def file_extension(media: Media) -> str:
    """Return the ending for a payload's file, such as `.png`; `.bin` if the type has none."""
    if media.type in EXTENSIONS:
        return EXTENSIONS[media.type]
    return ".txt" if media.kind == "text" else ".bin"


def _end_on_one_line(text: str) -> str:
    """Return the last characters of a name or an address, with line ends removed."""
    return one_line(clip_front(text, 4 * LONGEST), 4 * LONGEST)
