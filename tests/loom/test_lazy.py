"""What is imported when it is first used, by whichever thread uses it first."""

import sys
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from loom.lazy import lazy_module, lazy_modules, lazy_names


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package whose module `slow` counts how often it is run."""
    (tmp_path / "held").mkdir()
    (tmp_path / "held" / "__init__.py").write_text("runs = []\n")
    slow = "from held import runs\nsum(range(10**6))\nruns.append(1)\nmade = object()\n"
    (tmp_path / "held" / "slow.py").write_text(slow)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("held", "held.slow"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return "held"


def test_a_module_takes_its_own_place(package: str) -> None:
    """Nothing is imported before something of it is named; then the module itself stands there."""
    names: dict[str, Any] = {}
    lazy_modules(package, "slow", names)
    names["same"] = names["slow"]
    assert f"{package}.slow" not in sys.modules
    made = names["slow"].made
    assert names["slow"] is names["same"] is sys.modules[f"{package}.slow"]
    assert names["slow"].made is made


def test_a_name_is_imported_when_it_is_asked_for(package: str) -> None:
    """A name of another module is kept where it was asked for; one that is not there raises."""
    names: dict[str, Any] = {"__name__": "here"}
    found = lazy_names(names, dict.fromkeys(("made", "other"), f"{package}.slow"))
    with pytest.raises(AttributeError, match="'here' has no attribute 'nothing'"):
        found("nothing")
    assert f"{package}.slow" not in sys.modules
    assert found("made") is names["made"] is sys.modules[f"{package}.slow"].made
    with pytest.raises(AttributeError):
        found("other")


@pytest.mark.parametrize("kind", ["module", "name"])
def test_two_threads_at_once(package: str, kind: str) -> None:
    """One waits for the import of the other: the module is run once, and both have the same."""
    names: dict[str, Any] = {"__name__": "here"}
    names["slow"] = lazy_module(f"{package}.slow", names)
    found = lazy_names(names, {"made": f"{package}.slow"})
    barrier, seen = Barrier(4), list[object]()

    def use() -> None:
        barrier.wait()
        seen.append(names["slow"].made if kind == "module" else found("made"))

    threads = [Thread(target=use) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(seen) == 4 and len({*map(id, seen)}) == 1
    assert sys.modules[package].runs == [1]
