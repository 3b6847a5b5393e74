"""Provider formats: they read replies into `loom.inputs`, and write messages into requests.

Each format is a `Format` object. A new format is a module that ends in its Format, and a name in
FORMATS. A plug-in's format is an entry point of the group `loom.formats`; Loom's own are tried
first.

A stream is joined into one reply. A collector takes each chunk as the provider's library yields it,
object or dict, and returns the dict that an unstreamed reply would be. Unknown events and fields
are ignored. Texts are joined once, so the work is linear in the stream's size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from loom.errors import BadInput, unknown_format
from loom.inputs import Reply, Speech
from loom.lazy import lazy_modules
from loom.providers.formats.format import (
    Collector,
    Encoder,
    Format,
    RequestOptions,
    unknown_reply_error,
)
from loom.providers.formats.wire import compact_json, plain_reply
from loom.providers.schema import SHAPES, schema_as_sent

if TYPE_CHECKING:
    from loom.providers import plugins
    from loom.providers.formats import anthropic, gemini, openai, responses
else:
    lazy_modules("loom.providers", "plugins", globals())
    lazy_modules("loom.providers.formats", "anthropic gemini openai responses", globals())

__all__ = [
    "FORMATS", "GROUP", "BadInput", "Collector", "Encoder", "Format", "RequestOptions",
    "collector_for", "declaration_json", "decode", "decode_with_tags", "format_of",
]  # fmt: skip

GROUP = "loom.formats"
_MODULES = {"openai": openai, "responses": responses, "anthropic": anthropic, "gemini": gemini}
FORMATS = tuple(_MODULES)  # Loom's own
# What is given may have several of these shapes: the narrower is asked first.
_ASKED = ("anthropic", "responses", "openai", "gemini")


@cache
def _own_format(name: str) -> Format:
    """Return one of Loom's own formats by name."""
    format: Format = _MODULES[name].FORMAT
    return format


def format_of(name: str) -> Format:
    """Return a format by name. Raises BadInput for an unknown name, LoomError for a bad plug-in."""
    if name in FORMATS:
        return _own_format(name)
    held = plugins.plugin_entry_points(GROUP)
    if name not in held:
        raise unknown_format(name, [*FORMATS, *(other for other in held if other not in FORMATS)])
    return plugins.load_plugin(held[name], Format)


def decode(reply: object, model: str = "") -> Reply:
    """Read a provider's reply into a Loom Reply. `reply` is a dict or object of any known format, a
    plain text, or a Loom Reply, which is returned unchanged. Raises BadInput.

    Reasoning between tags in the text is separated from the answer. Reasoning without a signature
    is kept for sending back only if the model wants that. `model` is the model that was asked, used
    if the reply names no model."""
    from loom.providers.formats.envelope import drop_unrequested_reasoning, split_tagged_reasoning

    if isinstance(reply, Reply):
        return reply
    return drop_unrequested_reasoning(split_tagged_reasoning(decode_with_tags(reply), model), model)


def decode_with_tags(reply: object) -> Reply:
    """Read a provider's reply into a Loom Reply, with reasoning and its tags left in the text.
    Raises BadInput."""
    if isinstance(reply, str):
        return Reply((Speech(reply),) if reply else ())
    found: Format | None = None
    try:
        value = plain_reply(reply)
        found = next(
            _matching_formats(lambda format: format.accepts(value)), None
        ) or plugin_for_reply(reply)
        if found is not None:
            return found.decode(value if found.name in FORMATS else reply_for_plugins(reply))
    except BadInput:
        raise
    except (TypeError, AttributeError, LookupError, ValueError, RecursionError) as error:
        if found is not None and found.name not in FORMATS:
            why = f"its decode raised {type(error).__name__}: {error}"
            raise plugins.bad_plugin_error(GROUP, found.name, why) from error
        # A member of another type than any provider sends, or one nested without end.
        raise unknown_reply_error(reply, _accepted_shapes()) from error
    raise unknown_reply_error(reply, _accepted_shapes())


def collector_for(chunk: object) -> Collector:
    """Return a new, empty collector for the stream that begins with `chunk`. Raises BadInput if no
    format knows the chunk."""
    for format in (
        *_matching_formats(lambda format: format.begins(chunk)),
        *_matching_plugins("begins", chunk),
    ):
        return format.collector()
    further, bad = plugins.load_usable_plugins(GROUP, Format, FORMATS)
    told = [format.streamed for format in (*map(_own_format, _ASKED), *further.values())]
    raise unknown_reply_error(chunk, "; ".join([*told, *map(str, bad)]))


def declaration_json(format: str, document: str) -> str:
    """Return the JSON text that declares a tool in a request of the format named `format`.
    `document` is the JSON text of the tool's schema."""
    shape = SHAPES[format] if format in SHAPES else format_of(format).tool
    return compact_json(shape(schema_as_sent(document)))


def _matching_formats(fits: Callable[[Format], bool]) -> Iterator[Format]:
    """Yield Loom's own formats for which `fits` returns True, strictest first."""
    yield from filter(fits, map(_own_format, _ASKED))


def plugin_for_reply(reply: object) -> Format | None:
    """Return the plug-in format that accepts a reply; None if none does."""
    return next(_matching_plugins("accepts", reply_for_plugins(reply)), None)


def reply_for_plugins(reply: object) -> object:
    """Return a reply as plain dicts and lists, for plug-ins to read. An object that is no reply is
    returned unchanged."""
    return plain_reply(reply) or reply


def _matching_plugins(method: str, value: object) -> Iterator[Format]:
    """Yield the plug-in formats whose method `method` ("accepts" or "begins") returns True for
    `value`. Errors that the method raises are ignored."""
    for format in plugins.load_usable_plugins(GROUP, Format, FORMATS)[0].values():
        fits = False
        with suppress(Exception):
            fits = getattr(format, method)(value)
        if fits:
            yield format


def _accepted_shapes() -> str:
    """Return words for an error: which replies can be read, and which plug-ins are unusable."""
    further, bad = plugins.load_usable_plugins(GROUP, Format, FORMATS)
    told = [format.accepted for format in (*map(_own_format, FORMATS), *further.values())]
    return "; ".join([*told, "a text; or a loom Reply", *map(str, bad)])
