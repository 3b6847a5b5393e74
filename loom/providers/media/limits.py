"""What providers take of images and documents in one request: one table, by family.

As published up to September 2026; the page stands beside each row. What a host of a model takes
less than its maker says is learnt from its refusal (`loom.providers.overflow`).
"""

from __future__ import annotations

from msgspec.structs import replace

from loom.providers import provider_of
from loom_partitions.limits import MediaLimits

# platform.claude.com, "Images and vision" and "PDF support": 600 images or pages of PDFs a request,
# 100 for models with a window of 200,000 tokens; no side over 8,000 pixels, none over 2,000 in a
# request of more than 20 images. Pages of PDFs and images count together: a request is refused with
# "Too much media: 0 document pages + 103 images > 100" (anthropics/claude-code#3397).
ANTHROPIC = MediaLimits(images=600, pages=600, side=8_000, many=20, many_side=2_000)
SMALL, SMALL_IMAGES = 200_000, 100
ROWS = {
    "anthropic": ANTHROPIC,
    # developers.openai.com, "Images and vision": 1,500 images a request.
    "openai": MediaLimits(images=1_500),
    # ai.google.dev, "Image understanding" (3,600 images) and "Document understanding" (1,000 pages
    # of a document).
    "google": MediaLimits(images=3_600, pages=1_000),
    # Who gets the request is not known: it may be the strictest.
    "any": ANTHROPIC,
}


def limits_of(model: str, window: int) -> MediaLimits:
    """The limits of a request to a model in a window of so many tokens."""
    row = ROWS.get(provider_of(model).name, MediaLimits())
    if row is not ANTHROPIC or window > SMALL:
        return row
    return replace(row, images=SMALL_IMAGES, pages=SMALL_IMAGES)
