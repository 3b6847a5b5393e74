"""The input tokens a payload costs, before a provider has counted it.

The figure is an upper bound: what the provider's published rule says where it is known, and the
most that rule can come to where pixels, pages or the model are not. So a request that is made by it
may hold less than it could, and is never too large. Bytes are never counted as the base64 they are
sent in; what is charged is what the model sees.
"""

from __future__ import annotations

from msgspec.structs import replace

from loom.providers import fitting, provider_of
from loom.providers.media.inspect import Media
from loom.providers.media.rates import ANY, ROWS, UNKNOWN, Rates

# Formats, and names of providers, as the family whose models are meant when none is named.
FAMILIES = {"gemini": "google", "responses": "openai"}
# The longest that is taken: ai.google.dev, "Audio understanding" (9.5 hours) and "Video
# understanding" (3 hours at low resolution).
LONGEST = {"audio": 34_200, "video": 10_800}  # seconds
THINNEST = 750  # bytes of a second of sound: 6 kbit/s, the least Opus has (RFC 6716, 2)
PAGE_BYTES = 4_000  # of a page of a PDF whose pages cannot be counted: a compressed one of words
# What nobody here can look into counts as a usual one of its kind; the next report of the request's
# size tells what it took.
USUAL_SIDES, USUAL_SECONDS, USUAL_PAGES = (1_920, 1_080), 60, 10
_PREFIX = "media_resolution_"


def tokens(
    media: Media, provider: str, model: str = "", detail: str = "auto", text: int = -1
) -> int:
    """Tokens a payload costs as input, at most.

    `provider` is a name of `loom.providers` (`anthropic`, `openai`, `google`, …, `any`) or of a
    format; who made the `model` counts more, so hosts of others' models are read right. `detail`
    is OpenAI's (`low`, `high`, `original`, `auto`) or Gemini's media resolution.

    An image of unknown pixels is the largest the model takes; a PDF of unknown pages has as many as
    its bytes may hold, and one request; the `text` of all its pages is of so many tokens where that
    was counted, else each page's the most that is published. Text counts one token a byte, which no
    tokenizer exceeds: whoever has the text should count that instead. So do files of unknown kinds,
    for which nobody publishes a rule.
    """
    row = row_of(provider, model)
    level = detail.lower().removeprefix(_PREFIX)
    match media.kind:
        case "image":
            return row.image.tokens(media.width, media.height, level)
        case "pdf":
            held = media.size // PAGE_BYTES + 1 if media.size else row.pages
            count = media.pages or min(held, row.pages)
            if text < 0 or not row.text:
                return count * _page(row, level)
            return count * (_page(row, level) - row.text) + text
        case "audio" | "video" as kind:
            longest = LONGEST[kind]
            seconds = min(-(-media.size // THINNEST), longest) if media.size else longest
            return seconds * (row.audio if kind == "audio" else row.video)
        case _:
            return media.size or (media.pages or row.pages) * (row.text or _page(row, level))


def usual(media: Media) -> Media:
    """A payload that is elsewhere, as large as is usual of its kind where nothing is known."""
    if media.size or media.width or media.pages:
        return media
    if media.kind == "image":
        return replace(media, width=USUAL_SIDES[0], height=USUAL_SIDES[1])
    if media.kind in LONGEST:
        return replace(media, size=USUAL_SECONDS * THINNEST)
    return replace(media, pages=USUAL_PAGES)


def row_of(provider: str, model: str = "") -> Rates:
    """The rates of a model, or of the family a provider or format stands for."""
    made = provider_of(model).name
    family = FAMILIES.get(provider, provider) if made == "any" else made
    return fitting(model, ROWS.get(family, ())) or UNKNOWN.get(family, ANY)


def _page(row: Rates, level: str) -> int:
    """Tokens of a page of a PDF: its text, and the picture of it."""
    return row.text + (row.page or row.image).tokens(0, 0, level)
