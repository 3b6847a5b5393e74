"""Names of lost pages are marked in a window, each once."""

from __future__ import annotations

from msgspec.structs import replace

from loom.providers.counts import Sizes, counter_for
from loom.repairing.marked import marked
from loom_partitions.edits import Lowered
from loom_partitions.message import Digest, Text, UserTurn
from loom_partitions.records import Heard, Repaired
from loom_partitions.stream import Stream
from loom_partitions.window import Window, apply

PAGES = {"outputs/read_0001.txt", "outputs/digest_0004.md"}
SIZES = Sizes(counter_for())


def window(text: str) -> Window:
    """A window with one digest, and a message that names a page."""
    turn = UserTurn(9, Text(5, 5, "See read_0001."), 5)
    made = apply(Window(), Heard(turn))
    digest = Digest(3, 1, 3, text, SIZES.count(text + "\n"), "outputs/digest_0004.md")
    stream = Stream.of([digest, *made.history.stream], made.limits.run)
    return replace(made, history=replace(made.history, stream=stream))


def test_names_are_marked_once() -> None:
    """In short and in full, at the end of a sentence, with their lines; a message is left alone."""
    held = window("a.py read_0001 (1-40), read_0001. More: outputs/read_0001.txt, digest_0004")
    [edit] = marked(held, PAGES, SIZES)
    assert isinstance(edit, Lowered) and edit.line == (
        "a.py read_0001 (1-40) [lost], read_0001 [lost]. More: outputs/read_0001.txt [lost],"
        " digest_0004 [lost]"
    )
    after = apply(held, Repaired(7, (), (edit,)))
    [digest, turn] = after.history.stream
    assert isinstance(digest, Digest) and digest.text == edit.line
    assert turn == held.history.stream.last
    assert digest.tokens == SIZES.count(edit.line + "\n") and after.sent.turn == 7
    assert marked(after, PAGES, SIZES) == ()
