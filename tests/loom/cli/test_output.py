"""`loom show`, `loom diff` and `loom log --turns`."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len

import loom
from loom.cli.output import print_json, print_line, share_bar
from loom.cli.text_tables import RankedColumn, RankedRow, ranked_table
from loom.inspect.remade_requests import request_at
from loom.session.archive.workspace import Workspace
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import step
from tests.loom.cli.conftest import Run


def test_a_stream_without_the_signs_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines and JSON are written to an ASCII stream without an error, and lose no meaning."""
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    print_line("ρ 0.83 → é " + share_bar(0.5, 2))
    print_json({"ρ": "→\ud800"})
    import sys

    sys.stdout.flush()
    first, _, rest = raw.getvalue().decode("ascii").partition("\n")
    assert first == "rho 0.83 -> ? #."
    assert json.loads(rest) == {"ρ": "→\ud800"}


COLUMNS = (RankedColumn("first", 2, "a"), RankedColumn("second", 0, "b"), RankedColumn("c", 1, "c"))
ROWS = (
    RankedRow("a-long-name-of-a-session", {"a": "1", "b": "22,222", "c": "333"}),
    RankedRow("  below", {"b": "4"}, dim=True),
)


def shown(width: int, rows: Sequence[RankedRow] = ROWS) -> list[str]:
    """The lines of the table at a width."""
    return [text.plain for text in ranked_table("session", COLUMNS, rows, width)]


@all_cases("width", range(1, 60))
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """Also with wide signs and what cannot be seen."""
    rows = (*ROWS, RankedRow("文字" * 9, {"a": "1"}), RankedRow("\x1b[31m" * 4, {}))
    lines = shown(width, rows)
    assert all(cell_len(text) <= width and text.isprintable() for text in lines)


@all_cases("format", ["openai", "responses", "anthropic", "gemini"])
def test_in_a_providers_shape(run: Run, replayed: Path, format: str) -> None:
    """The request as the turn gave it; with `--json` beside the rest."""
    turn = request_at(Workspace.at_path(replayed, write=False), 40).turn
    code, out, _ = run("show", replayed, "--turn", "40", "--format", format)
    wanted = json.loads(json.dumps(turn.request(format), default=_base64))
    assert code == 0 and json.loads(out) == wanted
    _, out, _ = run("show", replayed, "--turn", "40", "--format", format, "--json")
    assert json.loads(out)["request"] == wanted


def _base64(data: bytes) -> str:
    import base64

    return base64.b64encode(data).decode()


def test_a_damaged_page(run: Run, workspace: Path) -> None:
    """What is made now is not what was sent: told, exit 1; a request without the page is as it
    was."""
    page = next((workspace / "outputs").glob("read_*"))
    page.write_bytes(b"something else")
    numbers = range(1, 63)
    codes = {number: run("show", workspace, "--turn", str(number)) for number in numbers}
    assert {code for code, _, _ in codes.values()} == {0, 1}
    _, _, err = next(told for told in codes.values() if told[0] == 1)
    assert "is not as it was sent" in err and "loom check" in err
    assert all(err == "" for code, _, err in codes.values() if code == 0)


def test_two_requests_beside_each_other(run: Run, replayed: Path) -> None:
    """Tokens add up, every change is named, and the JSON says the same."""
    code, out, _ = run("diff", replayed, "20", "21", "--json")
    told = json.loads(out)
    assert (code, told["first"], told["second"]) == (0, 20, 21)
    history = next(part for part in told["partitions"] if part["name"] == "history")
    assert [one["how"] for one in history["changes"]] == ["entered"]
    _, out, _ = run("diff", replayed, "20", "21")
    assert f"{history['after']:,}" in out and "+ history step_" in out
    assert "nothing differs" in run("diff", replayed, "7", "7")[1]


def test_what_happened_between_requests(run: Run, tmp_path: Path) -> None:
    """What came in, every cut, where the session went back to, and which requests it left."""
    with plain(tmp_path / "w", window=20_000, goal="Port it.") as ctx:
        ctx.user("Go on.")
        for number in range(4):
            if number == 2:
                ctx.renew()
            ctx.turn()
            step(ctx, f"row {number}\n" * 30, tool="Bash", args='{"command":"make"}')
        first, *_ = sorted(ctx._engine.workspace.index.requests)
        ctx.turn()
        ctx.history.undo(to=first + 1)
        ctx.user("Another way.")
        ctx.turn()
    made = json.loads(run("log", tmp_path / "w", "--turns", "--json")[1])["requests"]
    assert [one["undone"] for one in made] == [False, False, True, True, True, False]
    assert [one["back_to"] for one in made] == [0, 0, 0, 0, 0, 2]
    assert [(one["steps"], one["messages"]) for one in made] == [
        (0, 1), (1, 0), (1, 0), (1, 0), (1, 0), (0, 1),
    ]  # fmt: skip
    assert made[2]["cuts"] == ["renewal"] and made[5]["cuts"] == ["undo"]
    lines = run("log", tmp_path / "w", "--turns")[1].splitlines()
    assert "1 step, undone" in lines[3] and "back to 2, 1 message" in lines[6]
    told = json.loads(run("stat", tmp_path / "w", "--json")[1])
    assert (told["steps"], told["users"], told["undone"]) == (1, 2, 3)
    assert "1, 2 messages of the user; 3 undone beside" in run("stat", tmp_path / "w")[1]
    assert json.loads(run("ps", tmp_path / "w", "--json")[1])["steps"] == 1


def test_a_hash_that_a_purge_took_out(run: Run, tmp_path: Path) -> None:
    """It says so, and does not blame an earlier Loom; no finding."""
    with plain(tmp_path / "w") as ctx:
        ctx.user("The word is xyzzy-plugh-42.")
        ctx.turn()
    loom.purge(tmp_path / "w", ["xyzzy-plugh-42"], durable=False)
    code, _, err = run("show", tmp_path / "w", "--turn", "1")
    assert code == 0 and "no sha256 of it is recorded (`loom purge` took it out" in err
