import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

import loom
from loom.cli.context import MOST, contained, drawn
from loom.cli.show import WIDTH
from loom.engine.contents import PARTS, contents
from loom.engine.pressure import pressure_of
from loom.replay.feed import replay
from loom_bench.sessions.generate import session
from loom_partitions.window import Window
from tests.kit.cases import all_cases, some

Run = Callable[..., tuple[int, str, str]]


def sums(window: Window) -> dict[str, int]:
    """Tokens by partition as the pieces say, tools with the skills."""
    held = {part.name: sum(piece.tokens for piece in part.pieces) for part in contents(window)}
    assert held == {part.name: part.tokens for part in contents(window)}
    held["skill"] += held.pop("tools")
    return held


def told(window: Window) -> dict[str, int]:
    """Tokens by partition as the window counts them."""
    return {name: getattr(window.tokens, name) for name in window.tokens.__struct_fields__}


def test_an_unused_window_holds_its_head_alone(tmp_path: Path) -> None:
    """Nothing was said: the pieces are what the head itself takes and Loom's own tools."""
    with loom.open(tmp_path / "w", window=8_000) as ctx:
        assert sums(ctx.window) == told(ctx.window)
        named = {part.name: [piece.name for piece in part.pieces] for part in contents(ctx.window)}
    assert tuple(named) == PARTS
    assert named["history"] == named["working"] == [] and "page_in" in named["tools"]


@all_cases("flavour", some(["coding", "research", "support", "pathological"], 2))
def test_pieces_add_up_at_every_turn(tmp_path: Path, flavour: str) -> None:
    """Whatever was cut, folded, renewed: the pieces of a partition sum to its tokens."""
    cuts = 0
    with loom.open(tmp_path / "w", window=6_000, durable=False) as ctx:
        for _ in replay(ctx, session(5, 40, flavour=flavour)):
            assert sums(ctx.window) == told(ctx.window)
            cuts = ctx.window.sent.cuts
    assert cuts > 3


def test_what_changes_between_cuts_stands_twice(tmp_path: Path) -> None:
    """A changed text is stale in the head and a notice at the tail; so is a tool declared late."""
    tool = loom.ToolSchema("late", "Comes late.", {"type": "object", "properties": {}})
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        ctx.memory.remember("AGENTS.md", "Use tabs.")
        ctx.skills.activate("pdf", "How to read a PDF.")
        ctx.user("Go.")
        ctx.turn()
        ctx.memory.remember("AGENTS.md", "Use spaces.")
        ctx.skills.activate("xls", "How to read a sheet.")
        ctx.tools.declare(tool)
        window = ctx.window
    assert sums(window) == told(window)
    parts = {part.name: part.pieces for part in contents(window)}
    shown = {name: [(p.name, p.detail) for p in pieces] for name, pieces in parts.items()}
    assert shown["memory"] == [("AGENTS.md", "stale"), ("notice", "notice")]
    assert shown["skill"] == [("pdf", "shown"), ("notice", "notice")]
    assert shown["tools"][-1] == ("notice", "notice")
    assert shown["working"] == [("dashboard", "notice")]


def test_one_is_told_as_one(tmp_path: Path) -> None:
    """A call beside the first, and a result that is waited for; of two each is told as two."""
    with loom.open(tmp_path / "w", window=8_000, durable=False) as ctx:
        for count in (2, 3):
            ctx.user("Go on.")
            ctx.turn()
            made = [loom.ToolCall(f"c{count}{n}", "look", "{}") for n in range(count)]
            ctx.reply(loom.Reply(tuple(made)))
            ctx.result(made[0].id, "seen")
            pieces = [piece for part in contents(ctx.window) for piece in part.pieces]
            said = " ".join(piece.summary for piece in pieces)
            left = count - 1
            assert f"+{left} call{'s' * (left > 1)}, waits for {left} result" in said
            assert ("1 results" in said, "1 calls" in said) == (False, False)
            for call in made[1:]:
                ctx.result(call.id, "seen")


def test_results_on_pages_are_named(run: Run, replayed: Path) -> None:
    """A step tells which of its results rests on which page, a digest the page that lists it."""
    _, out, _ = run("context", replayed, "--json")
    history = json.loads(out)["partitions"][4]
    assert history["name"] == "history"
    pages = {piece["name"]: piece["pages"] for piece in history["pieces"]}
    digests = [name for name in pages if name.startswith("digest")]
    assert digests and all("digest" in pages[name] for name in digests)
    results = [named for name, named in pages.items() if name.startswith("step") and named]
    held = {f"outputs/{file.name}" for file in (replayed / "outputs").iterdir()}
    assert results and all(set(named.values()) <= held for named in pages.values())
    assert all(key.startswith("c") for named in results for key in named)


def test_json_is_one_object_that_adds_up(run: Run, replayed: Path) -> None:
    """Every item, in the order of the request, and the numbers of `loom stat`."""
    _, out, _ = run("context", replayed, "--json")
    held: dict[str, Any] = json.loads(out)
    stat = json.loads(run("stat", replayed, "--json")[1])
    assert held["tokens"] == sum(stat["tokens"].values())
    assert sum(part["tokens"] for part in held["partitions"]) == held["tokens"]
    assert {name: held[name] for name in ("rho", "capacity", "generation", "model")} == {
        name: stat[name] for name in ("rho", "capacity", "generation", "model")
    }
    entries = [piece["name"] for piece in held["partitions"][4]["pieces"]]
    names = [name for name in entries if name[-1].isdigit() and not name.startswith("digest")]
    ids = [int(name.rpartition("_")[2]) for name in names]
    assert ids == sorted(ids)


