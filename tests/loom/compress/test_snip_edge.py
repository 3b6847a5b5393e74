"""Snip at the lowest limit a policy may have."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from benchmarks.swept.drive import SweepSetting, drive
from loom.policy import PRESETS, chosen
from loom_bench.sessions.generate import session


@pytest.mark.parametrize("field", ["snip_chars", "reactive_chars"])
def test_the_lowest_limit_still_names_its_page(field: str) -> None:
    """Each text that is snipped is shown and counted as it is sent, and can be brought back."""
    policy = chosen(replace(PRESETS["graduated"], ageing="steps", **{field: 1}))
    driven = drive(session(0, 12, flavour="coding"), SweepSetting(4_096, policy))
    assert not driven.failed
    assert driven.findings.miscounted == 0 == driven.findings.unrestorable
    assert driven.findings.levels
