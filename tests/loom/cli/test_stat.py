from __future__ import annotations

import json
from pathlib import Path

import pytest

import loom
from loom.cli.context import window_contents
from loom.providers.counts import counter_for
from loom.session.pressure import pressure_of
from tests.kit.cases import all_cases
from tests.loom.cli.conftest import Run


def test_stat_tells_what_the_window_holds(run: Run, replayed: Path) -> None:
    """The numbers are those of the replay, the partitions sum to ρ, and by what tokens are counted
    is said."""
    told = json.loads(run("stat", replayed, "--json")[1])
    assert (told["window"], told["turns"], told["steps"], told["users"]) == (6_000, 62, 61, 1)
    assert told["open_calls"] == [] and told["pages"] > 0 and told["page_bytes"] > 0
    assert told["rho"] == pytest.approx(sum(told["tokens"].values()) / told["capacity"], abs=1e-3)
    assert told["renewals"] == told["generation"] - 1 == told["cuts"].get("renewal", 0)
    count = counter_for()
    assert (told["encoding"], told["counter"]) == ("o200k_base", count.source)
    said = f"in o200k_base by {count.source}" if count.exact else "by an estimate from above"
    lines = run("stat", replayed)[1].splitlines()
    assert any(line.split()[0] == "counted" and said in line for line in lines)


@pytest.mark.parametrize(("model", "exact"), [("claude-sonnet-4-5", False), ("gpt-4o", True)])
def test_a_count_is_exact_in_the_models_own_encoding(
    run: Run, tmp_path: Path, model: str, exact: bool
) -> None:
    """That of a model whose encoding nobody knows is an estimate, in every command."""
    exact = exact and counter_for().exact
    with loom.open(tmp_path / "w", model=model, window=16_000, goal="Find it.") as ctx:
        ctx.user("Hello.")
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("c1", "read_file", "{}"),)))
        told = json.loads(run("stat", tmp_path / "w", "--json")[1])  # while another has it open
    assert (told["goal"], told["model"], told["open_calls"]) == ("Find it.", model, ["c1"])
    page = json.loads(run("report", tmp_path / "w", "--json")[1])
    assert told["exact"] is page["agents"][0]["exact"] is exact
    assert ("estimate" in run("stat", tmp_path / "w")[1]) is not exact


def test_log_has_a_line_for_every_record(run: Run, replayed: Path) -> None:
    """As many lines as records, of every kind there is; cuts show their certificate."""
    _, whole, _ = run("log", replayed, "--json")
    records = json.loads(whole)["records"]
    _, out, _ = run("log", replayed)
    assert len(out.splitlines()) == len(records)
    commits = [one["commit"] for one in records]
    assert commits == sorted(commits) and commits[0] == 1
    cuts = [text for text in out.splitlines() if "Compressed" in text]
    assert cuts and all("→" in text and "reusable" in text for text in cuts)


@all_cases(
    ("given", "shown"),
    [
        (("--lines", "2-3"), "value_0_1 = 0\nvalue_0_2 = 0\n"),
        (("--lines", "-1"), "value_0_89 = 0\n"),
        (("--grep", "_0_89 "), "88-value_0_87 = 0\n89-value_0_88 = 0\n90:value_0_89 = 0\n"),
    ],
)
def test_cat_gives_part_of_a_page(
    run: Run, replayed: Path, given: tuple[str, ...], shown: str
) -> None:
    """Whole byte for byte, by its full name or the short one; by lines and by pattern."""
    data = (replayed / "outputs" / "read_0001.txt").read_text("utf-8")
    for ref in ("outputs/read_0001.txt", "read_0001"):
        assert run("cat", replayed, ref) == (0, data, "")
    assert run("cat", replayed, "read_0001", *given) == (0, shown, "")


def test_damaged_bytes_are_never_shown(run: Run, workspace: Path) -> None:
    """A page that was altered is a finding: exit 1, and it is named."""
    (workspace / "outputs" / "read_0001.txt").write_text("other", "utf-8")
    code, out, err = run("cat", workspace, "read_0001")
    assert (code, out) == (1, "") and "outputs/read_0001.txt" in err


def test_kinds_are_the_names_the_log_shows(run: Run, tmp_path: Path) -> None:
    """Each name it shows finds the lines it stands on, pinned lines too; of a kind that did not
    happen it says so."""
    with loom.open(tmp_path, window=16_000, durable=False) as ctx:
        entry = ctx.user("Go.")
        ctx.pin("Never push to main.")
        ctx.pin(entry)
        ctx.unpin("Never push to main.")
        ctx.turn()
    shown = [text.split()[3] for text in run("log", tmp_path)[1].splitlines()]
    assert shown.count("Pinned") == 3
    for kind in set(shown):
        lines = run("log", tmp_path, "--kind", kind)[1].splitlines()
        assert [text.split()[3] for text in lines] == [kind] * shown.count(kind)
    assert run("log", tmp_path, "--kind", "renewed") == (0, "none of its records is Renewed\n", "")
    code, out, err = run("log", tmp_path, "--kind", "Pin")
    assert (code, out) == (2, "") and all(kind in err for kind in shown)


@pytest.mark.exact
def test_the_header_says_what_the_provider_counts(run: Run, tmp_path: Path) -> None:
    """Once reports came the expected size and the bound are told; before, nothing of them."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        ctx.user("Go. " * 200)
        ctx.turn()
        assert "at most" not in run("context", tmp_path / "w")[1]
        ctx.reply(loom.Reply((loom.Speech("I see."),), prompt_tokens=2_000))
        window = ctx.window
    held = window_contents(window, pressure_of(window, 0))
    assert held["calibrated"] and held["tokens"] < held["estimate"] <= held["bound"]
    _, out, _ = run("context", tmp_path / "w")
    assert f"{held['estimate']:,} tokens of the provider expected" in out
    assert f"at most {held['bound']:,} of" in out


@all_cases("surface", ["events", "questions", "scratchpad"])
def test_what_the_dashboard_names_can_be_read(run: Run, tmp_path: Path, surface: str) -> None:
    """`loom cat` has what found no room, under the name the dashboard gives: whole or in part."""
    place = tmp_path / surface
    with loom.open(place, window=16_000, durable=False) as ctx:
        for number in range(30):
            ctx.events.signal(f"e{number}", f"thing {number}")
            ctx.working.ask(f"q{number}", f"thing {number}")
        ctx.working.scratch("\n".join(f"thing {number}" for number in range(30)))
    for words in ((), ("--lines", "1-30"), ("--json",)):
        code, out, err = run("cat", place, f"working/{surface}.md", *words)
        assert (code, err) == (0, "") and out.count("thing ") >= 30
    code, _, err = run("cat", place, "working/nothing.md")
    assert code != 0 and "working/nothing.md" in err
