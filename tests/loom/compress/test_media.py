"""Which images and documents leave where a request holds more than its provider takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from loom.compress.media import edits_within_media_limits, entries_with_media
from loom_partitions.edits import apply_edits
from loom_partitions.history import FOREVER
from loom_partitions.limits import MediaLimits
from loom_partitions.message import Attachment, Said, Step, Text, UserTurn
from loom_partitions.stream import Stream
from loom_partitions.window import Window
from tests.kit.cases import all_cases

LIMITS = MediaLimits(images=100, pages=100, side=8_000, many=20, many_side=2_000, size=5_000)


def shown(id: int, side: int = 500, pages: int = 0, size: int = 9) -> UserTurn:
    """An entry with an image, or with a PDF of so many pages."""
    media = Attachment("application/pdf" if pages else "image/png", 50, side=side, pages=pages)
    return UserTurn(id, Text(60, size, "[a line]", f"outputs/image_{id:04d}.png", media=media), 64)


def window(*entries: UserTurn, pins: tuple[int, ...] = (), answered: bool = True) -> Window:
    """A window of entries; the model has answered what came in."""
    last = Step(9_999, (Said(Text(1, 1, "Seen.")),), 5)
    history = Window().history
    stream = Stream.of((*entries, last) if answered else entries, 0)
    pinned = tuple((id, FOREVER) for id in pins)
    return replace(Window(), history=replace(history, stream=stream, pins=pinned))


def left(held: Window, limits: MediaLimits = LIMITS) -> list[int]:
    """The ids of the entries whose images stay, oldest first."""
    items = apply_edits(held.history.stream, edits_within_media_limits(held, limits), 0)
    after = replace(held, history=replace(held.history, stream=Stream.of(items, 0)))
    return [entry.id for entry in reversed(entries_with_media(after))]


@pytest.mark.parametrize("limits", [LIMITS, MediaLimits()])
def test_nothing_leaves_within_limits(limits: MediaLimits) -> None:
    """As many as are taken stay, and all of them where nobody says how many are."""
    assert edits_within_media_limits(window(), limits) == ()
    assert edits_within_media_limits(window(*map(shown, range(1, 101))), limits) == ()
    assert (
        edits_within_media_limits(window(*(shown(id, 3_000) for id in range(1, 21))), limits) == ()
    )


MANY, SMALL = [shown(id) for id in range(1, 102)], [shown(id) for id in range(2, 31)]
# What stands, and which of it stays.
STAYS: dict[str, tuple[Window, list[int]]] = {
    "the newest, a share of the limit: the next requests need no cut": (
        window(*MANY), [*range(27, 102)]),
    "what is new, to the limit itself": (
        window(*map(shown, range(1, 131)), answered=False), [*range(31, 131)]),
    "all but a large one among the oldest": (window(shown(1, 2_500), *SMALL), [*range(2, 31)]),
    "few, with a large one among the newest": (
        window(*SMALL, shown(31, 2_500)), [*range(17, 32)]),
    "large ones that are new, to the limit": (
        window(*(shown(id, 2_500) for id in range(1, 26)), answered=False), [*range(6, 26)]),
    "pages of a PDF, each an image": (
        window(shown(1, pages=60), *map(shown, range(2, 50))), [*range(2, 50)]),
    "a document of no more pages than are taken": (
        window(shown(1, pages=101), shown(2, pages=60)), [2]),
    "none too large, by a side or by bytes": (
        window(shown(1), shown(2, 8_001), shown(3, size=5_001), shown(4)), [1, 4]),
    "what the host pinned, to which others give way": (
        window(*MANY, pins=(1,)), [1, *range(28, 102)]),
}  # fmt: skip


@all_cases("what", STAYS)
def test_what_stays(what: str) -> None:
    """Of more than is taken the oldest leave first."""
    held, stays = STAYS[what]
    assert left(held) == stays


@given(
    st.lists(st.tuples(st.integers(1, 9_000), st.integers(0, 120), st.booleans()), max_size=140),
    st.booleans(),
)
def test_any_images_come_within_limits(given: list[tuple[int, int, bool]], answered: bool) -> None:
    """Whatever stands in a window, what is left is taken, and is taken again as it is."""
    entries = [shown(at, side, pages * pdf) for at, (side, pages, pdf) in enumerate(given, 1)]
    kept = {*left(window(*entries, answered=answered))}
    stays = [entry for entry in entries if entry.id in kept]
    media = [entry.text.media for entry in stays if entry.text.media is not None]
    images = [one for one in media if one.type == "image/png"]
    assert sum(max(one.pages, 1) for one in media) <= 100
    assert all(one.side <= 8_000 and one.pages <= 100 for one in media)
    assert len(images) <= 20 or max(one.side for one in images) <= 2_000
    assert edits_within_media_limits(window(*stays, answered=answered), LIMITS) == ()
