"""Images and documents beyond the limits of the provider leave the window, the oldest first; the
lines that describe them stay.

An image that leaves changes all that stands behind it in the request. So where one has to leave,
older ones leave down to a share of the limit, and the next requests need no such cut. An image that
came in since the last reply stays as long as the limit itself allows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from loom_partitions.edits import Shortened
from loom_partitions.history import pinned_entries
from loom_partitions.limits import MediaLimits
from loom_partitions.message import Attachment, Detail, Text, UserTurn
from loom_partitions.window import Window

SHARE = 0.75  # of a limit that is left, so that one cut serves some turns


def entries_with_media(window: Window) -> list[UserTurn]:
    """Return the entries whose image or document is sent to the provider, newest first."""
    entries = window.history.stream.entries_back
    return [entry for entry in entries if isinstance(entry, UserTurn) and sent_media(entry)]


def edits_within_media_limits(window: Window, limits: MediaLimits) -> tuple[Shortened, ...]:
    """Return edits that remove images and documents until the window is within the provider's
    limits; () for none."""
    standing = entries_with_media(window)
    pins = pinned_entries(window.history)
    standing.sort(key=lambda entry: entry.id not in pins)  # the pinned first, each newest first
    new = {entry.id for entry in window.history.stream.unanswered} | pins
    if len(_ids_within_limits(standing, limits, {entry.id for entry in standing})) == len(standing):
        return ()
    kept = _ids_within_limits(standing, limits, new)
    return tuple(
        Shortened(entry.id, "user", 0, without_media(entry.text))
        for entry in standing
        if entry.id not in kept | pins
    )


def without_media(text: Text) -> Text:
    """Return the text without its image or document, whose line of description stays."""
    beside = text.media.tokens if text.media else 0
    return replace(text, tokens=text.tokens - beside, media=None)


def sent_media(entry: object) -> Attachment | None:
    """Return the image or document that is sent with an entry; None if there is none."""
    if isinstance(entry, UserTurn) and entry.detail < Detail.REDUCED:
        return entry.text.media
    return None


def _ids_within_limits(
    standing: Sequence[UserTurn], limits: MediaLimits, whole: Collection[int]
) -> frozenset[int]:
    """Return the ids of the entries whose image or document can stay within the limits. Entries
    with ids in `whole` may use the full limits, others only the fraction SHARE."""
    kept: set[int] = set()
    images = units = 0
    large = False
    for entry in standing:
        media = sent_media(entry)
        assert media is not None
        share = 1.0 if entry.id in whole else SHARE
        image = media.type.startswith("image/")
        wide = large or 0 < limits.many_side < media.side
        over = (
            0 < limits.images * share < units + max(media.pages, 1),
            image and wide and 0 < limits.many * share < images + 1,
            0 < limits.side < media.side,
            0 < limits.pages < media.pages,
            image and 0 < limits.size < entry.text.size,
        )
        if not any(over):
            kept.add(entry.id)
            images, units, large = images + image, units + max(media.pages, 1), wide
    return frozenset(kept)
