"""What README shows of a report and of a digest is what Loom makes of one recorded session."""

from __future__ import annotations

import re
from pathlib import Path

import loom
from loom.providers.prices import prices_of
from loom.replay.feed import replay
from loom.replay.importers import load
from loom.replay.lost import losses
from loom.report.loss_page import loss_page
from tests.docs.test_snippets import ROOT
from tests.kit.compacted import MODEL, compacted_log

REPORT, DIGEST = re.findall(
    r"^```text\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)


def test_the_reports_head(tmp_path: Path) -> None:
    """The sentences that stand first on the page of `loom report`."""
    page = loss_page([losses(load(compacted_log(tmp_path))[0], tmp_path / "w", prices_of(MODEL))])
    at = re.compile(r" at \d\d:\d\d")  # this machine's clock
    assert at.sub("", " ".join(REPORT.split())) == at.sub("", f"{page.said} {page.names}")


def test_the_digest(tmp_path: Path) -> None:
    """Line by line, in the order of the window; README leaves out the summary and what ran."""
    session = load(compacted_log(tmp_path))[0]
    policy = loom.Policy(own_tools=False)
    with loom.open(tmp_path / "w", window=4_000, durable=False, policy=policy) as ctx:
        for _ in replay(ctx, session):
            pass
        ctx.renew(history=300)
        [said] = [one for one in ctx.turn().request("openai")["messages"]
                  if str(one["content"]).startswith("[earlier ")]  # fmt: skip
        made = said["content"].replace(ctx.window.config.mark, "zx73").splitlines()
    left = re.compile(r" your client program's summary| commands that ran[;:]|  `(?:git show|ls)")
    shown = [line for line in made if not left.match(line)]
    assert shown == DIGEST.splitlines()
