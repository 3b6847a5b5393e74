"""A context whose turns are audited, and lawful in every provider's format."""

from pathlib import Path
from typing import Any

import loom
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.audit import Audit
from loom_bench.laws.lawful import Lawful
from loom_partitions import laws
from tests.kit.journal import lawful


class Audited:
    """A context and its audit; `secrets` are rules for what does not come back."""

    def __init__(self, folder: Path, *, secrets: Any = (), **given: Any) -> None:
        self.audit = Audit(counter_for(), Redactor(secrets), sent=Lawful().check)
        self.ctx = loom.open(folder, on_cut=self.audit.cut, durable=False, **given)

    def turn(self) -> loom.Turn:
        """Make a turn that breaks no law, whichever provider its request is for."""
        self.audit.before(self.ctx)
        turn = self.ctx.turn()
        self.audit.after(self.ctx, turn)
        assert self.audit.findings.broken == 0, self.audit.findings.details
        assert [*lawful(self.ctx), *laws.bounded(self.ctx.window)] == []
        return turn
