"""Which images and documents leave where a request holds more than its provider takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from loom.compress.media import media_beyond, media_standing
from loom_partitions.edits import carried_out
from loom_partitions.history import FOREVER
from loom_partitions.limits import MediaLimits
from loom_partitions.message import Attachment, Said, Step, Text, UserTurn
from loom_partitions.stream import Stream
from loom_partitions.window import Window

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
    items = carried_out(held.history.stream, media_beyond(held, limits), 0)
    after = replace(held, history=replace(held.history, stream=Stream.of(items, 0)))
    return [entry.id for entry in reversed(media_standing(after))]


@pytest.mark.parametrize("limits", [LIMITS, MediaLimits()])
def test_nothing_leaves_within_limits(limits: MediaLimits) -> None:
    """As many as are taken stay, and all of them where nobody says how many are."""
    assert media_beyond(window(), limits) == ()
    assert media_beyond(window(*map(shown, range(1, 101))), limits) == ()
    assert media_beyond(window(*(shown(id, 3_000) for id in range(1, 21))), limits) == ()


def test_the_oldest_leave_first() -> None:
    """The newest stay, within a share of the limit so that the next requests need no cut."""
    assert left(window(*map(shown, range(1, 102)))) == list(range(27, 102))


def test_what_is_new_stays_to_the_limit() -> None:
    """What the model has not answered yet leaves only where the limit itself forbids it."""
    assert left(window(*map(shown, range(1, 131)), answered=False)) == list(range(31, 131))


def test_large_images_among_many() -> None:
    """With a large one among the newest, few stay; a large one among the oldest leaves alone."""
    small = [shown(id) for id in range(2, 31)]
    assert left(window(shown(1, 2_500), *small)) == list(range(2, 31))
    assert left(window(*small, shown(31, 2_500)), LIMITS) == list(range(17, 32))
    assert left(window(*(shown(id, 2_500) for id in range(1, 26)), answered=False)) == list(
        range(6, 26)
    )


def test_pages_count_as_images() -> None:
    """Each page of a PDF is an image of the request, and a document has so many at most."""
    assert left(window(shown(1, pages=60), *map(shown, range(2, 50)))) == list(range(2, 50))
    assert left(window(shown(1, pages=101), shown(2, pages=60))) == [2]


def test_one_that_is_too_large_leaves() -> None:
    """By a side or by bytes, wherever it stands."""
    assert left(window(shown(1), shown(2, 8_001), shown(3, size=5_001), shown(4))) == [1, 4]


def test_a_pin_stays() -> None:
    """What the host pinned is not cut; the others give way to it."""
    held = window(*map(shown, range(1, 102)), pins=(1,))
    assert left(held)[0] == 1 and len(left(held)) == 75


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
    assert media_beyond(window(*stays, answered=answered), LIMITS) == ()
