"""Peers in processes of their own: the protocol, and what happens when one does not keep it."""

import sys
from pathlib import Path

import pytest

from loom.bench.errors import BadBench
from loom.bench.reduction.peers import PEERS, PeerProcess, peer, pythons
from loom.bench.reduction.strategies import ReductionRequest

READY = "import json, os, sys\nsys.stdin.readline()\nprint('{}', flush=True)\n"
ANSWERS = """
for line in sys.stdin:
    asked = json.loads(line)
    if asked["text"] == "end":
        os._exit(3)
    if asked["text"] == "wait":
        sys.stdin.read()
    made = {"text": asked["text"].upper(), "ms": 2.0, "busy": 1.0, "names": [asked["objective"]]}
    print(json.dumps({"error": "no"} if asked["text"] == "error" else made), flush=True)
"""


@pytest.fixture
def worker(tmp_path: Path) -> list[str]:
    """The command of a worker that answers in capitals, ends, waits for ever or fails, as told."""
    path = tmp_path / "worker.py"
    path.write_text(READY + ANSWERS, "utf-8")
    return [sys.executable, "-I", str(path)]


def test_answer(worker: list[str]) -> None:
    """Text comes back with its times and names, lone surrogates too; an error is one."""
    with PeerProcess("capital", worker) as asked_peer:
        answer = asked_peer(ReductionRequest("a\nü\ud800", 10, "page", "goal"))
        assert (answer.text, answer.ms, answer.busy) == ("A\nÜ\ud800", 2.0, 1.0)
        assert answer.names == ("goal",)
        with pytest.raises(BadBench, match="capital: no"):
            asked_peer(ReductionRequest("error", 10))
        assert asked_peer(ReductionRequest("b", 10)).text == "B"


@pytest.mark.parametrize("text", ["end", "wait"])
def test_a_worker_that_does_not_answer(worker: list[str], text: str) -> None:
    """One that ends or is too slow has failed once; a fresh one answers what comes next."""
    patience = 60.0 if text == "end" else 1.0
    with PeerProcess("capital", worker, patience) as asked_peer:
        with pytest.raises(BadBench, match="no answer"):
            asked_peer(ReductionRequest(text, 10))
        assert asked_peer(ReductionRequest("b", 10)).text == "B"


@pytest.mark.parametrize("name", PEERS)
def test_a_package_that_is_not_there(name: str) -> None:
    """It is said at once, before anything is measured."""
    with pytest.raises(BadBench, match="ModuleNotFoundError"):
        peer(name, sys.executable)


def test_an_interpreter_that_is_not_there(tmp_path: Path) -> None:
    """So is a path that is none."""
    with pytest.raises(BadBench, match="cannot be run"):
        peer("distil", str(tmp_path / "python"))


def test_options() -> None:
    """NAME=PATH; another name, or no path, is refused."""
    assert pythons([]) == {}
    assert pythons(["distil=/a=b", "headroom=c"]) == {"distil": "/a=b", "headroom": "c"}
    for wrong in ("distil", "distil=", "other=/a"):
        with pytest.raises(ValueError, match="give headroom=PATH or distil=PATH"):
            pythons([wrong])
