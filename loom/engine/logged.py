"""Cuts told to Python's logging, for who looks at the log of the program that embeds Loom."""

from __future__ import annotations

from collections.abc import Iterable
from logging import getLogger

from loom_partitions.records import Compressed, Record, Renewed
from loom_partitions.window import Window

LOG = getLogger("loom")


def log_cuts(records: Iterable[Record], after: Window) -> None:
    """Log each cut and renewal among records that were committed, at level INFO."""
    for record in records:
        if isinstance(record, Compressed | Renewed):
            what = (
                f"renewal to generation {record.generation}"
                if isinstance(record, Renewed)
                else record.level
            )
            before, then = record.certificate.before.total, record.certificate.after.total
            request = after.sent.turn + (not after.sent.turned)
            LOG.info("%s before request %d: %d to %d tokens", what, request, before, then)