def test_what_is_free_and_what_is_reserved_are_told(run: Run, replayed: Path) -> None:
    """Tokens, what is free and the reply's share are the window; both have a row."""
    held = json.loads(run("context", replayed, "--json")[1])
    assert held["tokens"] + held["free"] + held["reply"] == held["window"] == 6_000
    rows = {text.split()[0]: text for text in run("context", replayed)[1].splitlines()}
    assert f" {held['free']:,} " in rows["free"]
    assert f" {held['reply']:,} tokens of the window reserved" in rows["reply"]


def test_what_is_read_ahead_is_named_so(run: Run, tmp_path: Path) -> None:
    """By its words and its number, as what no user said."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        for name in ("a", "b", "c", "d", "e"):
            ctx.turn()
            text = "".join(f"def {name}_{at}():\n    return {at}\n" for at in range(120))
            call = loom.ToolCall(name, "Read", json.dumps({"path": f"{name}.py"}))
            ctx.reply(loom.Reply((call,)))
            ctx.result(name, text)
        ctx.renew(0)
        ctx.turn()
        ctx.reply(loom.Reply((loom.Speech("Done."),)))
        ctx.user("Look at a_77 in a.py again, and a_78.")
        ctx.turn()
        ahead = [item.id for item in ctx.window.history.stream if getattr(item, "ahead", False)]
    assert ahead
    out = run("context", tmp_path / "w", "--all")[1]
    assert all(f"read ahead {id:04d}" in out for id in ahead) and "ahead_" not in out


def test_the_largest_come_first_and_the_rest_is_counted(run: Run, tmp_path: Path) -> None:
    """Fifteen lines a partition and what is left in one; `--all` leaves nothing out."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as ctx:
        for at in range(40):
            ctx.user(f"Message {at}: " + "word " * (at % 7 + 1) * 3)
        entries = len(ctx.window.history.stream)
    _, out, _ = run("context", tmp_path / "w")
    rows = [text for text in out.splitlines() if text.startswith("  user_")]
    sizes = [int(text.split()[1].replace(",", "")) for text in rows]
    assert len(rows) == MOST and sizes == sorted(sizes, reverse=True)
    assert f"… {entries - MOST} more, " in out
    _, out, _ = run("context", tmp_path / "w", "--all")
    names = [text.split()[0] for text in out.splitlines() if text.startswith("  user_")]
    assert names == [f"user_{at + 1:04d}" for at in range(40)] and "more" not in out


@pytest.mark.exact
def test_the_header_says_what_the_provider_counts(run: Run, tmp_path: Path) -> None:
    """Once reports came the expected size and the bound are told; before, nothing of them."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        ctx.user("Go. " * 200)
        ctx.turn()
        assert "at most" not in run("context", tmp_path / "w")[1]
        ctx.reply(loom.Reply((loom.Speech("I see."),), prompt_tokens=2_000))
        window = ctx.window
    held = contained(window, pressure_of(window, 0))
    assert held.calibrated and held.tokens < held.estimate <= held.bound
    _, out, _ = run("context", tmp_path / "w")
    assert f"{held.estimate:,} tokens of the provider expected" in out
    assert f"at most {held.bound:,} of" in out


@all_cases("width", [1, 12, 40, 71, 72, 100, 200])
@all_cases("all", [False, True])
def test_lines_fit_any_width(tmp_path: Path, width: int, all: bool) -> None:
    """Also with wide signs and long keys, no line is wider than the terminal."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        ctx.memory.remember("ключ/" * 20, "文字" * 300)
        ctx.user("谢谢，请继续。" * 30)
        window = ctx.window
    lines = drawn(contained(window, pressure_of(window, 0)), width, all=all)
    assert lines and all_fit(line.plain for line in lines) <= width


def all_fit(lines: Any) -> int:
    """Columns of the widest line."""
    return max(map(cell_len, lines))


def test_plain_output_cannot_steer_a_terminal(run: Run, tmp_path: Path) -> None:
    """Off a terminal: lines of at most 100 columns, no control characters, whatever was said."""
    with loom.open(tmp_path / "w", window=16_000, model="m\x1b[2J", durable=False) as ctx:
        ctx.memory.remember("key\x1b]0;x\x07", "text \x1b[31m red")
        ctx.user("\x1b[31mred\u202e")
    code, out, err = run("context", tmp_path / "w")
    assert (code, err) == (0, "")
    assert all(len(text) <= WIDTH and text.isprintable() for text in out.splitlines())


@pytest.mark.parametrize(("made", "kind"), [(False, "FileNotFoundError"), (True, "BadUsage")])
def test_no_workspace_and_an_empty_one_are_exit_2(
    run: Run, tmp_path: Path, made: bool, kind: str
) -> None:
    """Each is a typed error that names the folder; nothing is made there."""
    if made:
        (tmp_path / "w" / "journal").mkdir(parents=True)
    code, out, err = run("context", tmp_path / "w", "--json")
    assert code == 2 and str(tmp_path / "w") in err and json.loads(out)["kind"] == kind
    assert (tmp_path / "w").exists() == made
