"""Lists of messages that a host keeps, read message by message: a reader for each format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.errors import UnknownFormat
from loom.providers.formats import FORMATS, format_of
from loom.providers.formats.format import UnknownReply
from loom.providers.formats.listing.message import (
    BadMessage,
    ListedMessage,
    ListedResult,
    items_of,
)
from loom.providers.formats.wire import Wire

__all__ = ["BadMessage", "ListedMessage", "ListedResult", "items_of", "listed"]


def listed(format: str, messages: Sequence[Wire], start: int = 0) -> Iterator[ListedMessage]:
    """Read a host's list from a number on.

    Raises UnknownFormat for a format that has no list to read, and BadMessage.
    """
    from loom.providers.formats.listing.readers import LISTINGS

    read = LISTINGS.get(format) or format_of(format).listing
    if read is None:
        raise UnknownFormat(format, [*FORMATS])
    number = start
    try:
        for message in read(messages, start):
            yield message
            number += message.many
    except (UnknownReply, TypeError, AttributeError, LookupError, ValueError) as error:
        # A member of another type than any provider sends, or one nested without end.
        if isinstance(error, BadMessage):
            raise
        raise BadMessage(number, f"no message of the format {format!r} ({error})") from error
    except RecursionError:
        raise BadMessage(number, "nested too deeply to be read") from None
