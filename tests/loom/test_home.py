"""A policy's numbers, and where sessions without a folder are kept."""

import math
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import loom
from loom.home import home, session_folder
from loom.policy import MARKS, PRESETS, choose_policy, recorded_policy
from loom.sizes import new_limits
from tests.kit.cases import all_cases


def test_the_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LOOM_HOME before XDG_STATE_HOME before ~/.local/state; a relative XDG path does not count."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    monkeypatch.delenv("LOOM_HOME", raising=False)
    assert home() == tmp_path / "s" / "loom"
    monkeypatch.setenv("LOOM_HOME", "~/mine")
    assert home() == tmp_path / "mine"
    monkeypatch.setenv("LOOM_HOME", "")
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert home() == tmp_path / ".local" / "state" / "loom"
    assert not home().exists()


def test_a_folder_is_its_owners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It and what is made above it have mode 0700; made again it stays."""
    monkeypatch.setenv("LOOM_HOME", str(tmp_path / "a" / "b"))
    for _ in range(2):
        made = session_folder("hook")
        assert made == tmp_path / "a" / "b" / "hook"
        assert [one.stat().st_mode & 0o777 for one in (made, home())] == [0o700, 0o700]


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_preset_is_within_its_ranges(name: str) -> None:
    """What Loom brings passes its own checks, by name and as a value."""
    assert choose_policy(name) is PRESETS[name]
    assert choose_policy(PRESETS[name]) == PRESETS[name]


OUT: list[tuple[str, Any, str]] = [
    ("low_water", 1.2, "from 0.0 to 1.0"),
    ("memory_share", -0.1, "from 0.0 to 1.0"),
    ("digest_large", 5, "from 0.0 to 1.0"),
    ("step_share", math.nan, "from 0.0 to 1.0"),
    ("write_price", -1.25, "from 0.0"),
    ("read_price", math.inf, "from 0.0"),
    ("recent", -1, "from 0 "),
    ("plenty", -1, "from 0 "),
    ("ahead_tokens", -8_000, "from 0 "),
    ("snip_chars", 0, "from 1 "),
    ("renew_at", 1.5, "to 1.0"),
    ("snip_at", 0, "from 0.01"),
    ("compact_above", 20, "200 characters"),
    ("recent", 2.5, "no policy"),
    ("snip_at", "0.5", "no policy"),
    ("decay", -1.0, "from 0.0"),
    ("ageing", "weeks", "no policy"),
    ("kind_weights", {"read": -0.5}, "from 0.0"),
    ("kind_weights", {"prose": 1.0}, "no policy"),
    ("low_water", None, "no policy"),
]


def policy_with(name: str, value: Any) -> loom.Policy:
    """A policy with one number, wherever it stands."""
    for part, kind in (("tuning", loom.Tuning), ("layout", loom.Layout)):
        if name in kind.__struct_fields__:
            return loom.Policy(**{part: kind(**{name: value})})
    return loom.Policy(**{name: value})


def test_a_policy_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    """What stood beside the policy's own fields once stands in its layout and its tuning."""
    flat = {"preset": "eager", "eager_steps": 7, "recent_tokens": 900, "plenty": 3, "recent": 2}
    with loom.open(tmp_path / "w") as ctx:
        window = ctx.window
    made = recorded_policy(replace(window, config=replace(window.config, policy=flat)))
    assert (made.layout.steps, made.layout.recent_tokens, made.tuning.plenty) == (7, 900, 3)
    assert (made.preset, made.recent) == ("eager", 2)


@all_cases(("name", "value", "said"), OUT)
def test_a_number_out_of_range(tmp_path: Path, name: str, value: Any, said: str) -> None:
    """The error says which field, what it was given and what it takes; no folder is made."""
    with pytest.raises(loom.LoomError, match=f"{name}.*{said}|{said}.*{name}"):
        loom.open(tmp_path / "w", policy=policy_with(name, value))
    assert list(tmp_path.iterdir()) == []


@all_cases("at", range(1, len(MARKS)))
def test_marks_that_fall(at: int) -> None:
    """A level may not act before the one above it on the ladder; at the same mark it may."""
    both = MARKS[at - 1 : at + 1]
    with pytest.raises(loom.LoomError, match=f"{both[0]}=.* is above {both[1]}="):
        choose_policy(loom.Policy(**dict.fromkeys(MARKS[at:], 0.5)))
    assert choose_policy(loom.Policy(low_water=0.4, **dict.fromkeys(MARKS, 0.5))).renew_at == 0.5


@pytest.mark.parametrize("given", [{"low_water": 0.70}, {"snip_at": 0.4}])
def test_low_water_lies_below_the_first_mark(given: dict[str, float]) -> None:
    """A cut that ended at the mark which called for it would call for the next one."""
    with pytest.raises(loom.LoomError, match=r"low_water=.* is not below snip_at="):
        choose_policy(loom.Policy(**given))


def test_a_preset_without_its_values_is_refused() -> None:
    """Naming another preset changes nothing by itself; who wants it gives its values too."""
    with pytest.raises(loom.LoomError, match=r"loom\.PRESETS\['eager'\]"):
        choose_policy(loom.Policy(preset="eager"))


@pytest.mark.parametrize("window", [16_000, 200_000])
def test_a_cut_ends_below_the_first_mark(window: int) -> None:
    """However much room a window has, and in a policy with a mark of its own too."""
    for policy in (*PRESETS.values(), loom.Policy(snip_at=0.5, low_water=0.4)):
        limits = new_limits(policy, window, 2_000)
        assert limits.target(0.0) < policy.snip_at * limits.capacity
        assert limits.low(0.0) == int(policy.low_water * limits.capacity)
