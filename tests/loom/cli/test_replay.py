from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from loom.cli.pricing import prices_by_model
from loom.errors import BadInput
from loom.providers.prices import prices_of
from tests.kit.cases import all_cases
from tests.loom.cli.conftest import Run


@pytest.fixture(autouse=True)
def no_sessions_here(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No recorded session of this machine's user is found."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_a_kept_workspace_is_never_replayed_over(run: Run, recorded: Path, tmp_path: Path) -> None:
    """A second replay into the same folder is refused and leaves it as it was."""
    given = ("replay", recorded / "short.jsonl", "--out", tmp_path)
    assert run(*given)[0] == 0
    journal = (tmp_path / "short" / "journal" / "000001.jsonl").read_bytes()
    code, _, err = run(*given)
    assert code == 2 and "holds a workspace already" in err
    assert (tmp_path / "short" / "journal" / "000001.jsonl").read_bytes() == journal


def test_a_malformed_line_is_named_and_nothing_is_replayed(
    run: Run, recorded: Path, tmp_path: Path
) -> None:
    """When no file can be read, the error has file and line of the first."""
    good = (recorded / "short.jsonl").read_text("utf-8")
    for name in "bc":
        (tmp_path / f"{name}.jsonl").write_text(good + "{oops\n" + good, "utf-8")
    code, out, err = run("replay", tmp_path, "--out", tmp_path / "kept")
    assert code == 2 and out == "" and not (tmp_path / "kept").exists()
    assert err.startswith("loom: ") and err.count("\n") == 1
    assert f"b.jsonl:{good.count(chr(10)) + 1}:" in err


def test_what_is_no_file_is_skipped_and_told(run: Run, recorded: Path, tmp_path: Path) -> None:
    """A pipe, a device, links to nothing and a folder of such a name, each with its reason."""
    (tmp_path / "a.jsonl").write_bytes((recorded / "short.jsonl").read_bytes())
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    links = {"device": "/dev/zero", "none": "nowhere", "self": "self.jsonl"}
    for name, to in links.items():
        (tmp_path / f"{name}.jsonl").symlink_to(to)
    code, out, err = run("replay", tmp_path, "--window", "6000", "--json")
    told = json.loads(out)
    assert (code, err, [one["name"] for one in told["sessions"]]) == (0, "", ["a"])
    why = {Path(one["source"]).stem: one["why"] for one in told["skipped"]}
    assert set(why) == {"pipe", "folder", *links}
    assert all(reason.startswith("cannot be read: ") for reason in why.values())
    code, _, err = run("replay", tmp_path / "pipe.jsonl")
    assert code == 2 and "no plain file" in err


PAGE = (Path(__file__).resolve().parents[3] / "docs" / "replay.md").read_text("utf-8")


@pytest.mark.exact
def test_the_example(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its three commands, as it is printed."""
    monkeypatch.chdir(tmp_path)
    lines = re.findall(
        r"^    loom (demo --out.*|export .*|replay session.json --window.*)$", PAGE, re.M
    )
    assert len(lines) == 3
    for line in lines:
        code, out, _ = run(*shlex.split(line.partition(" | ")[0]))
        assert code == 0
    (shown,) = re.findall(r"```text\n(1 session.*?)```", PAGE, re.DOTALL)
    assert out.startswith(shown)


def test_prices_may_be_given(run: Run, recorded: Path) -> None:
    """`--price` changes costs and nothing else; the line about prices says so."""
    given = ("replay", recorded / "short.jsonl", "--window", "6000")
    listed, own = (
        json.loads(run(*given, *more, "--json")[1])["sessions"][0]
        for more in ((), ("--price", "0,0,1000,0"))
    )
    assert own["plain"]["cost"] == pytest.approx(own["plain"]["written"] / 1_000)
    assert own["plain"]["sent"] == listed["plain"]["sent"] and own["output"]["cost"] == 0
    assert "models without a price of their own (not named)" in run(*given)[1].replace("\n  ", " ")
    assert "--price: input 0" in run(*given, "--price", "0,0,1000,0")[1]


def test_a_file_comes_before_the_list(tmp_path: Path) -> None:
    """The longest beginning counts; what it leaves out follows from the provider."""
    file = tmp_path / "prices.json"
    rows = {
        "claude": {"input": 10, "output": 20},
        "claude-opus": {"input": 1, "output": 2, "read": 0.5, "as_of": "2026-01"},
    }
    file.write_text(json.dumps(rows), "utf-8")
    given = prices_by_model(None, file)
    sonnet, opus = given("claude-sonnet-4-5"), given("claude-opus-4-5")
    assert (sonnet.input, sonnet.read, sonnet.write, sonnet.model) == (10, 1.0, 12.5, "claude")
    assert (opus.read, opus.write, opus.as_of) == (0.5, 1.25, "2026-01")
    assert given("gpt-5") == prices_of("gpt-5")


@all_cases(
    ("text", "why"),
    [
        *((text, r"prices\.json.*expected") for text in ("", "[]", '{"a": 1}', '{"a": {"in": 1}}')),
        ('{"a": {"input": -5, "output": 1}}', "amounts run from 0"),
        ('{"a": {"input": 1e308, "output": 1}}', "amounts run from 0"),
        ('{"": {"input": 1, "output": 1}}', "amounts run from 0"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str, why: str) -> None:
    """The file is named, and what was expected; so is one given beside `--price`."""
    file = tmp_path / "prices.json"
    file.write_text(text, "utf-8")
    with pytest.raises(BadInput, match=why):
        prices_by_model(None, file)
    with pytest.raises(BadInput, match="one of them"):
        prices_by_model("1,2,3,4", file)


def test_a_file_of_prices_is_a_plain_file(tmp_path: Path) -> None:
    """A pipe is refused at once, and a device is not read to its end."""
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="no plain file"):
            prices_by_model(None, place)
