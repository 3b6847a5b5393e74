"""Reads errors that say "too long": the context length they state, and the size they counted.

Three questions are asked, in this order. Does a status or a word tell of another kind of failure,
such as a rate limit? Then no other words make the error an overflow. Is the status 413, or does a
text match a pattern of `SAID`? Which numbers does the text name? Every pattern comes from a real
message; the tests hold the message, and where it was seen.

`size` is taken for the provider's count of the last request, so it must be the prompt alone. If a
message gives the sum of prompt and reply, the sum is used only if it also names the parts. Two
numbers are no counts of the prompt: vLLM stops counting one above what fits ("at least", "You
passed"), and LM Studio names the tokens it would have kept.

However large a body is, only the first `READ` characters of a text are read, and patterns try a
number only at its beginning: the work is linear."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from loom.lazy import lazy_re
from loom_partitions.limits import MediaLimits

READ = 20_000
TOO_LARGE = 413
# Statuses of failures that a shorter request does not heal.
OTHER = frozenset({401, 402, 403, 404, 405, 408, 409, 429})
# No model takes less, none takes more: anything else is a misread number, or not a length at all.
LEAST, MOST = 256, 100_000_000

LIMIT = r"(?P<limit>\d[\d,_]*)"
SIZE = r"(?P<size>(?<![\d,_])\d[\d,_]*)"


def _compile_patterns(*texts: str) -> tuple[re.Pattern[str], ...]:
    return tuple(lazy_re(text, re.IGNORECASE | re.ASCII) for text in texts)


# Each says that the request was too long; some say by how much.
SAID = _compile_patterns(
    # OpenAI, and those who speak as it does: Azure, DeepSeek, OpenRouter, Fireworks, SGLang, vLLM
    rf"maximum context length(?: is| of|:)? \(?{LIMIT}",
    r"context[_ ]length[_ ](?:has been )?exceeded",
    r"exceeds? (?:the |this )?(?:available )?(?:model(?:'s)? )?(?:maximum )?"
    rf"context (?:window|size|length)(?: of)?(?: \(?{LIMIT})?",
    rf"input tokens exceed the configured limit of {LIMIT}",
    r"reduce the length of the messages",
    # Anthropic
    rf"prompt is too long(?:: {SIZE}(?: tokens > {LIMIT} maximum)?)?",
    rf"exceed context limit:\s{{1,8}}{SIZE} \+ [\d,_]+ > {LIMIT}",
    r"request_too_large",
    # Google
    rf"input token count(?: \({SIZE}\))? exceeds the maximum number of tokens allowed"
    rf"(?: \(?{LIMIT})?",
    rf"input token count is {SIZE} but model only supports up to {LIMIT}",
    # Amazon Bedrock
    r"input is too long for (?:the )?requested model",
    rf"too many input tokens\. max input tokens: {LIMIT}, request input token count: {SIZE}",
    # Mistral, Cohere, xAI, Cerebras, Moonshot, Alibaba, MiniMax, Z.ai, GitHub
    rf"too large for model with {LIMIT} maximum context length",
    rf"total number of tokens \(prompt and prediction\) cannot exceed {LIMIT}",
    r"too many tokens: size limit exceeded by",
    rf"maximum prompt length is {LIMIT} but the request contains {SIZE} tokens",
    rf"current length is [\d,_]+ while limit is {LIMIT}",
    rf"exceeded model token limit: {LIMIT}",
    rf"range of input length should be \[\d+, ?{LIMIT}\]",
    r"context window exceeds limit",
    r"model_context_window_exceeded",
    rf"prompt token count of {SIZE} exceeds the limit of {LIMIT}",
    # vLLM, SGLang, Text Generation Inference, llama.cpp, Ollama, LM Studio
    rf"longer than the maximum model length of {LIMIT}",
    rf"too long to fit into the model \(context length {LIMIT}",
    rf"context length (?:is|of) only {LIMIT}",
    r"max_tokens must be at least 1, got -\d",  # what the prompt leaves
    rf"longer than the model's context length \({LIMIT}",
    rf"exceeds the maximum allowed (?:input )?length(?: of)? \(?{LIMIT}",
    rf"`inputs` tokens \+ `max_new_tokens` must be <= {LIMIT}",
    rf"`inputs` must have less than {LIMIT} tokens",
    r"exceed_context_size_error",
    r"prompt too long; exceeded (?:max )?context length",
    r"greater than the context length",
    rf"reached context length of {LIMIT} tokens",
    # LiteLLM, and web servers
    r"ContextWindowExceeded",
    r"\b413 (?:request entity|payload|content) too large",
)
# What more such a message tells. The first group of a name that is found counts.
COUNTED = _compile_patterns(
    rf"messages resulted in {SIZE} tokens",
    rf"your request has {SIZE} input tokens",
    rf"prompt contains {SIZE} tokens",
    rf"prompt \((?:total )?length {SIZE}\)",
    rf"prompt length of {SIZE} is longer",
    rf"input length \(?{SIZE}",
    rf"(?:request|input) \({SIZE} tokens\)",
    rf"requested tokens \({SIZE}\)",
    rf"given: {SIZE}",
    rf"n_prompt_tokens\W{{1,8}}{SIZE}",
    rf"n_ctx\W{{1,8}}{LIMIT}",
    rf"limit for this model is {LIMIT} tokens",
)
# The parts of a prompt: "(194895 of text input, 10398 of tool input, 51200 in the output)".
_PART = (
    r"\d[\d,_]* (?:in the messages|in your prompt|in the functions|of \w{1,16} input"
    r"|tokens from the input messages)"
)
PARTS = _compile_patterns(rf"(?<![\d,_]){_PART}(?:(?:,| and|, and) {_PART}){{0,7}}")[0]
NUMBER = lazy_re(r"\d[\d,_]*", re.ASCII)
# Each says that images or documents were too many, or too large. `many` comes with a limit that
# holds above so many images alone: platform.claude.com, "Images and vision".
_COUNT = r"(?P<images>\d[\d,]*)"
MEDIA = _compile_patterns(
    # Anthropic
    r"image dimensions? exceeds? max(?:imum)? allowed size for (?P<many>many)-image requests:"
    r" (?P<many_side>\d[\d,]*)",
    r"image dimensions? exceeds? max(?:imum)? allowed size: (?P<side>\d[\d,]*)",
    rf"too many images and documents: \d+ \+ \d+ > {_COUNT}",
    rf"too much media: \d+ document pages \+ \d+ images > {_COUNT}",
    r"maximum of (?P<pages>\d[\d,]*) PDF pages",
    r"image exceeds [\d.]+ MB maximum: \d+ bytes > (?P<size>\d[\d,]*) bytes",
    # Google
    r"exceeds the (?:supported |maximum )?page limit of (?P<pages>\d[\d,]*)",
    # Azure, vLLM, GitHub, MiniMax, LiteLLM, and whoever says less
    rf"maximum number of images \({_COUNT}\)",
    rf"at most {_COUNT} image",
    rf"you set(?: or defaulted to)? image={_COUNT}",
    rf"too many images.{{0,120}}?(?:maximum of|max is|up to|limit of|limit is) {_COUNT}",
    rf"contains \d+ images, exceeding the maximum of {_COUNT}",
    rf"image count \d+ exceeds limit {_COUNT}",
    r"too many images",
)
MANY = 20
LESS = 0.75  # of what was sent, where nobody says how many are taken
RATE = _compile_patterns(
    r"\brate[ _]limit|RateLimitError|tokens per min|too many requests|throttl(?:ing|ed)"
)[0]


class Overflow(Struct, frozen=True):
    """The sizes that an error names for a request that was too long. `limit` is the context length
    and `size` the prompt's size, in the provider's tokens; 0 means not stated. `media` holds the
    limits on images and documents: None if the error is not about images or documents,
    `MediaLimits()` if it states no limit."""

    limit: int = 0
    size: int = 0
    media: MediaLimits | None = None

    def media_limits_after(self, sent: int) -> MediaLimits | None:
        """Return the limits on images and documents to keep after a request with `sent` images was
        refused; None if the error is not about images or documents. If the error states no limit,
        the limit is `LESS` × `sent` images."""
        if self.media != MediaLimits():
            return self.media
        return MediaLimits(images=max(int(sent * LESS), 1))


def read_overflow(error: BaseException) -> Overflow | None:
    """Return an Overflow if the error says that a request was too long; else None."""
    said = set(http_statuses(error))
    if said & OTHER:
        return None
    found = Overflow() if TOO_LARGE in said else None
    for text in _error_texts(error):
        if RATE.search(text):
            return found  # the limit it names is of a minute, not of the context
        told = _overflow_in_text(text)
        if told is not None:
            known = found or told
            found = Overflow(
                known.limit or told.limit, known.size or told.size, known.media or told.media
            )
    return found


def _overflow_in_text(text: str) -> Overflow | None:
    """Return an Overflow if a text says that a request was too long, or had too many images or
    documents; else None."""
    said = [match for pattern in SAID if (match := pattern.search(text))]
    if not said:
        return _media_overflow(text)
    said += [match for pattern in COUNTED if (match := pattern.search(text))]
    size = _first_number(said, "size", 1)
    if not size and (parts := PARTS.search(text)):
        total = sum(_parse_number(digits) for digits in NUMBER.findall(parts[0]))
        size = total if total <= MOST else 0
    return Overflow(_first_number(said, "limit", LEAST), size)


def _media_overflow(text: str) -> Overflow | None:
    """Return an Overflow with the limits stated by a text which says that images or documents were
    too many or too large; None for any other text."""
    for pattern in MEDIA:
        if match := pattern.search(text):
            told = {
                name: MANY if name == "many" else _parse_number(digits)
                for name, digits in match.groupdict().items()
                if digits
            }
            return Overflow(media=MediaLimits(**told))
    return None


def _first_number(said: Iterable[re.Match[str]], name: str, least: int) -> int:
    """Return the first number from `least` to `MOST` in the groups `name` of the matches; 0 if
    there is none."""
    given = (match.groupdict().get(name) for match in said)
    numbers = (_parse_number(digits) for digits in given if digits)
    return next((number for number in numbers if least <= number <= MOST), 0)


def _parse_number(digits: str) -> int:
    """Return the number that digits with separators stand for: `"128,000"` → 128000. For too many
    digits, `MOST` + 1."""
    plain = digits.replace(",", "").replace("_", "")
    return int(plain) if len(plain) <= len(str(MOST)) else MOST + 1


def http_statuses(error: BaseException) -> Iterator[int]:
    """Yield each HTTP status in an error, from any provider's library."""
    response = _read_attribute(error, "response")
    held: list[object] = [
        _read_attribute(error, name) for name in ("status_code", "status", "code")
    ]
    if isinstance(response, Mapping):  # botocore
        meta = response.get("ResponseMetadata")
        held.append(meta.get("HTTPStatusCode") if isinstance(meta, Mapping) else None)
    else:
        held += [_read_attribute(response, "status_code"), _read_attribute(response, "status")]
    for status in held:
        if isinstance(status, int) or (isinstance(status, str) and re.fullmatch(r"\d{3}", status)):
            yield int(status)


def _error_texts(error: BaseException) -> Iterator[str]:
    """Yield an error's texts (message, body, …), each once and cut to `READ` characters."""
    response = _read_attribute(error, "response")
    bare = response.get("Error") if isinstance(response, Mapping) else None
    held = (_read_attribute(error, name) for name in ("message", "code", "type", "body", "details"))
    seen: set[str] = set()
    for value in (error, *held, bare, None if bare else _read_attribute(response, "text")):
        text = _text_of_value(value)
        if text and text not in seen:
            seen.add(text)
            yield text


def _text_of_value(value: object) -> str:
    """Return a value as text, cut to `READ` characters; "" for None and for a method."""
    if value is None or callable(value):
        return ""
    try:
        if isinstance(value, bytes):
            return value[:READ].decode("utf-8", "replace")
        text = str(value)[:READ]
    except Exception:  # a foreign `__str__`
        text = ""
    return f"{type(value).__name__}: {text}" if isinstance(value, BaseException) else text


def _read_attribute(value: object, name: str) -> object:
    """Return an object's attribute; None if it is missing or if reading it raises."""
    try:
        return getattr(value, name, None)
    except Exception:  # properties of foreign objects raise what they like
        return None
