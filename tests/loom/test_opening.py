"""Damage on disk, a second writer, an opening that cannot be: each has its error."""

import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest

import loom
import loom.aio
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opened_with

opened = opened_with()


@all_cases(
    ("given", "error", "says"),
    [
        ({"policy": "greedy"}, loom.LoomError, "greedy.*lazy, graduated, eager"),
        ({"window": 600}, loom.OverCapacity, "window of 600"),
        ({"window": 0}, loom.OverCapacity, "window=0: give"),
        ({"window": -1}, loom.OverCapacity, "window=-1: give"),
        ({"window": 4_000, "reply": 4_000}, loom.OverCapacity, "reply of 4,000"),
        ({"reply": 0}, loom.LoomError, "reply=0: give .* above 0"),
        ({"tools": 5}, loom.LoomError, "tools= is a list of tools"),
        ({"policy": loom.Policy(encoding="nope")}, loom.LoomError, "nope"),
        ({"policy": loom.Policy(kind_weights={"reed": 3})}, loom.LoomError, "user, said, old, new"),
        ({"window": 2_000, "tools": [{"name": "t", "description": "it " * 3_000}]},
         loom.OverCapacity, "the tools need .*Loom's own"),
    ],
)  # fmt: skip
def test_opened_wrongly(
    folder: Path, given: dict[str, Any], error: type[Exception], says: str
) -> None:
    """open() says what is wrong, and gives the lock back."""
    with pytest.raises(error, match=says):
        loom.open(folder, durable=False, **given)
    loom.open(folder, window=8_000, durable=False).close()


def test_a_file_is_no_workspace(tmp_path: Path) -> None:
    """loom.open on a file says so, and the file is as it was."""
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    with pytest.raises(loom.LoomError, match=r"notes\.txt"):
        loom.open(file)
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]


def failing() -> None:
    """A disk that is broken."""
    raise OSError(5, "input/output error")


@pytest.mark.parametrize("what", ["store", "memory"])
def test_what_cannot_be_closed_does_not_keep_the_lock(tmp_path: Path, what: str) -> None:
    """The error is raised, of the store or of files that outlive the session; the workspace is
    free."""
    given: dict[str, Any] = {"durable": False, "window": 8_000}
    ctx = loom.open(tmp_path / "w", capabilities=[loom.Memory(tmp_path / "m")], **given)
    ctx.memory.save("the build takes a minute")
    held: Any = ctx._engine.workspace.store if what == "store" else ctx.memory._kept.open()
    close, held.close = held.close, failing
    with pytest.raises(OSError, match="input/output"):
        ctx.close()
    loom.open(tmp_path / "w", **given).close()
    held.close = close
    ctx.close()


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_project_that_is_no_folder(tmp_path: Path, name: str) -> None:
    """Refused with its name, before anything is written."""
    (tmp_path / "file").write_text("")
    with pytest.raises(loom.LoomError, match="no folder; give the agent's working folder"):
        loom.open(tmp_path / "w", project=tmp_path / name)
    assert not (tmp_path / "w").exists()


def sizes(ctx: loom.Context) -> tuple[int, int]:
    """Window and reply."""
    return ctx.window.limits.window, ctx.window.limits.reply


def test_a_named_reply_stays(opened: Open) -> None:
    """It gives way to a smaller window, and comes back with a larger one."""
    ctx = opened(window=32_000, reply=5_000)
    ctx.resize(64_000)
    assert sizes(ctx) == (64_000, 5_000)
    ctx.resize(8_000)
    assert sizes(ctx) == (8_000, 2_000)
    assert sizes(opened(window=64_000)) == (64_000, 5_000)


@all_cases(
    ("given", "says"),
    [("turn", "'turn' is unknown: give True, so that .*, or False"), (None, "is True or False")],
)
def test_no_way_to_be_durable(folder: Path, given: Any, says: str) -> None:
    """Once a turn was a way of earlier versions: the error says what to give; nothing is made."""
    with pytest.raises(loom.BadInput, match=f"durable=?.*{says}"):
        loom.open(folder, durable=given)
    assert not folder.exists()


@all_cases("name", ["window", "reply"])
@all_cases("value", ["8192", 8_192.5, float("nan"), True])
def test_what_is_no_number_of_tokens(opened: Open, name: str, value: Any) -> None:
    """Opening and resizing say what to give, and change nothing."""
    with pytest.raises(loom.LoomError, match=f"{name}=.*whole number of tokens"):
        opened(**{name: value})
    ctx = opened(window=16_000)
    before = ctx.window
    with pytest.raises(loom.LoomError, match=f"{name}=.*whole number of tokens"):
        ctx.resize(**{"window": 16_000, name: value})
    assert ctx.window is before


ODD_POLICIES: list[tuple[loom.Policy, str]] = [
    (loom.Policy(preset="eager"), "alone has the values of another"),
    (loom.Policy(preset="graduated"), "alone has the values of another"),
    (loom.Policy(preset="eager", tuning=loom.Tuning(first=2)), "alone has the values of another"),
    (loom.Policy(layout=loom.Tuning()), "layout is to be a loom.Layout"),
    (loom.Policy(tuning=loom.Layout()), "tuning is to be a loom.Tuning"),
    (loom.Policy(preset="brave"), "no preset 'brave'"),
]


@all_cases(("policy", "said"), ODD_POLICIES)
def test_what_is_no_policy(opened: Open, policy: loom.Policy, said: str) -> None:
    """A policy that would not be what its words say is refused."""
    with pytest.raises(loom.LoomError, match=said):
        opened(policy=policy)


def test_own_tools_that_stay_are_told(opened: Open) -> None:
    """What a workspace declares stays there; who asks for less hears of it, and of more nothing."""
    opened()
    with pytest.warns(loom.LoomWarning, match="leaves out compact_now, working: .* stays"):
        ctx = opened(policy=loom.Policy(own_tools=("page_in", "recall")))
    assert {held.key for held in ctx.window.skill.tools.current} >= {"working", "page_in"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opened()


def test_another_policy_is_told_of(opened: Open) -> None:
    """The workspace keeps its own, and a warning names in which fields they differ."""
    opened(policy="eager")
    with pytest.warns(loom.LoomWarning, match="keeps the one it was made with") as told:
        ctx = opened(policy="lazy")
    assert ctx.window.config.policy["preset"] == "eager"
    warning = told[0].message
    assert isinstance(warning, loom.LoomWarning) and warning.kind == "policy"
    assert "preset='eager'" in str(warning)
    again = pickle.loads(pickle.dumps(warning))
    assert (str(again), again.kind) == (str(warning), "policy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opened()
