import json
from pathlib import Path

import pytest

from loom.cli.demo.proof import Demo, DemoResult, DemoStep


class Ran:
    """One run of the demo: its folder, its frames, its outcome."""

    def __init__(self, folder: Path) -> None:
        self.frames: list[DemoStep] = []
        self.demo = Demo(folder, self.frames.append)
        self.outcome: DemoResult = self.demo.run()


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The demo, run once for this file."""
    return Ran(tmp_path_factory.mktemp("demo"))


def test_two_runs_make_the_same_moves_and_the_proof_can_fail(ran: Ran, tmp_path: Path) -> None:
    """A second run makes the same calls; a page altered on its disk is missed by the proof."""
    again = Ran(tmp_path)
    moves = [[json.dumps(frame.move.calls) for frame in one.frames] for one in (ran, again)]
    assert moves[0] == moves[1]
    page = next((again.demo.workspace / "outputs").glob("read_*"))
    data = page.read_bytes()
    page.write_bytes(data[:-1] + b"?")
    back = again.demo.recovered()
    lost = [receipt for receipt in again.demo.ledger if receipt not in back.receipts]
    assert lost and all(receipt.size == len(data) for receipt in lost)
    assert back.sha256 != again.outcome.sha256
