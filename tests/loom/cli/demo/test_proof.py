import json
from pathlib import Path

import pytest

import loom
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


def test_a_plain_list_is_full_early(ran: Ran) -> None:
    """It is told at the step it happens at, once and for all, and the list goes on growing."""
    told = [frame.plain_full_at for frame in ran.frames]
    full = ran.outcome.plain_full_at
    assert 1 < full < 50 and told == [0] * (full - 1) + [full] * (len(told) - full + 1)
    tokens = [frame.plain_tokens for frame in ran.frames]
    assert tokens == sorted(tokens) and tokens[full - 2] <= ran.outcome.capacity < tokens[full - 1]
    assert tokens[-1] == ran.outcome.plain_tokens > ran.outcome.tokens_read


def test_what_was_recalled_was_found(ran: Ran) -> None:
    """Every lookup of the agent shows the definition it looked for."""
    lookups = 0
    with loom.open(ran.demo.workspace, redact=()) as ctx:
        for frame in ran.frames:
            for at, (name, arguments) in enumerate(frame.move.calls):
                if name == "page_in" and "grep" in arguments:
                    call = ctx.history.restore(_entry(frame)).reply
                    assert call is not None
                    result = ctx.history.restore(_entry(frame)).results[call.calls[at].id]
                    wanted = str(arguments["grep"]).split(") ")[1].removesuffix(r"\b")
                    assert f" {wanted}" in result, (arguments, result)
                    lookups += 1
    assert lookups >= 5


def _entry(frame: DemoStep) -> int:
    return frame.step + 1  # the user's message is the first entry


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
