"""The desk and its notes: told, kept, and back again, whoever wrote them."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.session.working_edits import BATCH
from loom_partitions import records as r
from loom_partitions.message import Text
from loom_partitions.scratchpad import NAME, Noted, append_line, body_after_note
from loom_partitions.window import Window, fold
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import last_step


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context that made one request."""
    with loom.open(tmp_path / "w", goal="Fix it.", window=32_000, durable=False) as made:
        made.user("hi")
        made.turn()
        yield made


def test_a_number_beyond_floats_is_a_bad_call(ctx: loom.Context) -> None:
    """The call fails in words; what else the reply wrote stands."""
    ctx.reply(
        loom.Reply(
            (
                loom.ToolCall("a", "working", '{"action": "note", "text": "kept"}'),
                loom.ToolCall(
                    "b",
                    "working",
                    f'{{"action": "evidence", "id": "x", "text": "y", "confidence": 1{"0" * 400}}}',
                ),
            )
        )
    )
    assert "confidence" in str(last_step(ctx).outcomes[1].text.body)
    pad = ctx.window.working.scratchpad
    assert pad is not None and pad.body == "kept"


@all_cases("confidence", [math.nan, math.inf, -0.1, 1.1, "high"])
def test_a_confidence_is_a_share(ctx: loom.Context, tmp_path: Path, confidence: Any) -> None:
    """Anything but 0 to 1 is refused, and the workspace opens again."""
    with pytest.raises(loom.LoomError, match="confidence"):
        ctx.working.evidence("p", "it is so", confidence=confidence)
    ctx.close()
    loom.open(tmp_path / "w", durable=False).close()


def test_a_settled_risk_makes_room(ctx: loom.Context) -> None:
    """Of nine risks one found no room; it takes the place of one that is settled."""
    for number in range(9):
        ctx.events.signal(f"e{number}", f"risk {number}")
        ctx.events.acknowledge(f"e{number}", "defer")
    (waiting,) = ctx.window.working.overflow_ids("risks")
    ctx.events.acknowledge(next(risk.id for risk in ctx.window.working.risks), "resolved")
    working = ctx.window.working
    assert working.overflow_ids("risks") == ()
    assert waiting in [risk.id for risk in working.risks]


def note(number: int, chars: int) -> str:
    """A note that is like no other."""
    return f"note {number:04d}" + f" word{number}" * (chars // 9)


@all_cases("chars", [0, 40, 1_200, 6_000])
def test_any_notes_come_back_whole_in_their_order(tmp_path: Path, chars: int) -> None:
    """Whatever their size, on what was written anew too; what is shown ends in the newest."""
    with plain(tmp_path / "w", window=32_000) as ctx:
        ctx.working.scratch("begun\n" * (chars // 6 + 1))
        said = [f"n{number} " + "é漢x " * (chars * (number % 3) // 8) for number in range(30)]
        for one in said:
            ctx.working.note(one)
            pad = ctx.window.working.scratchpad
            assert pad is not None and (pad.body or "").endswith(one[-20:])
            assert pad.tokens <= 300 and pad.tokens == ctx._engine.ingest.sizes.count(
                pad.body or ""
            )
        whole = ctx.page_in(NAME).text
        found = [whole.index(one.rstrip()) for one in said]
        assert found == sorted(found) and whole.startswith("begun\n")
        assert ctx.window.working.scratchpad.size == len(whole.encode())


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    """The first lines and the newest stand around a line that says how much there is, and where."""
    with plain(tmp_path / "w", window=32_000) as ctx:
        for number in range(300):
            ctx.working.note(f"- point {number}")
        pad = ctx.window.working.scratchpad
        assert pad.body.startswith("- point 0\n- point 1\n")
        assert pad.body.endswith("- point 298\n- point 299")
        assert f" of {pad.size:,} bytes rest in {NAME}\n" in pad.body
        assert pad.body.count("bytes rest in") == 1
        assert pad.size > len(ctx.window.working.pad_rest.encode()) < BATCH


def test_a_key_in_two_notes_is_a_key(tmp_path: Path) -> None:
    """A secret whose second half comes with the next note does not rest."""
    head, tail = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow", "xyz\n-----END RSA PRIVATE KEY-----"
    with plain(tmp_path / "w") as ctx:
        ctx.working.note(f"key: {head}")
        ctx.working.note(tail)
        assert "MIIEow" not in ctx.page_in(NAME).text
        ctx.working.scratch("")
        ctx.working.note("new")
        assert ctx.page_in(NAME).text == "new"


def test_journals_of_before_fold_on() -> None:
    """A scratchpad recorded whole, with its page, goes on with the notes that come now."""
    old = r.Noted(loom_text("head\n… 9 of 90 bytes rest in outputs/scratch_0001.txt\ntail"))
    working = fold([old, r.Noted(Text(9, 95, "more"), added=True)], Window()).working
    assert working.pad_pages == ("outputs/scratch_0001.txt",)
    assert working.pad_rest == "\nmore"
    assert working.scratchpad is not None and working.scratchpad.page == NAME
    assert (
        body_after_note("a b  ", Noted(Text(1, 1, "c"), added=True))
        == append_line("a b  ", "c")
        == "a b\nc"
    )


def loom_text(body: str) -> Text:
    """A text whose whole rests on a page."""
    return Text(9, 90, body, "outputs/scratch_0001.txt")


def test_a_renewal_writes_the_newest_notes_again(tmp_path: Path) -> None:
    """A snapshot is bounded however long the scratchpad is; a line names the pages of the rest."""
    with plain(tmp_path / "w", window=32_000) as ctx:
        for number in range(120):
            ctx.working.note(note(number, 1_000))
        ctx.renew()
        (made,) = (tmp_path / "w" / "snapshots").iterdir()
        text = made.read_text()
        assert len(text) < 40_000 and "note 0119" in text and "outputs/scratch_0001.txt" in text
    with plain(tmp_path / "b", snapshot=made) as other:
        assert note(119, 1_000) in other.page_in(NAME).text
