"""Tokens of images and documents, against the figures providers publish and hosts have measured."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.providers.media.inspect import Media
from loom.providers.media.media_tokens import (
    ANY,
    ROWS,
    UNKNOWN,
    MediaRates,
    media_rates_of,
    payload_tokens,
)
from tests.kit.cases import all_cases

CLAUDE = "platform.claude.com, Images and vision, 2026: tables and text"
VISION = "developers.openai.com, Images and vision, 2025 and 2026: worked examples"
MEASURED = "huggingface.co/datasets/JOHNISKING/image-token-cost, 2026: measured"
BILLED = "community.openai.com, t/1281361: what was billed"
GEMINI = "ai.google.dev, Image understanding, 2025; Media resolution, 2026"
HOST = "docs.baseten.co, Vision, 2026"
XAI = "docs.x.ai, Image understanding, 2025: less than this for any image"

# Model, width, height, detail, tokens, who says so.
PUBLISHED: list[tuple[str, int, int, str, int, str]] = [
    ("claude-sonnet-4-6", 200, 200, "auto", 64, CLAUDE),
    ("claude-sonnet-4-6", 1092, 1092, "auto", 1521, CLAUDE),
    ("claude-sonnet-4-6", 1920, 1080, "auto", 1560, CLAUDE),
    ("claude-sonnet-4-6", 3840, 2160, "auto", 1560, CLAUDE),
    ("claude-sonnet-4-6", 1075, 1520, "auto", 33 * 47, CLAUDE),  # resized to 924×1307
    ("claude-opus-4-8", 1920, 1080, "auto", 2691, CLAUDE),
    ("us.anthropic.claude-opus-4-8", 2000, 1500, "auto", 3888, CLAUDE),
    ("claude-opus-4.8", 3840, 2160, "auto", 4784, CLAUDE),
    ("gpt-4o", 1024, 1024, "high", 765, VISION),
    ("gpt-4o", 4096, 8192, "low", 85, VISION),
    ("gpt-5.4", 1024, 1024, "high", 1229, VISION),
    ("gpt-5.4", 2048, 2048, "high", 3000, VISION),
    ("gpt-6-astra", 4096, 512, "auto", 2458, VISION),
    ("gpt-5.5", 8000, 8000, "auto", 12_000, VISION),
    ("gpt-6-astra", 256, 256, "auto", 77, MEASURED),
    ("gpt-6-astra", 3840, 2160, "high", 2931, MEASURED),
    ("gpt-6-astra", 4032, 3024, "high", 2942, MEASURED),
    ("gpt-5.5", 4032, 3024, "auto", 11_868, MEASURED),
    ("gpt-4.1", 2049, 513, "high", 1445, BILLED),  # 1,453 with the words beside it
    ("gpt-4.1", 2050, 513, "high", 765, BILLED),
    ("gemini-2.5-flash", 384, 384, "auto", 258, GEMINI),
    ("gemini-2.5-flash", 960, 540, "auto", 6 * 258, GEMINI),
    ("gemini-3-pro", 4000, 3000, "auto", 1120, GEMINI),
    ("moonshotai/Kimi-K2.5", 1024, 1024, "auto", 74 * 74, HOST),  # 5,329 there: not rounded up
    ("grok-4", 4000, 3000, "auto", 1792, XAI),
    ("gemini-3-pro", 4000, 3000, "MEDIA_RESOLUTION_LOW", 280, GEMINI),
    ("gemini-3-pro", 4000, 3000, "MEDIA_RESOLUTION_ULTRA_HIGH", 2240, GEMINI),
]


def image(width: int = 0, height: int = 0) -> Media:
    """An image of so many pixels."""
    return Media("image/png", 100_000, width=width, height=height)


@all_cases(("model", "width", "height", "detail", "counted", "source"), PUBLISHED)
def test_published_figures(
    model: str, width: int, height: int, detail: str, counted: int, source: str
) -> None:
    """Every published figure is met to the token, through whatever host the model is named."""
    assert payload_tokens(image(width, height), "any", model, detail) == counted, source


@all_cases(
    ("media", "model", "counted"),
    [
        # platform.claude.com, "PDF support": up to 3,000 of text a page, and its picture.
        (Media("application/pdf", 9, pages=12), "claude-sonnet-4-6", 12 * (3000 + 1568)),
        (Media("application/pdf", 9), "claude-opus-5", 3000 + 1568),
        (Media("application/pdf", 99_999), "claude-opus-5", 25 * (3000 + 1568)),
        (Media("application/pdf", 10**9), "claude-opus-5", 600 * (3000 + 1568)),
        # ai.google.dev, "Document processing".
        (Media("application/pdf", 9, pages=1), "gemini-2.5-pro", 258),
        (Media("application/pdf", 9, pages=2), "gemini-3-pro", 2 * 560),
        (Media("application/pdf", 10**9), "gemini-2.5-pro", 258_000),
        # developers.openai.com, "File inputs": text and a picture of every page.
        (Media("application/pdf", 9, pages=1), "gpt-4o", 3000 + 1445),
        (Media("application/pdf", 9, pages=1), "", 3000 + 3000),
        (Media("text/plain", 5), "gpt-6-astra", 5),
        (Media("audio/wav", 7500), "gemini-2.5-pro", 320),
        (Media("audio/wav", 0), "gpt-4o-audio-preview", 342_000),
        (Media("video/mp4", 1), "gemini-3-pro", 305),
    ],
)
def test_documents_and_sounds(media: Media, model: str, counted: int) -> None:
    """Pages by the page, text by the byte, sound by the second, and the most where unknown."""
    assert payload_tokens(media, "any", model) == counted


def test_who_made_a_model_counts_more_than_where_it_is_hosted() -> None:
    """A Claude through Chat Completions costs what Claude costs; a format alone, its maker's."""
    assert payload_tokens(image(200, 200), "openai", "anthropic/claude-opus-4.8") == 64
    assert media_rates_of("gemini") is media_rates_of("google") is UNKNOWN["google"]
    assert media_rates_of("responses") is media_rates_of("openai") is UNKNOWN["openai"]
    assert media_rates_of("any") is media_rates_of("") is ANY


EVERY = [*ROWS.items()]


@given(
    st.sampled_from([row for _, rows in EVERY for _, row in rows] + [ANY, *UNKNOWN.values()]),
    st.integers(1, 9000),
    st.integers(1, 9000),
    st.sampled_from(["auto", "low", "high", "original", "medium", "", "?"]),
)
def test_unknown_pixels_cost_as_much_as_any(
    row: MediaRates, width: int, height: int, detail: str
) -> None:
    """No image a provider takes costs more than one whose pixels are unknown."""
    most = row.image(0, 0, detail)
    refused = -(-width // 32) * -(-height // 32) > 30_000
    assert refused or 0 < row.image(width, height, detail) <= most


def test_a_document_whose_text_was_counted() -> None:
    """Its text takes what it is, its pictures what is published; without it each page the most."""
    media = Media("application/pdf", 1_400, pages=4)
    for model, most, counted in (("claude-sonnet-4-5", 18_272, 6_772), ("gemini-3", 2_240, 2_240)):
        assert payload_tokens(media, "any", model) == most
        assert payload_tokens(media, "any", model, text=500) == counted
