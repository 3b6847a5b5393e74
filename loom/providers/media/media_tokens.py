"""Upper bounds of the input tokens that a payload costs, before a provider has counted it.

The bound is the provider's published rule, if known. If pixels, pages or the model are unknown, it
is the most that the rule can give. So a request may hold less than it could, but is never too
large. Bytes are never counted as the base64 they are sent in; a provider charges for what the model
sees.

The limits that providers set on images and documents in one request are here, too. If a host of a
model allows less than the model's maker says, Loom learns the limit from the host's refusal
(`loom.providers.overflow`).

The tables are by family and model name, as published in 2025 and up to September 2026; the page and
its date are named beside each row. Prefixes work as in `loom.providers.table`: the longest that
fits counts, and later models are like the latest."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from loom.providers.media.formulas import (
    Formula,
    ImageLimits,
    crop_formula,
    fixed_formula,
    grid_formula,
    largest_formula,
    patch_formula,
    tile_formula,
)
from loom.providers.media.inspect import Media
from loom.providers.table import best_row_for, claude_prefixes, provider_of
from loom_partitions.limits import MediaLimits

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


def payload_tokens(
    media: Media, provider: str, model: str = "", detail: str = "auto", text: int = -1
) -> int:
    """Return an upper bound of the input tokens that a payload costs.

    `provider` is the name of a provider (`anthropic`, `openai`, `google`, …, `any`) or of a format,
    used if the maker of `model` is unknown. `detail` is OpenAI's (`low`, `high`, `original`,
    `auto`) or Gemini's media resolution. `text` is the number of tokens in the text of a PDF; -1
    means not counted.

    A payload of unknown size (pixels, pages) costs the most that it can. A text, or a file of an
    unknown kind, costs one token a byte."""
    row = media_rates_of(provider, model)
    level = detail.lower().removeprefix(_PREFIX)
    match media.kind:
        case "image":
            return row.image(media.width, media.height, level)
        case "pdf":
            held = media.size // PAGE_BYTES + 1 if media.size else row.pages
            count = media.pages or min(held, row.pages)
            told = count * row.text if text < 0 or not row.text else text
            return count * (row.page or row.image)(0, 0, level) + told
        case "audio" | "video" as kind:
            longest = LONGEST[kind]
            seconds = min(-(-media.size // THINNEST), longest) if media.size else longest
            return seconds * (row.audio if kind == "audio" else row.video)
        case _:
            page = row.text or (row.page or row.image)(0, 0, level)
            return media.size or (media.pages or row.pages) * page


def with_usual_size(media: Media) -> Media:
    """Return the description of a remote payload, with the usual size for its kind if no size is
    known."""
    if media.size or media.width or media.pages:
        return media
    if media.kind == "image":
        return replace(media, width=USUAL_SIDES[0], height=USUAL_SIDES[1])
    if media.kind in LONGEST:
        return replace(media, size=USUAL_SECONDS * THINNEST)
    return replace(media, pages=USUAL_PAGES)


def media_rates_of(provider: str, model: str = "") -> MediaRates:
    """Return what payloads cost with a model. `provider` is the name of a provider or a format,
    used if the maker of `model` is unknown."""
    made = provider_of(model).name
    family = FAMILIES.get(provider, provider) if made == "any" else made
    return best_row_for(model, ROWS.get(family, ())) or UNKNOWN.get(family, ANY)


# platform.claude.com, "Images and vision" and "PDF support": 600 images or pages of PDFs a request,
# 100 for models with a window of 200,000 tokens; no side over 8,000 pixels, none over 2,000 in a
# request of more than 20 images. Pages of PDFs and images count together: a request is refused with
# "Too much media: 0 document pages + 103 images > 100" (anthropics/claude-code#3397).
STRICT = MediaLimits(images=600, pages=600, side=8_000, many=20, many_side=2_000)
SMALL, SMALL_IMAGES = 200_000, 100
LIMITS = {
    "anthropic": STRICT,
    # developers.openai.com, "Images and vision": 1,500 images a request.
    "openai": MediaLimits(images=1_500),
    # ai.google.dev, "Image understanding" (3,600 images) and "Document understanding" (1,000 pages
    # of a document).
    "google": MediaLimits(images=3_600, pages=1_000),
    # Who gets the request is not known: it may be the strictest.
    "any": STRICT,
}


def media_limits_of(model: str, window: int) -> MediaLimits:
    """Return the limits on images and documents in one request. `window` is the size of the model's
    window in tokens."""
    row = LIMITS.get(provider_of(model).name, MediaLimits())
    if row is not STRICT or window > SMALL:
        return row
    return replace(row, images=SMALL_IMAGES, pages=SMALL_IMAGES)


TEXT = 3_000  # tokens of the text of a page: Anthropic's figure (1,500 to 3,000); no other has one


class MediaRates(Struct, frozen=True, kw_only=True):
    """The tokens that payloads cost with one family of models. `image` is the rule for an image. A
    PDF page costs `text` tokens for its text, plus the tokens of its picture by the rule `page`;
    None means those of an image of unknown pixels. `pages` is the most pages that a request takes.
    `audio` and `video` are tokens a second."""

    image: Formula
    page: Formula | None = None
    text: int = TEXT
    pages: int = 1_000
    audio: int = 32
    video: int = 300


# developers.openai.com, "Images and vision", "Model sizing behavior" and "Calculating costs".
# GPT-5.6 and GPT-6 as of September 2026: no budget at `original` and `auto`, and a refusal above
# 30,000 patches (Prism-Shadow/agenthub#194). GPT-5.5, 5.4, 5.2 as of August 2026; before, the
# budget of the smaller ones was 1,536 patches and more. One token of rounding is left open there.
# `high` is said to fit into 2,048 pixels as well, but 3,840×2,160 was measured at 2,931 tokens on
# GPT-6 (huggingface.co/datasets/JOHNISKING/image-token-cost), which is the budget without that.
_HIGH = ImageLimits(65_535, 2_500)
_OLDER = {"": ImageLimits(2_048, 6_144)}
LATEST = patch_formula(120, {"": ImageLimits(65_535), "high": _HIGH, "low": ImageLimits(512)})
# 2025, the same page: squares of 512 pixels.
TILES = tile_formula(85, 170)
# developers.openai.com, "File inputs": text and a picture of each page, which takes `low` or
# `high`. How large the pictures are is not said. Audio: a token for 100 ms, "Realtime costs".
_PAGES = {"": _HIGH, "low": ImageLimits(2_048, 6_144)}


_PAGE = patch_formula(120, _PAGES)


def _openai_rates(image: Formula, page: Formula | None = None) -> MediaRates:
    """Return the MediaRates of OpenAI models. `image` is the rule for an image, `page` for the
    picture of a PDF page (None: the rule `image`)."""
    return MediaRates(image=image, page=page or image, audio=10)


OPENAI = _openai_rates(LATEST, _PAGE)
_LARGE = ImageLimits(6_000, 10_000)
_54 = patch_formula(120, {**_PAGES, "original": _LARGE})
_55 = patch_formula(120, {"": _LARGE, "high": _HIGH, "low": ImageLimits(512)})

# platform.claude.com, "Images and vision", 2026: a token for 28² pixels, after an image was scaled
# into 1,568 pixels and tokens; since Opus 4.7 and Sonnet 5 into 2,576 pixels and 4,784 tokens. The
# rule of before, width × height ÷ 750, says less for small images. "PDF support": up to 600 pages,
# each 1,500 to 3,000 tokens of text, and its picture. How large that is is not said; three pages
# take about 7,000 tokens in all, so no more than an image of 1,568 pixels.
_STANDARD = MediaRates(image=grid_formula(1_568, 1_568), pages=600)
ANTHROPIC = MediaRates(image=grid_formula(2_576, 4_784), page=_STANDARD.image, pages=600)

# ai.google.dev, "Media resolution", 2026: Gemini 3 counts by the resolution asked for, whatever the
# pixels; the text of a PDF is not charged ("Document understanding"). Audio 25 tokens a second,
# video at most 280 a frame.
GOOGLE = MediaRates(
    image=fixed_formula({"": 1_120, "low": 280, "medium": 560, "high": 1_120, "ultra_high": 2_240}),
    page=fixed_formula({"": 560, "low": 280, "medium": 560, "high": 1_120, "ultra_high": 1_120}),
    text=0, audio=25, video=305,
)  # fmt: skip
# ai.google.dev, "Understand and count tokens" and "Image understanding", 2025; the bounds of a crop
# from cloud.google.com, "Image understanding". 64 at low resolution: "Media resolution".
_CROPPED = MediaRates(
    image=crop_formula(258, {"low": 64, "medium": 258}), page=fixed_formula({"": 258}), text=0
)

# Open weights, hosted by many: the makers' own processors cut patches of 14 pixels and merge four
# of them; Qwen's takes 16,384 at most (huggingface.co, "Qwen2.5-VL-7B-Instruct", 2025).
OPEN = MediaRates(image=grid_formula(2**31, 16_384))
# A host counts one token for each of Kimi's 14² pixels (docs.baseten.co, "Vision", 2026).
_KIMI = MediaRates(image=grid_formula(2**31, 16_384, 14))
# docs.together.ai, "Vision", 2026: Llama has up to four squares of 560 pixels of 1,601 tokens.
_LLAMA = MediaRates(image=largest_formula(fixed_formula({"": 4 * 1_601}), OPEN.image))

# Of every family the rule of its latest models. GPT-4o mini, whose image tokens are 33 times those
# of GPT-4o at a 16th of the price, counts by name only.
ANY = MediaRates(
    image=largest_formula(LATEST, TILES, ANTHROPIC.image, GOOGLE.image, OPEN.image),
    page=largest_formula(_PAGE, TILES, _STANDARD.image),  # who takes a PDF as it is
    video=305,
)


def _rows_by_prefix(
    *rows: tuple[MediaRates, tuple[str, ...]],
) -> tuple[tuple[str, MediaRates], ...]:
    """Return (prefix, rates) for each prefix. `rows` are (rates, prefixes of model names)."""
    return tuple((prefix, rates) for rates, prefixes in rows for prefix in prefixes)


ROWS = {
    "anthropic": _rows_by_prefix(
        (_STANDARD, ("claude-2", "claude-3", "claude-instant")),
        (_STANDARD, ("claude-opus-4", "claude-sonnet-4", "claude-haiku-4")),
        (ANTHROPIC, ("claude", *claude_prefixes("opus-4", "789"))),
    ),
    "openai": _rows_by_prefix(
        (OPENAI, ("gpt-5.6", "gpt-6")),
        (_openai_rates(_55, _PAGE), ("gpt-5.5",)),
        (_openai_rates(_54, _PAGE), ("gpt-5.4",)),
        (_openai_rates(patch_formula(120, _OLDER)), ("gpt-5.3", "gpt-5.2", "gpt-5-mini")),
        (_openai_rates(patch_formula(150, _OLDER)), ("gpt-5-nano",)),
        (
            _openai_rates(patch_formula(162, _OLDER)),
            ("gpt-5-codex-mini", "gpt-5.1-codex-mini", "gpt-4.1-mini"),
        ),
        (_openai_rates(patch_formula(246, _OLDER)), ("gpt-4.1-nano",)),
        (_openai_rates(patch_formula(172, _OLDER)), ("o4-mini", "codex-mini")),
        (_openai_rates(tile_formula(70, 140)), ("gpt-5",)),
        (_openai_rates(tile_formula(2_833, 5_667)), ("gpt-4o-mini",)),
        (_openai_rates(TILES), ("gpt-4", "chatgpt-4o")),
        (_openai_rates(tile_formula(75, 150)), ("o1", "o3")),
    ),
    "google": _rows_by_prefix((_CROPPED, ("gemini-1", "gemini-2")), (GOOGLE, ("gemini",))),
    # docs.x.ai, "Image understanding", 2025: (squares of 448 pixels + 1) × 256, below 1,792.
    "xai": _rows_by_prefix((MediaRates(image=fixed_formula({"": 1_792})), ("grok",))),
    # Pixtral scales into 1,024 pixels and has a token for 16² of them (its processor's defaults);
    # later models into 1,540, and 28² (huggingface/transformers#36790). One more ends every row.
    "mistral": _rows_by_prefix(
        (MediaRates(image=fixed_formula({"": 64 * 65})), ("pixtral", "mistral"))
    ),
    # docs.cohere.com, "Image inputs", 2025: 256 for each square of 512 in 1,536×2,048, and for one
    # preview; for that alone at low detail.
    "cohere": _rows_by_prefix(
        (MediaRates(image=fixed_formula({"": 13 * 256, "low": 256})), ("command",))
    ),
    "open": _rows_by_prefix((_LLAMA, ("llama", "meta-llama")), (_KIMI, ("kimi", "moonshot"))),
}
# A model that no row names.
UNKNOWN: dict[str, MediaRates] = {
    "anthropic": ANTHROPIC,
    "openai": MediaRates(image=largest_formula(LATEST, TILES), page=_PAGE, audio=10),
    "google": GOOGLE,
    "open": OPEN,
}
