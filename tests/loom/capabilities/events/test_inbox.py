import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.capabilities.events.inbox import A_LOOK, FILE_BYTES, Inbox, put_message
from loom.capabilities.events.poller import Poller, Signal
from loom.errors import BadInput
from loom.text import one_line
from tests.kit.cases import all_cases


def names(folder: Path) -> list[str]:
    """What lies in the inbox of a workspace."""
    return sorted(path.name for path in (folder / "inbox").iterdir())


def test_messages_come_in_order_and_leave_when_taken(tmp_path: Path) -> None:
    """A file stays until the sink has its signal, and is told under one id until then."""
    assert Inbox(tmp_path).look() == [] and list(tmp_path.iterdir()) == []
    ids = [put_message(tmp_path, f"message {number}", "normal") for number in range(20)]
    inbox = Inbox(tmp_path)
    for signal in inbox.look()[:5]:
        assert signal.taken is not None and len(names(tmp_path)) > 15
        signal.taken()
    assert len(names(tmp_path)) == 15
    for again in (inbox, Inbox(tmp_path)):
        assert [signal.id for signal in again.look()] == ids[5:]


def test_a_flood_comes_in_portions(tmp_path: Path) -> None:
    """One look tells a bounded number; all arrive, in order."""
    ids = [put_message(tmp_path, f"{number}", "low") for number in range(A_LOOK + 40)]
    taken: list[str] = []
    heart = Poller(lambda signal: taken.append(signal.id), [Inbox(tmp_path)])
    heart.beat()
    assert len(taken) == A_LOOK
    heart.beat()
    assert taken == ids and names(tmp_path) == []


ODD: list[bytes | Callable[[Path], object]] = [
    b"",
    b'{"text": "torn',
    b"\xff\xfe\x00",
    b"[1, 2]",
    b'{"urgency": "low"}',
    b'{"text": 7}',
    b'{"text": " "}',
    b'{"text": "a", "urgency": "soon"}',
    b"[" * FILE_BYTES,
    b'{"text": "a"}' + b" " * FILE_BYTES,
    lambda path: path.mkdir(),
    os.mkfifo,
    lambda path: path.symlink_to("/etc/hostname"),
]


@all_cases("odd", ODD)
def test_what_is_no_message_is_told(tmp_path: Path, odd: bytes | Callable[[Path], object]) -> None:
    """One fault, and the messages before and after it arrive."""
    first = put_message(tmp_path, "before", "low")
    path = tmp_path / "inbox" / "5.json"
    path.write_bytes(odd) if isinstance(odd, bytes) else odd(path)
    second = put_message(tmp_path, "after", "low")
    taken: list[Signal] = []
    heart = Poller(taken.append, [Inbox(tmp_path)])
    for _ in range(3):
        heart.beat()
    kinds = [(signal.kind, signal.urgency) for signal in taken]
    assert kinds == [("inbox", "low"), ("inbox", "low"), ("heartbeat", "high")]
    assert [signal.id for signal in taken[:2]] == [first, second]
    assert "5.json" in taken[2].summary and names(tmp_path) == ["5.json"]


def test_many_bad_files_are_one_fault(tmp_path: Path) -> None:
    """The count is true, and only a few are named."""
    inbox = Inbox(tmp_path)
    (tmp_path / "inbox").mkdir()
    for number in range(30):
        (tmp_path / "inbox" / f"bad-{number:02}").write_text("?")
    (told,) = [*inbox.look(), *inbox.look()]
    assert "30 × no message" in told.summary
    assert "bad-00" in told.summary and "bad-29" not in told.summary


@given(st.text(min_size=1, max_size=900), st.sampled_from(["low", "normal", "high", "critical"]))
def test_a_text_arrives_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, text: str, urgency: str
) -> None:
    """Whatever was said comes out, but what has no letters."""
    folder = tmp_path_factory.mktemp("inbox")
    if not one_line(text, 1):
        with pytest.raises(BadInput, match="no letters"):
            put_message(folder, text, urgency)
        return
    id = put_message(folder, text, urgency)
    (told,) = Inbox(folder).look()
    assert (told.id, told.summary, told.urgency) == (id, text, urgency)


def test_a_long_message_rests_on_a_page(tmp_path: Path) -> None:
    """The event has its beginning and names the page; too large a one is refused."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        text = "The build broke: " + "this and that; " * 90
        put_message(tmp_path / "w", text, "high", "ci-1")
        ctx.turn()
        (event,) = (one for one in ctx.window.working.events if one.ids == ("ci-1",))
        assert event.summary.startswith("The build broke") and len(event.summary) <= 200
        assert ctx.page_in(event.summary.rpartition(" ")[2]).text == text
        assert names(tmp_path / "w") == []
    with pytest.raises(BadInput, match="at most"):
        put_message(tmp_path / "w", "x" * FILE_BYTES)
